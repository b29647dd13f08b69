import SettingsKitCore

extension SQLiteRecord where Self: Decodable {
    /// Creates a record as `Codable` decodes it: each member from the column with the name of its coding key.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow`, which names the table and the column.
    public static func load(from row: SQLiteRow) throws -> Self {
        let decoder = ColumnDecoder(row: row, of: tableName)
        do {
            return try Self(from: decoder)
        } catch let error as DecodingError {
            throw SettingsError(.unexpectedRow, store: decoder.row.place, underlying: error)
        }
    }
}

/// Decodes a record from a row, each member from a column.
// A class, because `Codable` boxes decoders, and copying a reference costs less than copying a row.
final class ColumnDecoder: Decoder {
    let row: SQLiteRow
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(row: SQLiteRow, of table: String) {
        var row = row
        row.table = table
        self.row = row
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw row.refusal("an unkeyed container") }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw row.refusal("a single value")
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ColumnDecoder
        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] { decoder.row.columns.compactMap(Key.init(stringValue:)) }

        // A missing column is an error. If this was false, an optional member would be nil.
        func contains(_ key: Key) -> Bool { true }

        func decodeNil(forKey key: Key) throws -> Bool { try decoder.row.isNull(key.stringValue) }

        func decode<Value: Decodable & SQLiteConvertible>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.row[key.stringValue]
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.row.decoded(decoder.row.stored(key.stringValue), key.stringValue)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            throw decoder.row.refusal("a nested container")
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw decoder.row.refusal("a nested container")
        }

        func superDecoder() throws -> any Decoder { throw decoder.row.refusal("a decoder for its superclass") }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            throw decoder.row.refusal("a decoder for its superclass")
        }
    }
}

extension SQLiteRow {
    /// The error for a record that is not decoded from named members.
    fileprivate func refusal(_ request: String) -> SettingsError {
        SettingsError(.unexpectedRow, store: place, underlying: SQLiteProblem(Self.refusal(request)))
    }

    static func refusal(_ request: String) -> String {
        "A record's columns are the members of one keyed container, but this type asks for \(request). "
            + "Write save(into:) and load(from:) for it."
    }
}
