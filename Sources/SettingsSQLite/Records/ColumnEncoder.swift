import SettingsKitCore

extension SQLiteRecord where Self: Encodable {
    /// Adds each member to the column with the name of its coding key, as `Codable` encodes it; nil as `NULL`.
    ///
    /// - Throws: `SettingsError` with the code `encodingFailed`, which names the table and the column.
    /// - Precondition: The type encodes itself with one keyed container.
    public func save(into row: inout SQLiteRow) throws {
        let encoder = ColumnEncoder(row: row, of: Self.tableName)
        do {
            try encode(to: encoder)
        } catch let error as EncodingError {
            throw SettingsError.unsupportedValue(error, store: encoder.row.place)
        }
        row = encoder.row
    }
}

/// Encodes a record into a row, each member into a column.
final class ColumnEncoder: Encoder {
    fileprivate(set) var row: SQLiteRow
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(row: SQLiteRow, of table: String) {
        self.row = row
        self.row.table = table
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse("an unkeyed container") }

    func singleValueContainer() -> any SingleValueEncodingContainer { refuse("a single value") }

    /// The functions that ask for it cannot throw.
    fileprivate func refuse(_ request: String) -> Never { preconditionFailure(SQLiteRow.refusal(request)) }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ColumnEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { encoder.row.put(key.stringValue) { nil } }

        func encode<Value: Encodable & SQLiteConvertible>(_ value: Value, forKey key: Key) { put(value, key) }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) { put(CodableColumn(value), key) }

        // If nil was left out, as by default, an existing row would keep the old value. A generic function does not replace the
        // defaults for these types.
        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) {
            put(value.map { CodableColumn($0) }, key)
        }

        func encodeIfPresent(_ value: Bool?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) { put(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) { put(value, key) }

        private func put<Value: SQLiteConvertible>(_ value: Value?, _ key: Key) {
            encoder.row.put(key.stringValue) { try value?.sqliteValue }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.refuse("a nested container")
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.refuse("a nested container")
        }

        func superEncoder() -> any Encoder { encoder.refuse("an encoder for its superclass") }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.refuse("an encoder for its superclass") }
    }
}
