import SettingsKitCore

extension SQLiteDatabase {
    // MARK: Records

    /// Returns the first matching record; nil if there is none.
    ///
    /// - Throws: `SettingsError`: `statementFailed` if a table or a column does not exist, `unexpectedRow` if the row
    ///   is not a record of this type, `busy`, `readFailed`.
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Record? {
        try select(sql: query.first.statement)
    }

    /// Returns all matching records, in the order of the query.
    ///
    /// - Throws: as for one record; `unexpectedRow` if one of the rows is not a record of this type.
    @_disfavoredOverload @inlinable
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> [Record] {
        try select(sql: query.statement)
    }

    /// Returns the number of matching records.
    public func count<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try select(sql: SQLiteStatement(query.count())) ?? 0
    }

    /// Returns whether a record matches.
    public func exists<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Bool {
        var hasRow = false
        try run(query.first.select("1")) { _ in
            hasRow = true
            return false
        }
        return hasRow
    }

    // MARK: SQL

    /// Returns the record of a statement's first row; nil if there are no rows.
    public func select<Record: SQLiteRecord>(sql: SQLiteStatement) throws -> Record? {
        var record: Record?
        try visitRows(sql, isOne: true) { record = try Record.load(from: $0) }
        return record
    }

    /// Returns the records of a statement's rows.
    @_disfavoredOverload @inlinable
    public func select<Record: SQLiteRecord>(sql: SQLiteStatement) throws -> [Record] {
        var records: [Record] = []
        try visitRows(sql) { records.append(try Record.load(from: $0)) }
        return records
    }

    /// Returns the first column of a statement's first row; nil if there are no rows, and for `NULL`.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` for a value of another type.
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> Value? {
        let values: [Value?] = try values(sql.fragment, isOne: true)
        return values.first ?? nil
    }

    /// Returns the first column of a statement's rows.
    ///
    /// - Throws: `SettingsError` with the code `unexpectedRow` for `NULL` or a value of another type.
    @_disfavoredOverload
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> [Value] {
        try values(sql.fragment).map { (value: Value?) in
            guard let value else { throw unexpected(.null, Value.self) }
            return value
        }
    }

    /// Returns the first column of a statement's rows; nil for `NULL`.
    @_disfavoredOverload
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> [Value?] {
        try values(sql.fragment)
    }

    /// Calls `body` with each row of a statement, for joins, sums, and other rows that are not records. A row can be
    /// used until `body` returns.
    public func forEachRow(sql: SQLiteStatement, _ body: (SQLiteRow) throws -> Void) throws {
        try visitRows(sql, body)
    }

    // MARK: Rows

    /// Calls `body` with each row, or only the first, and throws the first error that `body` did not throw.
    @usableFromInline func visitRows(
        _ sql: SQLiteStatement, isOne: Bool = false, _ body: (SQLiteRow) throws -> Void
    ) throws {
        try run(sql.fragment) { statement in
            statement.notes.error = nil
            HeldLocks.requireNone(before: "the closure for a row")
            try body(SQLiteRow(statement))
            if let error = statement.notes.error { throw error }
            return !isOne
        }
    }

    private func values<Value: SQLiteConvertible>(_ fragment: Fragment, isOne: Bool = false) throws -> [Value?] {
        var values: [Value?] = []
        try run(fragment) { statement in
            let stored = statement.value(at: 0)
            HeldLocks.requireNone(before: "the conversion of a value")
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
