import SettingsCore

extension SQLiteDatabase {
    // MARK: Records

    /// The first record that is meant; nil if there is none.
    ///
    /// - Throws: ``SettingsError``: `statementFailed` for a table or a column that is not there, `unexpectedRow` if the row is
    ///   none of this type, `busy`, `readFailed`.
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Record? {
        let records: [Record] = try records(query.first.select("*"))
        return records.first
    }

    /// All records that are meant, in the order of the query.
    ///
    /// - Throws: as for one record; `unexpectedRow` if one of the rows is none of this type.
    @_disfavoredOverload
    public func select<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> [Record] {
        try records(query.select("*"))
    }

    /// How many records are meant.
    public func count<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try select(sql: SQLiteStatement(query.count())) ?? 0
    }

    /// Whether there is one of the records that are meant.
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
        let records: [Record] = try records(sql.fragment, isOne: true)
        return records.first
    }

    /// The records of all rows that a statement gives.
    @_disfavoredOverload
    public func select<Record: SQLiteRecord>(sql: SQLiteStatement) throws -> [Record] {
        try records(sql.fragment)
    }

    /// The first column of the first row that a statement gives; nil if it gives none, and for `NULL`.
    ///
    /// - Throws: ``SettingsError`` with the code `unexpectedRow` if it holds a value of another type.
    public func select<Value: SQLiteConvertible>(sql: SQLiteStatement) throws -> Value? {
        let values: [Value?] = try values(sql.fragment, isOne: true)
        return values.first ?? nil
    }

    /// The first column of all rows that a statement gives.
    ///
    /// - Throws: ``SettingsError`` with the code `unexpectedRow` if one holds `NULL` or a value of another type.
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
        try run(sql.fragment) { statement in
            try statement.withRow(body)
            return true
        }
    }

    // MARK: Rows

    private func records<Record: SQLiteRecord>(_ fragment: Fragment, isOne: Bool = false) throws -> [Record] {
        var records: [Record] = []
        try run(fragment) { statement in
            records.append(try statement.withRow(Record.load))
            return !isOne
        }
        return records
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
            .unexpectedRow,
            underlying: SQLiteProblem("The first column holds \(stored.kind) where \(type) is expected."))
    }
}

extension Statement {
    /// Gives the present row to `body`, and throws the first problem that it did not.
    fileprivate func withRow<R>(_ body: (SQLiteRow) throws -> R) throws -> R {
        notes.error = nil
        let result = try body(SQLiteRow(self))
        if let error = notes.error { throw error }
        return result
    }
}
