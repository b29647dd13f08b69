import SettingsKitCore

extension SQLiteDatabase {
    /// Inserts a record as a new row.
    ///
    /// - Returns: the row's number, which is the value of an integer primary key.
    /// - Throws: `SettingsError`: for example `constraintViolated` if there is a row with the same primary key.
    @discardableResult
    public func insert<Record: SQLiteRecord>(_ record: Record) throws -> Int64 {
        _ = try insert(record, replacing: false)
        return try openConnection().lastRowID
    }

    /// Stores a record: updates the row with its primary key, or inserts a new one. In an existing row, columns that
    /// the record omits keep their values.
    ///
    /// If the table has no primary key, or the record no value for it, a row is inserted. Nil stores nothing.
    ///
    /// - Returns: the row's number, which is the value of an integer primary key; nil if the primary key is something else.
    /// - Throws: `SettingsError`: `constraintViolated` if a constraint other than the primary key forbids it.
    @discardableResult
    public func save<Record: SQLiteRecord>(_ record: Record?) throws -> Int64? {
        try record.flatMap { try insert($0, replacing: true) }
    }

    /// Stores several records, one after the other.
    @inlinable public func save<Record: SQLiteRecord>(_ records: some Sequence<Record>) throws {
        for record in records { try put(record) }
    }

    @usableFromInline func put<Record: SQLiteRecord>(_ record: Record) throws {
        _ = try insert(record, replacing: true)
    }

    /// Updates columns of the matching records.
    ///
    /// ```swift
    /// try database.update(User.where(Column("id") == 7), set: [Column("name").set(to: "Ann")])
    /// ```
    ///
    /// - Returns: the number of rows updated.
    @discardableResult
    public func update<Record: SQLiteRecord>(
        _ query: SQLiteQuery<Record>, set assignments: [SQLiteAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        try run(query.update(assignments))
        return try openConnection().changeCount
    }

    /// Deletes the matching records.
    ///
    /// - Returns: the number of rows deleted, without those that a foreign key has deleted.
    @discardableResult
    public func delete<Record: SQLiteRecord>(_ query: SQLiteQuery<Record>) throws -> Int {
        try run(query.delete())
        return try openConnection().changeCount
    }

    /// Runs one statement, and ignores its rows.
    ///
    /// The statement must not begin or end a transaction.
    ///
    /// - Returns: the number of rows changed, if the statement changes rows.
    @discardableResult
    public func execute(sql: SQLiteStatement) throws -> Int {
        try run(sql.fragment)
        return try openConnection().changeCount
    }

    /// Runs all statements of a script, in order.
    public func execute(script: String) throws {
        try run(script: script)
    }

    // MARK: Settings

    /// Sets a setting of a ``SQLiteStore`` on the same file, as a part of this write: both are stored, or neither is.
    ///
    /// ```swift
    /// try await storage.write {
    ///     try $0.save(user)
    ///     try $0.set(.userCount, to: 7)
    /// }
    /// ```
    ///
    /// When the write has returned, the file's open stores of this process have the value. Their listeners are called then or a moment
    /// later, as for a change of another process. The setting's scope is not used.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - value: The value.
    ///   - table: The table of the store. It is created if it is missing.
    /// - Throws: `SettingsError`: `invalidValue` if the setting's validation rejects the value, `encodingFailed`; `unexpectedTable`
    ///   or `newerVersion` if the table is not one of settings; `busy`, `diskFull`, `writeFailed`.
    public func set<Value>(
        _ setting: SettingsService.Setting<Value>, to value: Value, table: String = "settings"
    ) throws {
        let connection = try openConnection()
        let data = try setting.bytes(for: value)
        let layout = KeyedLayout(table: table)
        if !isWriting { throw SettingsError(.readOnly, store: description) }
        if settingsTables.insert(table).inserted { try layout.prepare(connection) }
        var name = setting.key.name
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // The row may have another spelling of the name.
            name = try layout.contents(on: connection).keys.first { $0 == name } ?? name
        }
        let (statement, values) = try layout.statement(for: data, under: name, on: connection)
        try run(statement, values)
    }

    // MARK: Inserting

    /// - Returns: the row's number; nil if it has a primary key that is not an integer.
    private func insert<Record: SQLiteRecord>(_ record: Record, replacing: Bool) throws -> Int64? {
        let connection = try openConnection()
        // The memory of the last row. It is in use while a record that saves itself saves another.
        var row = spareRow ?? SQLiteRow()
        spareRow = nil
        defer {
            row.removeAll()
            spareRow = row
        }
        HeldLocks.requireNone(before: "a record's function")
        try record.save(into: &row)
        if let error = row.error { throw error }
        let insertion = try insertion(into: Record.tableName, row.entries)
        let isFound = replacing && insertion.keyPositions.allSatisfy { row.entries[$0].value != .null }
        guard isFound, let replace = insertion.replacing else {
            try run(insertion.plain, row.entries.lazy.map(\.value))
            return connection.lastRowID
        }
        var number: Int64?
        if insertion.keyPositions.count == 1, case .integer(let key) = row.entries[insertion.keyPositions[0]].value {
            number = key
        }
        if let update = insertion.update {
            try run(update, insertion.updatePositions.lazy.map { [entries = row.entries] in entries[$0].value })
            if connection.changeCount > 0 { return number }
        }
        try run(replace, row.entries.lazy.map(\.value))
        return number
    }
}
