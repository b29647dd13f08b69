#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source of a setting's default.
enum DefaultValue<Value: Sendable>: Sendable {
    /// One value for the life of the process.
    case constant(Value)
    /// A closure, called each time a default is needed.
    case computed(@Sendable () -> Value)
}

/// Encodes and decodes the values of one setting. It knows the default, the processing, the stored form, and the
/// meaning of nil.
///
/// If the default is nil, nil is stored as nothing. If the default is another value, nil is stored as JSON's `null`,
/// whatever the transformer, to distinguish it from "not set".
final class ValueCoding<Value: Sendable>: Sendable {
    private static var nilBytes: Data { Data("null".utf8) }

    let key: SettingsService.StorageKey
    private let `default`: DefaultValue<Value>
    private let processing: (@Sendable (Value) -> Value)?
    let form: StoredForm<Value>
    private let isOptional: Bool

    init(
        key: SettingsService.StorageKey, default: DefaultValue<Value>, processing: (@Sendable (Value) -> Value)?,
        form: StoredForm<Value>
    ) {
        self.key = key
        self.default = `default`
        self.processing = processing
        self.form = form
        // Testing a conformance makes the runtime search every library, once for each type.
        isOptional = _isOptional(Value.self)
    }

    /// Whether the default is always the same value, so that it may be cached.
    var hasConstantDefault: Bool {
        if case .constant = self.default { true } else { false }
    }

    var defaultValue: Value {
        switch self.default {
        case .constant(let value): value
        case .computed(let compute): compute()
        }
    }

    func process(_ value: Value) -> Value {
        guard let processing else { return value }
        return processing(value)
    }

    /// Encodes a value; nil if the value is stored as nothing.
    func bytes(for value: Value) throws(SettingsError) -> Data? {
        // The default is computed only where it matters, because that may take long.
        if isNil(value) { return isNil(defaultValue) ? nil : Self.nilBytes }
        do {
            let bytes = try form.encode(value)
            if isOptional && bytes == Self.nilBytes && !isNil(defaultValue) { throw ReservedBytes() }
            return bytes
        } catch {
            throw SettingsError(.encodingFailed, key: key, underlying: error)
        }
    }

    /// Decodes stored bytes; returns the default if nothing is stored.
    func value(for bytes: Data?) throws(SettingsError) -> Value {
        guard let bytes else { return defaultValue }
        let mayBeNil = isOptional && bytes == Self.nilBytes
        if mayBeNil, !isNil(defaultValue), let none = erasedNil { return none }
        do {
            return try form.decode(bytes)
        } catch {
            // Stored as nil while the setting had another default.
            if mayBeNil, let none = erasedNil { return none }
            throw SettingsError(
                .decodingFailed, key: key, underlying: CodingProblem(error, of: Value.self) ?? error)
        }
    }

    /// Decodes stored bytes; returns the default if they cannot be decoded.
    func valueOrDefault(for bytes: Data?) -> Value {
        do throws(SettingsError) {
            return try value(for: bytes)
        } catch {
            return defaultValue
        }
    }

    /// The same, with a default that is computed each time it is needed and is not cached.
    var withoutConstantDefault: ValueCoding {
        ValueCoding(
            key: key, default: .computed { [self] in defaultValue }, processing: processing, form: form)
    }

    private func isNil(_ value: Value) -> Bool {
        isOptional && (value as? any OptionalValue)?.isNil ?? false
    }

    private var erasedNil: Value? {
        (Value.self as? any OptionalValue.Type)?.erasedNil as? Value
    }
}

/// The error that a value encodes to the bytes that stand for nil.
private struct ReservedBytes: ValueFreeError {
    var description: String { "Its encoded form is the one that is reserved for nil." }
}
