/// The table in which the applied versions are recorded.
extension SchemaUpgrade {
    static let table = "settingskit_versions"

    /// The ids that are recorded, in the order in which the versions were applied.
    func recordedIDs(_ connection: Connection) throws -> [String] {
        guard try TableDescription(of: Self.table, on: connection) != nil else { return [] }
        var ids: [String] = []
        let statement = try connection.statement("SELECT id FROM \(Self.table) WHERE schema = ? ORDER BY position")
        try statement.forEachRow([.text(schema)]) {
            if let id = String(sqliteValue: statement.value(at: 0)) { ids.append(id) }
            return true
        }
        return ids
    }

    func record(_ id: String, _ connection: Connection) throws {
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
        try connection.statement("INSERT INTO \(Self.table) (schema, id) VALUES (?, ?)")
            .run([.text(schema), .text(id)])
    }
}
