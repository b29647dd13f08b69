import SettingsKitCore

extension SQLiteDatabase {
    /// Inserts a record as a new row.
    ///
    /// - Returns: the row's number, which is the value of a primary key that is an integer.
    /// - Throws: `SettingsError`: `constraintViolated` if there is a row with the same primary key, for example.
    @discardableResult
    public func insert<Record: SQLiteRecord>(_ record: Record) throws -> Int64 {
        try insert(record, replacing: false)
        return try openConnection().lastRowID
    }

    /// Stores a record: in the row with its primary key, if there is one, in a new row otherwise. Of a row that is there,
    /// columns that the record does not put into it stay as they are.
    ///
    /// A table without a primary key, and a record without a value for it, gets a new row. Nil stores nothing.
    ///
    /// - Throws: `SettingsError`: `constraintViolated` if another constraint than the primary key does not allow it.
    public func save<Record: SQLiteRecord>(_ record: Record?) throws {
        if let record { try put(record) }
    }

    /// Stores several records, one after the other.
    @inlinable public func save<Record: SQLiteRecord>(_ records: some Sequence<Record>) throws {
        for record in records { try put(record) }
    }

    @usableFromInline func put<Record: SQLiteRecord>(_ record: Record) throws { try insert(record, replacing: true) }

    /// Sets columns of the records that match.
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
        try run(query.update(assignments, key: try key(of: query)))
        return try openConnection().changeCount
    }

    /// Deletes the records that match.
    ///
    /// - Returns: how many rows it were, without those that a foreign key had deleted, too.
    @discardableResult
    public func delete<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try run(query.delete(key: try key(of: query)))
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
        try run(script: script)
    }

    private func insert<Record: SQLiteRecord>(_ record: Record, replacing: Bool) throws {
        let connection = try openConnection()
        // The room of the row before, which is not there while a record that makes its row saves another.
        var row = spareRow ?? SQLiteRow()
        spareRow = nil
        defer {
            row.removeAll()
            spareRow = row
        }
        try record.save(into: &row)
        if let error = row.error { throw error }
        let insertion = try connection.insertion(into: Record.tableName, row.entries)
        guard replacing, let key = insertion.keyPositions, key.allSatisfy({ row.entries[$0].value != .null }) else {
            return try run(insertion.plain.statement(on: connection), row.entries.lazy.map(\.value))
        }
        if let update = insertion.update {
            try run(
                update.statement(on: connection),
                (insertion.otherPositions + key).lazy.map { [entries = row.entries] in entries[$0].value })
            if connection.changeCount > 0 { return }
        }
        try run(insertion.replacing.statement(on: connection), row.entries.lazy.map(\.value))
    }

    /// What tells the rows of a query's table apart, where not all of them are meant.
    private func key<Record: SQLiteRecord>(of query: SQLiteQuery<Record>) throws -> String {
        let number = "_rowid_"
        guard query.isLimited else { return number }
        let connection = try openConnection()
        do {
            _ = try connection.statement("SELECT \(number) FROM \(Identifier.quoted(Record.tableName))")
            return number
        } catch SettingsError.Code.statementFailed {
            // A table `WITHOUT ROWID` has a primary key for sure.
            let columns = try TableDescription(of: Record.tableName, on: connection)?.columns ?? []
            let names = columns.filter { $0.primaryKeyPosition > 0 }.map(\.name)
            return names.isEmpty ? number : names.map(Identifier.quoted).joined(separator: ", ")
        }
    }
}
