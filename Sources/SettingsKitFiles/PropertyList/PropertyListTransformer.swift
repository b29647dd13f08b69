import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores a `Codable` value as a property list of its own, binary or XML.
///
/// It keeps dates and data in their own form, and infinite and not-a-number values, which JSON does not. A property
/// list has an array or a dictionary at its root; a value that encodes as anything else (a date, a number) is put into
/// an array of one.
public struct PropertyListTransformer<Value: Codable & Sendable>: Transformer {
    private let encoder: PropertyListEncoder
    private let decoder = PropertyListDecoder()

    /// A transformer that writes `format` and reads every format.
    public init(format: PropertyListDecoder.PropertyListFormat = .binary) {
        encoder = PropertyListEncoder()
        encoder.outputFormat = format
    }

    /// The value as a property list.
    ///
    /// - Throws: `EncodingError` for what a property list cannot hold, nil for example.
    public func transformValue(_ value: Value) throws -> Data {
        try encoder.encode([value])
    }

    /// The value in a property list that ``transformValue(_:)`` wrote.
    ///
    /// A property list of the value itself, as another program may have stored it, is read as well.
    ///
    /// - Throws: `DecodingError` when the property list is one of something else, another error when the bytes are no
    ///   property list or are nested too deeply.
    public func untransformValue(_ output: Data) throws -> Value {
        // Foundation's parser ends the process on deeply nested input, so what it is given is checked first.
        _ = try PropertyListReader.read(output)
        do {
            let wrapped = try decoder.decode([Value].self, from: output)
            if wrapped.count == 1 { return wrapped[0] }
        } catch {
            // Not wrapped, or not a property list: the plain reading below decides, and has the better error.
        }
        return try decoder.decode(Value.self, from: output)
    }
}
