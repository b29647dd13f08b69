#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers each member of a record with the value of its field that is in force.
struct RecordDecoder: Decoder {
    let reading: RecordReading
    let layout: RecordLayout
    var prefix = ""
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.notNamed }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.notNamed }

    private static var notNamed: DecodingError {
        .typeMismatch(
            [String: Any].self,
            .init(codingPath: [], debugDescription: "A record decodes values with names, and opens no inner container.")
        )
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RecordDecoder
        var codingPath: [any CodingKey] { [] }

        private func field(_ key: Key) -> (any RecordField)? {
            decoder.reading.field(named: name(key))
        }

        private func name(_ key: Key) -> String { decoder.prefix + decoder.layout.name(ofKey: key.stringValue) }

        private func inner(_ key: Key, _ type: Any.Type? = nil) -> RecordLayout? {
            decoder.layout.inner(ofKey: key.stringValue, type)
        }

        var allKeys: [Key] { decoder.layout.keys(of: names).compactMap(Key.init(stringValue:)) }

        /// The names of the fields, without the prefix.
        private var names: [String] {
            decoder.reading.list.fields.compactMap { field in
                field.name.hasPrefix(decoder.prefix) ? String(field.name.dropFirst(decoder.prefix.count)) : nil
            }
        }

        func contains(_ key: Key) -> Bool {
            if inner(key) != nil { return true }
            guard let field = field(key) else {
                decoder.reading.learn(name(key))
                return false
            }
            // A member that the empty record does not encode may be missing.
            return !(field is FieldSetting<Data?>) || !field.isNil(in: decoder.reading)
        }

        func decodeNil(forKey key: Key) -> Bool {
            if inner(key) != nil { return false }
            return field(key)?.isNil(in: decoder.reading) ?? true
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            if let layout = inner(key, type) {
                return try Value(from: RecordDecoder(reading: decoder.reading, layout: layout, prefix: name(key) + "."))
            }
            guard let field = field(key) else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: [], debugDescription: "The empty record has no such field."))
            }
            return try field.value(as: type, in: decoder.reading)
                ?? JSONScalars.value(type, from: field.json(in: decoder.reading))
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            if inner(key, type) != nil { return try decode(type, forKey: key) }
            guard let field = field(key) else {
                decoder.reading.learn(type, name(key))
                return nil
            }
            if let value = field.value(as: Value?.self, in: decoder.reading) { return value }
            return field.isNil(in: decoder.reading) ? nil : try decode(type, forKey: key)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> { throw RecordDecoder.notNamed }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw RecordDecoder.notNamed
        }

        func superDecoder() throws -> any Decoder { throw RecordDecoder.notNamed }

        func superDecoder(forKey key: Key) throws -> any Decoder { throw RecordDecoder.notNamed }
    }
}
