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

        var allKeys: [Key] { row.defaultNames.compactMap(Key.init(stringValue:)) }

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
                if let none = try? JSONDecoder().decode(type, from: SettingsRow.null) { return none }
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: [], debugDescription: "The empty record has no such field."))
            }
            return try JSONScalars.value(type, from: data)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            let name = name(key)
            let found = row.first(of: name) { candidate -> Value?? in
                if row.isNil(candidate, name: name, isFlag: StandardText.isFlag(type)) { return .some(nil) }
                return row.decoded(type, from: candidate, name: name).map { .some($0) }
            }
            if let found { return found }
            guard let data = row.defaultData(name) else { return nil }
            return try JSONScalars.value(type, from: data)
        }

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

        private func decoder(_ key: Key) throws -> any Decoder { try decoder(named: name(key)) }

        /// Decodes the value of a field.
        private func decoder(named name: String) throws -> any Decoder {
            if let opened = row.decoded(OpenDecoder.self, name: name) {
                row.recordOpening(name)
                return opened.decoder
            }
            let data = row.defaultData(name) ?? SettingsRow.null
            return try JSONDecoder().decode(OpenDecoder.self, from: data).decoder
        }
    }
}

/// Returns the decoder of the field.
private struct OpenDecoder: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}
