#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes the values of a type: a type-erased transformer.
struct StoredForm<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) throws -> Data
    let decode: @Sendable (Data) throws -> Value

    init(_ transformer: some Transformer<Value, Data>) {
        encode = { try transformer.transformValue($0) }
        decode = { try transformer.untransformValue($0) }
    }

    private init(encode: @escaping @Sendable (Value) throws -> Data, decode: @escaping @Sendable (Data) throws -> Value)
    {
        self.encode = encode
        self.decode = decode
    }
}

extension StoredForm: Transformer {
    func transformValue(_ value: Value) throws -> Data { try encode(value) }
    func untransformValue(_ output: Data) throws -> Value { try decode(output) }
}

extension StoredForm where Value: Codable {
    /// The form that a custom key asks for.
    static func form<Key: SettingKey>(of key: Key) -> StoredForm where Key.Value == Value {
        key.transformer.map { StoredForm($0) } ?? .standard
    }

    /// The form of a setting without a transformer: `Data` as it is, everything else as JSON.
    ///
    /// So a data item that another program put into a preferences file reads as the same data.
    static var standard: StoredForm {
        if let raw = StoredForm<Data>(encode: { $0 }, decode: { $0 }) as? StoredForm<Value> { return raw }
        let rawOptional = StoredForm<Data?>(encode: { try $0 ?? JSONEncoder().encode($0) }, decode: { $0 })
        if let raw = rawOptional as? StoredForm<Value> { return raw }
        return StoredForm(JSONTransformer<Value>())
    }
}
