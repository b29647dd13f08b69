#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes the values of a type, as bytes and as text: a type-erased transformer.
struct StoredForm<Value: Sendable>: Sendable {
    private(set) var encode: @Sendable (Value) throws -> Data
    /// Decodes only the output of ``encode``.
    let decodeStrictly: @Sendable (Data) throws -> Value
    /// Decodes other forms that people and other programs write.
    private var decodeTolerantly: (@Sendable (Data) -> Value?)?
    /// Decodes a value that lacks members, which it takes from a default; nil if the transformer cannot.
    private(set) var decodeFilling: (@Sendable (_ data: Data, _ default: Value) throws -> Value?)?
    /// Creates the text form, which few programs need. Only the standard form has a custom one.
    private var makeText: (@Sendable () -> TextForm<Value>)?
    /// Whether decoding the bytes of a value quickly gives the same value, so that it need not be kept beside its bytes.
    private(set) var isExact = false
    /// Whether the bytes have the usual form of the type.
    private(set) var isStandard = false

    private init(
        encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value
    ) {
        (self.encode, decodeStrictly) = (encode, decode)
    }

    init(_ transformer: some Transformer<Value, Data>) {
        self.init(encode: { try transformer.transformValue($0) }, decode: { try transformer.untransformValue($0) })
        // Testing a conformance takes long, so it is done when a member is missing.
        decodeFilling = {
            guard let transformer = transformer as? any MemberFilling<Value, Data> else { return nil }
            return try transformer.untransformValue($0, missingMembersFrom: $1)
        }
    }

    /// The text form of values: with a transformer, JSON; or the stored bytes if the type is not `Codable`.
    var text: TextForm<Value> {
        if let makeText { return makeText() }
        return Value.self is any Codable.Type ? .transformed : .storedBytes(self)
    }

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
            let raw = StoredForm<Data>(encode: { $0 }, decode: { $0 })
            if let raw = raw as? StoredForm<Value> { return raw.withText(isStandard: true) }
            let rawOptional = StoredForm<Data?>(encode: { try $0 ?? JSONEncoder().encode($0) }, decode: { $0 })
            if let raw = rawOptional as? StoredForm<Value> { return raw.withText(isStandard: true) }
        }
        return field
    }

    /// The form of a record's field: every value as JSON.
    static var field: StoredForm {
        // Its functions know the type of the transformer; closures created here would look it up at each call.
        var json = StoredForm(JSONTransformer<Value>()).withText(
            isStandard: Value.self != Data.self && Value.self != Data?.self)
        json.decodeTolerantly = { TolerantDecoding.value(from: $0) }
        json.isExact = Value.self == Bool.self
        // The same bytes. A number need not be passed on in a generic form, and a `set` most often stores a number.
        let encode: @Sendable (Int) throws -> Data = { JSONScalars.data(of: $0) }
        if let encode = encode as? @Sendable (Value) throws -> Data { (json.encode, json.isExact) = (encode, true) }
        return json
    }

    private func withText(isStandard: Bool) -> StoredForm {
        var form = self
        (form.makeText, form.isStandard) = ({ .standard }, isStandard)
        return form
    }
}

/// The run-time interface of all `Optional` types.
protocol OptionalValue {
    var isNil: Bool { get }
    /// The wrapped value.
    var erasedValue: Any? { get }
    /// The nil of this type. `Any`, because a protocol cannot express "an optional of `Self`".
    static var erasedNil: Any { get }
    /// The wrapped type.
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    var erasedValue: Any? { self }
    static var erasedNil: Any { Self.none as Any }
    static var wrappedType: Any.Type { Wrapped.self }
}
