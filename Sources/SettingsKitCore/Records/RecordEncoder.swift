/// Collects the members of a record as the record encodes them, without serializing their values.
///
/// The counterpart of ``RecordDecoder``. It calls the record's `encode(to:)`, so a member is any value that the record encodes under
/// a name: a stored property, or a value computed from several.
struct RecordEncoder: Encoder {
    private final class Members {
        var all: [any RecordMember] = []
    }

    private let members: Members
    private let layout: RecordLayout
    private let prefix: String
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func members(of record: some SettingsRecord) throws -> [any RecordMember] {
        let members = Members()
        try record.encode(to: RecordEncoder(members: members, layout: .of(type(of: record)), prefix: ""))
        return members.all
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusal<AnyName>() }

    func singleValueContainer() -> any SingleValueEncodingContainer { Refusal<AnyName>() }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: RecordEncoder
        var codingPath: [any CodingKey] { [] }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            let (layout, key) = (encoder.layout, key.stringValue)
            let name = encoder.prefix + layout.name(ofKey: key)
            if let inner = layout.inner(ofKey: key, Value.self) {
                try value.encode(to: RecordEncoder(members: encoder.members, layout: inner, prefix: name + "."))
            } else {
                encoder.members.all.append(ValueMember(name, value))
            }
        }

        /// A member that is nil has a type, too.
        private func add<Value: Encodable>(_ value: Value?, _ key: Key) {
            let name = encoder.prefix + encoder.layout.name(ofKey: key.stringValue)
            encoder.members.all.append(ValueMember(name, value))
        }

        func encodeNil(forKey key: Key) {
            let name = encoder.prefix + encoder.layout.name(ofKey: key.stringValue)
            encoder.members.all.append(NilMember(name))
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) { add(value, key) }

        // The compiler prefers the protocol's own functions for these types, which drop nil, to a generic one.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: Int128?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) { add(value, key) }
        func encodeIfPresent(_ value: UInt128?, forKey key: Key) { add(value, key) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            Refusal<Key>().container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Refusal<Key>() }

        func superEncoder() -> any Encoder { Refusal<Key>() }

        func superEncoder(forKey key: Key) -> any Encoder { Refusal<Key>() }
    }
}

/// Refuses all values, because a member of a record has a name, and is one value.
private struct Refusal<Key: CodingKey>: Encoder, KeyedEncodingContainerProtocol, UnkeyedEncodingContainer,
    SingleValueEncodingContainer
{
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    private func refuse() throws {
        throw EncodingError.invalidValue(
            "",
            .init(codingPath: [], debugDescription: "A record encodes values with names, and opens no inner container.")
        )
    }

    func encodeNil() throws { try refuse() }
    func encode<Value: Encodable>(_ value: Value) throws { try refuse() }
    func encodeNil(forKey key: Key) throws { try refuse() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try refuse() }

    func container<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> {
        KeyedEncodingContainer(Refusal<Other>())
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
