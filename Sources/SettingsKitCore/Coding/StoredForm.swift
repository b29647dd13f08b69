#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes the values of a type, as bytes and as text: a type-erased transformer.
struct StoredForm<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) throws -> Data
    /// Decodes only the output of ``encode``.
    let decodeStrictly: @Sendable (Data) throws -> Value
    /// Decodes other forms that people and other programs write.
    private let decodeTolerantly: (@Sendable (Data) -> Value?)?
    /// Decodes a value that lacks members, which it takes from a default; nil if the transformer cannot.
    let decodeFilling: (@Sendable (_ data: Data, _ default: Value) throws -> Value?)?
    /// Creates the text form, which few programs need. Only the standard form has a custom one.
    private let makeText: (@Sendable () -> TextForm<Value>)?
    /// Whether decoding the bytes of a value quickly gives the same value, so that it need not be kept beside its bytes.
    let isExact: Bool

    private init(
        encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value,
        filling: (@Sendable (Data, Value) throws -> Value?)? = nil, tolerant: (@Sendable (Data) -> Value?)? = nil,
        text: (@Sendable () -> TextForm<Value>)? = nil, isStandard: Bool = true, isExact: Bool = false
    ) {
        self.isExact = isExact
        self.isStandard = isStandard && text != nil
        (self.encode, decodeStrictly, decodeFilling) = (encode, decode, filling)
        (decodeTolerantly, makeText) = (tolerant, text)
    }

    init(_ transformer: some Transformer<Value, Data>) {
        self.init(
            encode: { try transformer.transformValue($0) }, decode: { try transformer.untransformValue($0) },
            // Testing a conformance takes long, so it is done when a member is missing.
            filling: {
                guard let transformer = transformer as? any MemberFilling<Value, Data> else { return nil }
                return try transformer.untransformValue($0, missingMembersFrom: $1)
            })
    }

    /// The text form of values: with a transformer, JSON; or the stored bytes if the type is not `Codable`.
    var text: TextForm<Value> {
        if let makeText { return makeText() }
        return Value.self is any Codable.Type ? .transformed : .storedBytes(self)
    }

    /// Whether the bytes have the usual form of the type.
    let isStandard: Bool

    func decode(_ data: Data) throws -> Value {
        do {
            return try decodeStrictly(data)
        } catch {
            return try decodeTolerantly(data, after: error)
        }
    }

    private func decodeTolerantly(_ data: Data, after error: any Error) throws -> Value {
        guard let value = decodeTolerantly?(data) else { throw error }
        return value
    }
}

extension StoredForm: Transformer {
    func transformValue(_ value: Value) throws -> Data { try encode(value) }
    func untransformValue(_ output: Data) throws -> Value { try decode(output) }
}

extension StoredForm where Value: Codable {
    /// Returns the form of a custom key.
    static func form<Key: SettingKey>(of key: Key) -> StoredForm where Key.Value == Value {
        key.transformer.map { StoredForm($0) } ?? .standard
    }

    /// The form of a setting without a transformer: `Data` unchanged, every other type as JSON.
    ///
    /// So a data item that another program put into a preferences file reads as the same data.
    static var standard: StoredForm {
        if Value.self == Data.self || Value.self == Data?.self {
            let raw = StoredForm<Data>(encode: { $0 }, decode: { $0 }, text: { .standard })
            if let raw = raw as? StoredForm<Value> { return raw }
            let rawOptional = StoredForm<Data?>(
                encode: { try $0 ?? JSONEncoder().encode($0) }, decode: { $0 }, text: { .standard })
            if let raw = rawOptional as? StoredForm<Value> { return raw }
        }
        return json
    }

    /// The form of a record's field: every value as JSON.
    static var field: StoredForm { Value.self == Data.self || Value.self == Data?.self ? json : standard }

    private static var json: StoredForm {
        if Value.self == Int.self, let integer = StoredForm<Int>.integer as? StoredForm<Value> { return integer }
        // Its functions know the type of the transformer; closures created here would look it up at each call.
        let json = StoredForm(JSONTransformer<Value>())
        return StoredForm(
            encode: json.encode, decode: json.decodeStrictly, filling: json.decodeFilling,
            tolerant: { TolerantDecoding.value(from: $0) }, text: { .standard },
            isStandard: Value.self != Data.self && Value.self != Data?.self, isExact: Value.self == Bool.self)
    }
}

extension StoredForm<Int> {
    /// The same bytes as those of a JSON transformer. A number need not be passed on in a generic form, and a `set` most often
    /// stores a number.
    fileprivate static var integer: StoredForm {
        let decode = StoredForm(JSONTransformer<Int>()).decodeStrictly
        return StoredForm(
            encode: { JSONScalars.data(of: $0) }, decode: decode, tolerant: { TolerantDecoding.value(from: $0) },
            text: { .standard }, isExact: true)
    }
}
