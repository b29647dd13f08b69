import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores a `Codable` value as a separate property list, binary or XML.
///
/// It keeps the native form of dates and data, and infinite and not-a-number values, which JSON does not. The root of a
/// property list is an array or a dictionary; a value that encodes as anything else (a date, a number) is wrapped in an
/// array.
public struct PropertyListTransformer<Value: Codable & Sendable>: Transformer {
    private let encoder: PropertyListEncoder
    private let decoder = PropertyListDecoder()

    /// Creates a transformer that writes `format` and reads every format.
    public init(format: PropertyListDecoder.PropertyListFormat = .binary) {
        encoder = PropertyListEncoder()
        encoder.outputFormat = format
    }

    /// Encodes a value as a property list.
    ///
    /// - Throws: `EncodingError` if a property list cannot represent the value, for example nil.
    public func transformValue(_ value: Value) throws -> Data {
        try encoder.encode([value])
    }

    /// Decodes a value from a property list that ``transformValue(_:)`` wrote.
    ///
    /// Also reads a property list of the value itself, as another program may have stored it.
    ///
    /// - Throws: `DecodingError` if the property list has another type, another error if the bytes are not a property
    ///   list or are nested too deeply.
    public func untransformValue(_ output: Data) throws -> Value {
        // Foundation's parser ends the process on deeply nested input, so the bytes are checked first.
        _ = try PropertyListReader.read(output)
        var missing: DecodingError?
        do {
            let wrapped = try decoder.decode([Value].self, from: output)
            if wrapped.count == 1 { return wrapped[0] }
        } catch DecodingError.keyNotFound(let key, let context) {
            missing = Self.missing(key, context)
        } catch {
            // Not wrapped, or not a property list: the plain reading below decides, and throws the better error.
        }
        do {
            return try decoder.decode(Value.self, from: output)
        } catch {
            throw missing ?? error
        }
    }

    /// The error that a member is missing, with the place in the value instead of that in the array around it.
    private static func missing(_ key: any CodingKey, _ context: DecodingError.Context) -> DecodingError {
        .keyNotFound(
            key,
            .init(codingPath: Array(context.codingPath.dropFirst()), debugDescription: context.debugDescription))
    }
}
