#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes a record from its row, each field separately. A field that is missing or cannot be decoded has the value of the empty
/// record.
struct RowDecoder: Decoder {
    let row: SettingsRow
    let layout: RecordLayout
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>(row: row, layout: layout))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw noFields }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw noFields }

    private var noFields: DecodingError {
        .typeMismatch(
            [String: Any].self, .init(codingPath: [], debugDescription: "A record has named fields."))
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let row: SettingsRow
        let layout: RecordLayout
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] { layout.keys(ofNames: row.defaultNames).compactMap(Key.init(stringValue:)) }

        private func name(_ key: Key) -> String { layout.name(ofKey: key.stringValue) }

        private func isNested(_ key: Key) -> Bool { layout.nested[key.stringValue] != nil }

        func contains(_ key: Key) -> Bool {
            isNested(key) || !row.candidates(name(key)).isEmpty || row.defaultData(name(key)) != nil
        }

        func decodeNil(forKey key: Key) -> Bool {
            if isNested(key) { return false }
            let name = name(key)
            if let candidate = row.candidates(name).first { return row.isNil(candidate, name: name) }
            return (row.defaultData(name) ?? SettingsRow.null) == SettingsRow.null
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            if isNested(key), let record = type as? any SettingsRecord.Type,
                let value = try record.load(from: row.nested(under: layout.prefix(ofKey: key.stringValue))) as? Value
            {
                return value
            }
            let name = name(key)
            if let value = row.decoded(type, name: name) { return value }
            guard let data = row.defaultData(name) else {
                // nil is omitted; it may be inside another value, a property wrapper for example.
                if let none = try? JSONDecoder.standard().decode(type, from: SettingsRow.null) { return none }
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: [], debugDescription: "The empty record has no such field."))
            }
            return try JSONScalars.value(type, from: data)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            if isNested(key) { return try decode(type, forKey: key) }
            return try optional(type, key)
        }

        private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
            let name = name(key)
            let found = row.first(of: name) { row.decodedIfPresent(type, from: $0, name: name) }
            if let found { return found }
            guard let data = row.defaultData(name) else { return nil }
            return try JSONScalars.value(type, from: data)
        }

        // The compiler prefers the protocol's own functions for these types, which look at one candidate, to a generic one.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
        func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try optional(type, key) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try decoder(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try decoder(named: "super") }

        func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

        private func decoder(_ key: Key) throws -> any Decoder {
            if let inner = layout.nested[key.stringValue] {
                return RowDecoder(row: row.nested(under: layout.prefix(ofKey: key.stringValue)), layout: inner)
            }
            return try decoder(named: name(key))
        }

        /// Decodes the value of a field.
        private func decoder(named name: String) throws -> any Decoder {
            if let opened = row.decoded(OpenDecoder.self, name: name) {
                row.recordOpening(name)
                return opened.decoder
            }
            let data = row.defaultData(name) ?? SettingsRow.null
            return try JSONDecoder.standard().decode(OpenDecoder.self, from: data).decoder
        }
    }
}

/// Returns the decoder of the field.
private struct OpenDecoder: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
