import SettingsKitCore

/// Applies versions of a schema, and records their ids in the database.
struct SchemaUpgrade {
    private let versions: [any SQLiteSchemaVersion]
    /// The table in which the applied versions are recorded.
    private static let table = "settingskit_versions"
    /// The name of the list of versions. A database may have several.
    private let schema: String
    private let checksForeignKeys: Bool

    /// - Precondition: No two versions have the same id.
    init(_ versions: [any SQLiteSchemaVersion], of schema: String, checksForeignKeys: Bool) {
        let ids = versions.map(\.id)
        precondition(Set(ids).count == ids.count, "Two versions of a database's schema have the same id.")
        self.versions = versions
        self.schema = schema
        self.checksForeignKeys = checksForeignKeys
    }

    /// Opens a database, creates it if it is missing, and upgrades it.
    func run(at path: String, description: String) throws {
        try DatabaseFile.prepare(path, store: description)
        try run(
            on: Connection(
                path: path, isReadOnly: false, patience: SQLiteTimings.patience, description: description))
    }

    /// Applies the versions that a database lacks, and makes it keep a write-ahead log.
    ///
    /// - Throws: `SettingsError` with the code `newerVersion`, `schemaTooOld` or `schemaUpgradeFailed`.
    func run(on connection: Connection) throws {
        // Usually there is nothing to do, and no lock to wait for.
        let missing =
            versions.isEmpty ? [] : try connection.transaction(writing: false) { try missingVersions(connection) }
        guard missing.isEmpty || !connection.isReadOnly else {
            throw SettingsError(
                .schemaTooOld, store: connection.description,
                underlying: SQLiteProblem(
                    "It lacks \(missing.map(\.id).joined(separator: ", ")) but is opened read-only."))
        }
        if connection.isReadOnly { return }
        // Not earlier: a refused database must stay unchanged, including its journal mode.
        try connection.useWriteAheadLog()
        if missing.isEmpty { return }
        // A table can then be rebuilt without deleting rows of others. Broken references are found afterwards.
        try connection.set(pragma: "foreign_keys = OFF")
        for version in missing { try apply(version, connection) }
    }

    private func apply(_ version: any SQLiteSchemaVersion, _ connection: Connection) throws {
        do {
            try connection.transaction(writing: true) {
                // Another process may have been faster.
                guard try missingVersions(connection).contains(where: { $0.id == version.id }) else { return }
                let database = SQLiteDatabase(connection, isWriting: true)
                defer { database.end() }
                HeldLocks.requireNone(before: "a schema version")
                try version.upgrade(database)
                try database.requireTransaction()
                if checksForeignKeys { try checkForeignKeys(connection) }
                try record(version.id, connection)
            }
        } catch let error as SettingsError where [.busy, .newerVersion].contains(error.code) {
            throw error
        } catch {
            throw SettingsError(
                .schemaUpgradeFailed, store: "\(connection.description), version \(version.id)", underlying: error)
        }
    }

    /// The versions to apply, in order. Unknown ones before the last known one are older than this program's.
    ///
    /// - Throws: `SettingsError` with the code `newerVersion`.
    private func missingVersions(_ connection: Connection) throws -> [any SQLiteSchemaVersion] {
        let (recorded, known) = (try recordedIDs(connection), Set(versions.map(\.id)))
        let newer = recorded[((recorded.lastIndex(where: known.contains) ?? -1) + 1)...]
        guard newer.isEmpty else {
            throw SettingsError(
                .newerVersion, store: connection.description,
                underlying: SQLiteProblem("Not known here: \(newer.joined(separator: ", "))."))
        }
        return versions.filter { !recorded.contains($0.id) }
    }

    private func checkForeignKeys(_ connection: Connection) throws {
        let check = try connection.statement("SELECT \"table\", \"parent\" FROM pragma_foreign_key_check")
        try check.forEachRow([]) {
            let (table, parent) = (String(sqliteValue: check.value(at: 0)), String(sqliteValue: check.value(at: 1)))
            throw SettingsError(
                .constraintViolated, store: connection.description,
                underlying: SQLiteProblem(
                    "Rows of \(table ?? "?") refer to rows of \(parent ?? "?") that do not exist."))
        }
    }

    // MARK: The table

    /// The ids that are recorded, in the order in which the versions were applied.
    private func recordedIDs(_ connection: Connection) throws -> [String] {
        guard try TableDescription(of: Self.table, on: connection) != nil else { return [] }
        var ids: [String] = []
        let statement = try connection.statement("SELECT id FROM \(Self.table) WHERE schema = ? ORDER BY position")
        try statement.forEachRow([.text(schema)]) {
            if let id = String(sqliteValue: statement.value(at: 0)) { ids.append(id) }
            return true
        }
        return ids
    }

    private func record(_ id: String, _ connection: Connection) throws {
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
