import SettingsCore

/// Applies versions of a schema, and notes which have been.
struct SchemaUpgrade {
    static let table = "settingskit_versions"

    private let versions: [any SQLiteSchemaVersion]
    /// Whose versions they are: several lists may be noted in one database.
    private let schema: String
    private let checksForeignKeys: Bool

    /// - Precondition: no two versions have the same id.
    init(_ versions: [any SQLiteSchemaVersion], of schema: String, checksForeignKeys: Bool) {
        precondition(
            Set(versions.map(\.id)).count == versions.count, "Two versions of a database's schema have the same id.")
        self.versions = versions
        self.schema = schema
        self.checksForeignKeys = checksForeignKeys
    }

    /// Opens a database, makes it if it is not there, and upgrades it.
    func run(at path: String, description: String) throws {
        try DatabaseFile.make(path, store: description)
        let connection = try Connection(
            path: path, isReadOnly: false, patience: MirroredSettings.patience, description: description)
        try run(on: connection, patience: MirroredSettings.patience)
    }

    /// Applies the versions that a database lacks, and has it keep a write-ahead log from now on.
    ///
    /// - Throws: `SettingsError` with the code `schemaTooNew`, `schemaTooOld` or `schemaUpgradeFailed`.
    func run(on connection: Connection, patience: Duration) throws {
        // Most often there is nothing to do, and no lock to wait for.
        let missing =
            versions.isEmpty ? [] : try connection.transaction(writing: false) { try missingVersions(connection) }
        guard missing.isEmpty || !connection.isReadOnly else {
            throw SettingsError(
                .schemaTooOld, store: connection.description,
                underlying: SQLiteProblem("It lacks: \(missing.map(\.id).joined(separator: ", "))."))
        }
        // Not before: what is refused stays as it is, the way in which it keeps its journal included.
        try connection.useWriteAheadLog(patience: patience)
        if missing.isEmpty { return }
        // A table can be made anew without the rows of others being deleted; what is broken afterwards is found.
        try connection.set(pragma: "foreign_keys = OFF")
        for version in missing { try apply(version, connection) }
    }

    private func apply(_ version: any SQLiteSchemaVersion, _ connection: Connection) throws {
        do {
            try connection.transaction(writing: true) {
                // Another process may have been quicker.
                guard try missingVersions(connection).contains(where: { $0.id == version.id }) else { return }
                let database = SQLiteDatabase(connection, isWriting: true)
                defer { database.end() }
                try version.upgrade(database)
                try database.requireTransaction()
                if checksForeignKeys { try checkForeignKeys(connection) }
                try note(version, connection)
            }
        } catch let error as SettingsError where [.busy, .schemaTooNew].contains(error.code) {
            throw error
        } catch {
            throw SettingsError(
                .schemaUpgradeFailed, store: "\(connection.description), version \(version.id)", underlying: error)
        }
    }

    /// The versions that were not applied yet, in order.
    private func missingVersions(_ connection: Connection) throws -> [any SQLiteSchemaVersion] {
        let applied = try appliedVersions(connection)
        let known = Set(versions.map(\.id))
        // What was applied after the last version that is known is newer; what was before was dropped from the program.
        if let last = applied.lastIndex(where: known.contains), last < applied.count - 1 {
            let newer = applied[(last + 1)...].joined(separator: ", ")
            throw SettingsError(
                .schemaTooNew, store: connection.description, underlying: SQLiteProblem("Not known here: \(newer)."))
        }
        return versions.filter { !applied.contains($0.id) }
    }

    /// The ids that are noted, in the order in which the versions were applied.
    private func appliedVersions(_ connection: Connection) throws -> [String] {
        guard try TableDescription(of: Self.table, on: connection) != nil else { return [] }
        var ids: [String] = []
        let statement = try connection.statement("SELECT id FROM \(Self.table) WHERE schema = ? ORDER BY position")
        try statement.forEachRow([.text(schema)]) {
            if let id = String(sqliteValue: statement.value(at: 0)) { ids.append(id) }
            return true
        }
        return ids
    }

    private func note(_ version: any SQLiteSchemaVersion, _ connection: Connection) throws {
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
            .run([.text(schema), .text(version.id)])
    }

    private func checkForeignKeys(_ connection: Connection) throws {
        let check = try connection.statement("SELECT \"table\", \"parent\" FROM pragma_foreign_key_check")
        try check.forEachRow([]) {
            let (table, parent) = (String(sqliteValue: check.value(at: 0)), String(sqliteValue: check.value(at: 1)))
            throw SettingsError(
                .constraintViolated, store: connection.description,
                underlying: SQLiteProblem(
                    "Rows of \(table ?? "?") refer to rows of \(parent ?? "?") that are not there."))
        }
    }
}
