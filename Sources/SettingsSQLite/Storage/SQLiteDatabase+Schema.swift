import SettingsKitCore

extension SQLiteDatabase {
    /// Creates a table.
    ///
    /// ```swift
    /// try database.create(table: "users") { table in
    ///     table.column("id", .integer).notNull().primaryKey()
    ///     table.column("name", .text).notNull()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - ifNotExists: Whether an existing table of that name stays unchanged. Otherwise it is an error.
    ///   - define: Defines the columns.
    public func create(
        table: String, ifNotExists: Bool = false, _ define: (SQLiteTableDefinition) throws -> Void
    ) throws {
        let definition = SQLiteTableDefinition()
        try define(definition)
        let columns = try storable { try definition.sql() }
        try run(
            Fragment("CREATE TABLE \(ifNotExists ? "IF NOT EXISTS " : "")\(Identifier.quoted(table)) (\(columns))"))
    }

    /// Adds columns to a table, renames or drops them.
    ///
    /// ```swift
    /// try database.alter(table: "users") { $0.add(column: "demo", .boolean) }
    /// ```
    public func alter(table: String, _ define: (SQLiteTableAlteration) throws -> Void) throws {
        let alteration = SQLiteTableAlteration()
        try define(alteration)
        for clause in try storable({ try alteration.clauses() }) {
            try run(Fragment("ALTER TABLE \(Identifier.quoted(table)) \(clause)"))
        }
    }

    /// Renames a table.
    public func rename(table: String, to newName: String) throws {
        try run(Fragment("ALTER TABLE \(Identifier.quoted(table)) RENAME TO \(Identifier.quoted(newName))"))
    }

    /// Removes a table and its rows.
    public func drop(table: String) throws { try run(Fragment("DROP TABLE \(Identifier.quoted(table))")) }

    /// Creates an index, to find rows by these columns without reading all of them.
    ///
    /// - Parameters:
    ///   - index: The index's name.
    ///   - table: The table.
    ///   - columns: The columns, in order.
    ///   - isUnique: Whether two rows must not have the same values in all of these columns.
    public func create(index: String, on table: String, columns: [String], isUnique: Bool = false) throws {
        let columns = columns.map(Identifier.quoted).joined(separator: ", ")
        let unique = isUnique ? "UNIQUE " : ""
        try run(
            Fragment("CREATE \(unique)INDEX \(Identifier.quoted(index)) ON \(Identifier.quoted(table)) (\(columns))"))
    }

    /// Removes an index.
    public func drop(index: String) throws { try run(Fragment("DROP INDEX \(Identifier.quoted(index))")) }

    /// Runs `text`, which fails if a default in a definition cannot be stored.
    private func storable<R>(_ text: () throws -> R) throws -> R {
        do {
            return try text()
        } catch {
            throw SettingsError.unsupportedValue(error, store: description)
        }
    }
}
