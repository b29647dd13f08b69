/// The table in which the applied versions are recorded.
extension SchemaUpgrade {
    static let table = "settingskit_versions"
    /// The table in which GRDB records the identifiers of its migrations.
    static let tableOfGRDB = "grdb_migrations"

    /// The ids that are recorded, in the order in which the versions were applied.
    func recordedIDs(_ connection: Connection) throws -> [String] {
        try texts(
            "SELECT id FROM \(Self.table) WHERE schema = ? ORDER BY position", [.text(schema)], in: Self.table,
            connection)
    }

    /// The first column of all rows; empty if there is no such table.
    func texts(
        _ sql: String, _ parameters: [SQLiteValue], in table: String, _ connection: Connection
    ) throws -> [String] {
        guard try TableDescription(of: table, on: connection) != nil else { return [] }
        var texts: [String] = []
        let statement = try connection.statement(sql)
        try statement.forEachRow(parameters) {
            if let text = String(sqliteValue: statement.value(at: 0)) { texts.append(text) }
            return true
        }
        return texts
    }

    func record(_ ids: [String], _ connection: Connection) throws {
        if ids.isEmpty { return }
        try connection.statement(
            """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
                -- SettingsKit: the versions that were applied, in order, of each schema that has its tables here.
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                schema TEXT NOT NULL,
                id TEXT NOT NULL,
                appliedAt TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
                UNIQUE (schema, id)
            )
            """
        ).run()
        for id in ids {
            try connection.statement("INSERT INTO \(Self.table) (schema, id) VALUES (?, ?)")
                .run([.text(schema), .text(id)])
        }
    }
}
