/// An encoder that throws at each value, for containers that a row cannot have.
struct RefusingEncoder: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { throw error }

    func encode<Value: Encodable>(_ value: Value) throws { throw error }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { self }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: RefusingEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) throws { throw encoder.error }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw encoder.error }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder }

        func superEncoder() -> any Encoder { encoder }

        func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }
}
