/// Collects the fields of a record as the record encodes them, without serializing their values.
///
/// The counterpart of ``RowDecoder``. It calls the record's `encode(to:)`, so a field is any value that the record encodes under a
/// name: a stored property, or a value computed from several.
struct RowEncoder: Encoder {
    private final class Fields {
        var members: [(name: String, member: any RowMember)] = []
        var hasNames = false
        /// Whether the record encoded a value without a name, which was dropped.
        var isIncomplete = false
    }

    private let fields: Fields
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the fields of a record; nil if it encodes containers inside its container, or is not encoded as an object.
    static func members(of record: some Encodable) throws -> [(name: String, member: any RowMember)]? {
        let fields = Fields()
        try record.encode(to: RowEncoder(fields: fields))
        return fields.hasNames && !fields.isIncomplete ? fields.members : nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        fields.hasNames = true
        return KeyedEncodingContainer(Container<Key>(fields: fields))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Self.dropping(fields) }

    func singleValueContainer() -> any SingleValueEncodingContainer { Self.dropping(fields) }

    private static func dropping(_ fields: Fields) -> Dropping<AnyName> {
        fields.isIncomplete = true
        return Dropping()
    }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let fields: Fields
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {
            fields.members.append((key.stringValue, DataMember(data: SettingsRow.null)))
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
            fields.members.append((key.stringValue, ValueMember(value: value)))
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            dropping(fields).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { dropping(fields) }

        func superEncoder() -> any Encoder { dropping(fields) }

        func superEncoder(forKey key: Key) -> any Encoder { dropping(fields) }
    }
}

/// Drops all encoded values.
private struct Dropping<Key: CodingKey>: Encoder, KeyedEncodingContainerProtocol, UnkeyedEncodingContainer,
    SingleValueEncodingContainer
{
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) {}
    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}

    func container<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        KeyedEncodingContainer(Dropping<Other>())
    }
    func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }
    func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type, forKey: Key) -> KeyedEncodingContainer<Other> {
        container(keyedBy: type)
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
    func superEncoder(forKey key: Key) -> any Encoder { self }
}

private struct AnyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
