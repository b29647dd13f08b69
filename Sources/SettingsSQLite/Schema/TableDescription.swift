/// A table of a database, as the database describes it.
struct TableDescription {
    struct Column {
        let name: String
        let isNotNull: Bool
        let hasDefault: Bool
        /// The column's position in the primary key, from 1; 0 for other columns.
        let primaryKeyPosition: Int
        /// The declared type.
        let type: String

        /// Whether inserting a row requires a value for the column. (A primary key may generate one.)
        var isRequired: Bool { isNotNull && !hasDefault }
    }

    /// The text of the `CREATE` statement.
    let definition: String
    let columns: [Column]

    /// Nil if there is no such table.
    init?(of table: String, on connection: Connection) throws {
        var definition: String?
        let master = try connection.statement(
            "SELECT sql FROM sqlite_master WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE")
        try master.forEachRow([.text(table)]) {
            definition = String(sqliteValue: master.value(at: 0)) ?? ""
            return false
        }
        guard let definition else { return nil }
        self.definition = definition
        var columns: [Column] = []
        let info = try connection.statement("SELECT name, \"notnull\", dflt_value, pk, type FROM pragma_table_info(?)")
        try info.forEachRow([.text(table)]) {
            columns.append(
                Column(
                    name: String(sqliteValue: info.value(at: 0)) ?? "",
                    isNotNull: info.value(at: 1) == .integer(1), hasDefault: info.value(at: 2) != .null,
                    primaryKeyPosition: Int(sqliteValue: info.value(at: 3)) ?? 0,
                    type: String(sqliteValue: info.value(at: 4)) ?? ""))
            return true
        }
        self.columns = columns
    }

    /// The column with a name; case does not matter to SQLite.
    func column(named name: String) -> Column? {
        columns.first { Identifier.areSame($0.name, name) }
    }
}
