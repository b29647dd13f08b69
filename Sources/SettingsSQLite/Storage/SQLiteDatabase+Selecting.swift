import SettingsKitCore

extension SQLiteDatabase {
    // MARK: Records

    /// The first record that matches; nil if there is none.
    ///
    /// - Throws: `SettingsError`: `statementFailed` for a table or a column that is not there, `unexpectedRow` if the row is
    ///   none of this type, `busy`, `readFailed`.
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Record? {
        try select(sql: query.first.statement)
    }

    /// All records that match, in the order of the query.
    ///
    /// - Throws: as for one record; `unexpectedRow` if one of the rows is none of this type.
    @_disfavoredOverload @inlinable
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> [Record] {
        try select(sql: query.statement)
    }

    /// How many records match.
    public func count<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try select(sql: SQLiteStatement(query.count())) ?? 0
    }

    /// Whether there is one of the records that match.
    public func isThere<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Bool {
        var isThere = false
        try run(query.first.select("1")) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    // MARK: SQL

    /// The record of the first row that a statement gives; nil if it gives none.
    public func select<Record: SQLiteRecord>(sql: SQLiteStatement) throws -> Record? {
        var record: Record?
        try visitRows(sql, isOne: true) { record = try Record.load(from: $0) }
        return record
    }

    /// The records of all rows that a statement gives.
    @_disfavoredOverload @inlinable
    public func select<Record: SQLiteRecord>(sql: SQLiteStatement) throws -> [Record] {
        var records: [Record] = []
        try visitRows(sql) { records.append(try Record.load(from: $0)) }
        return records
    }

    /// The first column of the first row that a statement gives; nil if it gives none, and for `NULL`.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` if it holds a value of another type.
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> Value? {
        let values: [Value?] = try values(sql.fragment, isOne: true)
        return values.first ?? nil
    }

    /// The first column of all rows that a statement gives.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` if one holds `NULL` or a value of another type.
    @_disfavoredOverload
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> [Value] {
        try values(sql.fragment).map { (value: Value?) in
            guard let value else { throw unexpected(.null, Value.self) }
            return value
        }
    }

    /// The first column of all rows that a statement gives; nil for `NULL`.
    @_disfavoredOverload
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> [Value?] {
        try values(sql.fragment)
    }

    /// Calls `body` with each row that a statement gives, which it can use until it returns: for joins, sums, and whatever
    /// else is no record.
    public func forEachRow(sql: SQLiteStatement, _ body: (SQLiteRow) throws -> Void) throws {
        try visitRows(sql, body)
    }

    // MARK: Rows

    /// Gives each row, or the first, to `body`, and throws the first problem that it did not.
    @usableFromInline func visitRows(
        _ sql: SQLiteStatement, isOne: Bool = false, _ body: (SQLiteRow) throws -> Void
    ) throws {
        try run(sql.fragment) { statement in
            statement.notes.error = nil
            try body(SQLiteRow(statement))
            if let error = statement.notes.error { throw error }
            return !isOne
        }
    }

    private func values<Value: SQLiteConvertible>(_ fragment: Fragment, isOne: Bool = false) throws -> [Value?] {
        var values: [Value?] = []
        try run(fragment) { statement in
            let stored = statement.value(at: 0)
            if stored == .null {
                values.append(nil)
            } else if let value = Value(sqliteValue: stored) {
                values.append(value)
            } else {
                throw unexpected(stored, Value.self)
            }
            return !isOne
        }
        return values
    }

    private func unexpected(_ stored: SQLiteValue, _ type: Any.Type) -> SettingsError {
        SettingsError(
            .unexpectedRow, store: description,
            underlying: SQLiteProblem("The first column holds \(stored.kind) where \(type) is expected."))
    }
}
