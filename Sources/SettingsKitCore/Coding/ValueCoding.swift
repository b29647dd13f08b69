#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes the values of one setting. It has the default, the processing, the validation, the stored form, the text,
/// and the meaning of nil.
///
/// If the default is nil, nil is stored as nothing. If the default is another value, nil is stored as JSON's `null`, with any
/// transformer, to distinguish it from "not set".
final class ValueCoding<Value: Sendable>: Sendable {
    private static var nilBytes: Data { Data("null".utf8) }

    let key: SettingsService.StorageKey
    let `default`: SettingsService.DefaultValue<Value>
    private let processing: (@Sendable (Value) -> Value)?
    let validation: SettingsService.Validation<Value>?
    let form: StoredForm<Value>
    private let isOptional: Bool

    init(
        key: SettingsService.StorageKey, default: SettingsService.DefaultValue<Value>, form: StoredForm<Value>,
        validation: SettingsService.Validation<Value>? = nil, processing: (@Sendable (Value) -> Value)? = nil
    ) {
        self.key = form.isStandard ? key.holding(Value.self) : key
        self.default = `default`
        self.processing = processing
        self.validation = validation
        self.form = form
        // Testing a conformance makes the runtime search every library, once for each type.
        isOptional = _isOptional(Value.self)
    }

    // MARK: Defaults

    /// Whether the default is always the same value, so that it may be cached.
    var hasConstantDefault: Bool { self.default.isConstant }

    var defaultValue: Value { self.default.value }

    // MARK: Encoding

    func process(_ value: Value) -> Value {
        guard let processing else { return value }
        HeldLocks.requireNone(before: "the processing of a value")
        return processing(value)
    }

    /// Encodes a value; returns nil if the value is stored as nothing.
    ///
    /// - Throws: `invalidValue` if the validation rejects the value; `encodingFailed`.
    func bytes(for value: Value) throws(SettingsError) -> Data? {
        // The default is computed only if it matters, because that may take long.
        if isNil(value) && isNil(defaultValue) { return nil }
        try validate(value)
        return try bytesOfDefault(value)
    }

    /// Encodes a value that need not be validated.
    func bytesOfDefault(_ value: Value) throws(SettingsError) -> Data? {
        if isNil(value) { return Self.nilBytes }
        HeldLocks.requireNone(before: "encoding")
        do {
            let bytes = try form.encode(value)
            if isOptional && bytes == Self.nilBytes && !isNil(defaultValue) { throw ReservedBytes() }
            return bytes
        } catch {
            throw SettingsError(.encodingFailed, key: key, underlying: error)
        }
    }

    private func validate(_ value: Value) throws(SettingsError) {
        guard let validation, !validation.accepts(value) else { return }
        throw SettingsError(.invalidValue, key: key, expected: expected)
    }

    // MARK: Decoding

    /// Decodes stored bytes; returns the default if there are none.
    ///
    /// - Throws: `decodingFailed`; `invalidValue` if the validation rejects the value.
    func value(for bytes: Data?) throws(SettingsError) -> Value {
        guard let bytes else { return defaultValue }
        let value = try decode(bytes)
        try validate(value)
        return value
    }

    // The parts that are seldom needed are functions: the runtime looks up the generic types that a function uses whenever it is
    // called.
    private func decode(_ bytes: Data) throws(SettingsError) -> Value {
        if isOptional && bytes == Self.nilBytes { return try decodeNil() }
        HeldLocks.requireNone(before: "decoding")
        do {
            return try form.decode(bytes)
        } catch {
            return try decode(bytes, after: error)
        }
    }

    /// Decodes the bytes of nil. They may have been stored while the setting had another default.
    private func decodeNil() throws(SettingsError) -> Value {
        if !isNil(defaultValue), let none = erasedNil { return none }
        HeldLocks.requireNone(before: "decoding")
        do {
            return try form.decode(Self.nilBytes)
        } catch {
            if let none = erasedNil { return none }
            return try decode(Self.nilBytes, after: error)
        }
    }

    /// Decodes bytes in which a member is missing, because an older version of the program has stored the value. The member is taken
    /// from the default.
    ///
    /// - Throws: `decodingFailed` if that is not why decoding has failed.
    private func decode(_ bytes: Data, after error: any Error) throws(SettingsError) -> Value {
        do {
            guard case DecodingError.keyNotFound = error, case .constant(let value) = self.default.source,
                !isNil(value),
                let filled = try form.decodeFilling?(bytes, value)
            else { throw error }
            return filled
        } catch {
            throw SettingsError(
                .decodingFailed, key: key, expected: expected, underlying: CodingProblem(error, of: Value.self) ?? error
            )
        }
    }

    /// Returns whether bytes are the encoded form of a value, not only another accepted form.
    func isExactForm(_ bytes: Data) -> Bool {
        HeldLocks.requireNone(before: "decoding")
        return isOptional && bytes == Self.nilBytes || optionalResult(of: form.decodeStrictly, bytes) != nil
    }

    /// Returns whether a candidate can set the setting.
    func concerns(_ candidate: SettingsStoreCandidate) -> Bool { candidate.concerns(isFlag: form.text.isFlag) }

    /// Decodes a layer's candidate.
    ///
    /// - Throws: `decodingFailed` or `invalidValue`, with the name of the layer.
    func value(of candidate: SettingsStoreCandidate) throws(SettingsError) -> Value {
        do throws(SettingsError) {
            if candidate.form == .stored { return try value(for: candidate.data) }
            guard let texts = candidate.texts(isFlag: form.text.isFlag, of: { form.text.type }) else {
                throw SettingsError(.invalidValue, key: key, expected: expected)
            }
            let value = try read(texts)
            try validate(value)
            return value
        } catch {
            throw error.completed(key: nil, store: candidate.location, layer: candidate.layer)
        }
    }

    /// Returns the reason why a layer's candidate is no value; nil if it is one.
    func problem(with candidate: SettingsStoreCandidate) -> SettingsError? {
        do throws(SettingsError) {
            _ = try value(of: candidate)
            return nil
        } catch {
            return error
        }
    }

    private func isNil(_ value: Value) -> Bool {
        isOptional && (value as? any OptionalValue)?.isNil ?? false
    }

    private var erasedNil: Value? {
        (Value.self as? any OptionalValue.Type)?.erasedNil as? Value
    }

    // MARK: Text

    /// The expected value, for messages: "an integer from 1 to 65535".
    var expected: String {
        guard let validation else { return form.text.expected }
        return form.text.expected(with: validation)
    }

    /// Parses a text. The value is not validated: a value that is set is processed first.
    ///
    /// - Throws: `invalidValue` if the text is no value.
    func read(_ text: String) throws(SettingsError) -> Value { try read([text]) }

    /// Parses the texts of an option.
    ///
    /// - Throws: `invalidValue` if they are no value.
    private func read(_ texts: [String]) throws(SettingsError) -> Value {
        HeldLocks.requireNone(before: "decoding")
        guard let value = form.text.readAll(texts) else {
            throw SettingsError(
                .invalidValue, key: key, expected: expected, underlying: texts.last.flatMap(form.text.problem))
        }
        return value
    }

    /// Returns the text of a value; nil if it has none.
    func text(of value: Value) -> String? {
        HeldLocks.requireNone(before: "encoding")
        return form.text.write(value)
    }
}
