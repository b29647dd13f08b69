#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a setting's default comes from.
enum DefaultValue<Value: Sendable>: Sendable {
    /// One value for ever.
    case constant(Value)
    /// Asked anew each time a default is needed.
    case computed(@Sendable () -> Value)
}

/// How the values of one setting become bytes and come back: its default, its processing, its stored form, and what nil
/// means to it.
///
/// A nil needs no bytes where the default is nil, too: nothing is stored. Where the default is something else, nil is
/// stored as JSON's `null`, whatever the transformer, so that it is told apart from "not set".
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
        // Asking whether it conforms to a protocol has the runtime look through every library, once for each type.
        isOptional = _isOptional(Value.self)
    }

    /// Whether the default is the same value each time, so that it may be kept.
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

    /// The bytes to store for a value; nil when the value is stored by storing nothing.
    func bytes(for value: Value) throws(SettingsError) -> Data? {
        // The default is asked for only where it matters: computing it may take long.
        if isNil(value) { return isNil(defaultValue) ? nil : Self.nilBytes }
        do {
            let bytes = try form.encode(value)
            if isOptional && bytes == Self.nilBytes && !isNil(defaultValue) { throw ReservedBytes() }
            return bytes
        } catch {
            throw SettingsError(.encodingFailed, key: key, underlying: error)
        }
    }

    /// The value that stored bytes stand for; the default where nothing is stored.
    func value(for bytes: Data?) throws(SettingsError) -> Value {
        guard let bytes else { return defaultValue }
        let mayBeNil = isOptional && bytes == Self.nilBytes
        if mayBeNil, !isNil(defaultValue), let none = erasedNil { return none }
        do {
            return try form.decode(bytes)
        } catch {
            // Stored as nil when the default was another.
            if mayBeNil, let none = erasedNil { return none }
            throw SettingsError(
                .decodingFailed, key: key, underlying: CodingProblem(error, of: Value.self) ?? error)
        }
    }

    /// The value that stored bytes stand for; the default where they stand for none.
    func valueOrDefault(for bytes: Data?) -> Value {
        do throws(SettingsError) {
            return try value(for: bytes)
        } catch {
            return defaultValue
        }
    }

    /// The same with a default that is asked for each time that it is needed, so that nobody keeps it.
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

/// The bytes of a value that is not nil are the ones that stand for nil.
private struct ReservedBytes: ValueFreeError {
    var description: String { "Its encoded form is the one that is reserved for nil." }
}
