import SettingsCore

extension SQLiteDatabase {
    /// Inserts a record as a new row.
    ///
    /// - Returns: the row's number, which is the value of a primary key that is an integer.
    /// - Throws: ``SettingsError``: `constraintViolated` if there is a row with the same primary key, for example.
    @discardableResult
    public func insert<Record: SQLiteRecord>(_ record: Record) throws -> Int64 {
        let entries = try entries(of: record)
        try run(insertion(into: Record.tableName, entries))
        return try openConnection().lastRowID
    }

    /// Stores a record: in the row with its primary key, if there is one, in a new row otherwise. Of a row that is there,
    /// columns that the record does not put into it stay as they are.
    ///
    /// A table without a primary key, and a record without a value for it, gets a new row. Nil stores nothing.
    ///
    /// - Throws: ``SettingsError``: `constraintViolated` if another constraint than the primary key does not allow it.
    public func save<Record: SQLiteRecord>(_ record: Record?) throws {
        guard let record else { return }
        let entries = try entries(of: record)
        var fragment = insertion(into: Record.tableName, entries)
        let key = try openConnection().primaryKey(of: Record.tableName)
        let isComplete = key.allSatisfy { column in
            entries.contains { $0.name.lowercased() == column && $0.value != .null }
        }
        if !key.isEmpty && isComplete {
            let others = entries.map(\.name).filter { !key.contains($0.lowercased()) }.map(Identifier.quoted)
            fragment.append(" ON CONFLICT (\(key.map(Identifier.quoted).joined(separator: ", "))) DO ")
            fragment.append(
                others.isEmpty
                    ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        }
        try run(fragment)
    }

    /// Stores several records, as ``save(_:)-(Record?)`` does.
    public func save<Record: SQLiteRecord>(_ records: some Sequence<Record>) throws {
        for record in records { try save(record) }
    }

    /// Sets columns of the records that are meant.
    ///
    /// ```swift
    /// try database.update(User.where(Column("id") == 7), set: [Column("name").set(to: "Ann")])
    /// ```
    ///
    /// - Returns: how many rows it were.
    @discardableResult
    public func update<Record: SQLiteRecord>(
        _ query: SQLiteQuery<Record>, set assignments: [SQLiteAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        try run(query.update(assignments))
        return try openConnection().changeCount
    }

    /// Deletes the records that are meant.
    ///
    /// - Returns: how many rows it were, without those that a foreign key had deleted, too.
    @discardableResult
    public func delete<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try run(query.delete())
        return try openConnection().changeCount
    }

    /// Runs one statement that gives no rows, or whose rows are of no interest.
    ///
    /// Transactions are not for it to begin or end.
    ///
    /// - Returns: how many rows the statement has changed, if it is one that changes rows.
    @discardableResult
    public func execute(sql: SQLiteStatement) throws -> Int {
        try run(sql.fragment)
        return try openConnection().changeCount
    }

    /// Runs all statements of a script of the program's own, one after the other.
    public func execute(script: String) throws {
        try openConnection().run(script: script) { statement in
            try requireTransaction()
            try prepare(statement)
        }
    }

    private func entries<Record: SQLiteRecord>(of record: Record) throws -> [(name: String, value: SQLiteValue)] {
        var row = SQLiteRow()
        try record.save(into: &row)
        if let error = row.error { throw error }
        return row.entries
    }

    private func insertion(into table: String, _ entries: [(name: String, value: SQLiteValue)]) -> Fragment {
        var fragment = Fragment("INSERT INTO \(Identifier.quoted(table)) ")
        guard !entries.isEmpty else {
            fragment.append("DEFAULT VALUES")
            return fragment
        }
        fragment.append("(\(entries.map { Identifier.quoted($0.name) }.joined(separator: ", "))) VALUES ")
        fragment.append(list: entries.map(\.value))
        return fragment
    }
}
