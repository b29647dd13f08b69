import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Inspects a database of settings. Writes nothing; SQLite may create its files `-wal` and `-shm`.
package enum DatabaseInspection {
    /// - Parameters:
    ///   - path: The path of an existing database.
    ///   - table: The table of the settings.
    ///   - now: The machine's time, in seconds since 1970.
    package static func findings(path: String, table: String, now: Int64) -> [StoreFinding] {
        let fileSystem = POSIXFileSystem()
        // The database itself may have any size: SQLite reads it.
        let file = InspectedFile(path: path, in: fileSystem, limit: -1, followingLink: true)
        var findings = file.findings(what: "The database", now: now).filter { $0.kind != .tooLarge }
        guard file.status?.kind == .file else { return findings }
        let rollBack = InspectedFile(path: path + "-journal", in: fileSystem, limit: -1, followingLink: false)
        if let status = rollBack.status, status.size > 0 {
            findings.append(
                StoreFinding(
                    .rollBackPending, .note, at: rollBack.path,
                    "A program is writing now, or died while writing.",
                    advice:
                        "SQLite undoes an unfinished change when a program opens the database. Do not delete the file.")
            )
        }
        do {
            let connection = try Connection(
                path: path, isReadOnly: true, patience: SQLiteTimings.patience, description: "SQLiteStore \(path)")
            defer { connection.close() }
            findings += try check(connection, path, table)
        } catch {
            findings.append(finding(for: error, path))
        }
        return findings
    }

    private static func check(_ connection: Connection, _ path: String, _ table: String) throws -> [StoreFinding] {
        var lines: [String] = []
        let statement = try connection.statement("PRAGMA integrity_check(\(SQLiteLimits.reportedFindings))")
        try statement.forEachRow([]) {
            if case .text(let line) = statement.value(at: 0) { lines.append(line) }
            return true
        }
        if lines != ["ok"] {
            return lines.map { line in
                StoreFinding(
                    .corruptDatabase, at: path, "SQLite's integrity check: \(line)",
                    advice: "Restore the database from a backup, or save what is left with `sqlite3 FILE .recover`.")
            }
        }
        guard try TableDescription(of: table, on: connection) != nil else {
            return [
                StoreFinding(
                    .missingTable, at: path, "The database has no table \(table).",
                    advice: "Name the table with --table. A program that opens the store for writing creates it.")
            ]
        }
        try KeyedLayout(table: table).prepare(connection, isTableRequired: true)
        return []
    }

    private static func finding(for error: any Error, _ path: String) -> StoreFinding {
        guard let error = error as? SettingsError else {
            return StoreFinding(.unreadable, at: path, "\(error)", advice: "")
        }
        let kind: StoreFinding.Kind =
            switch error.code {
            case .notADatabase: .notADatabase
            case .corruptDatabase: .corruptDatabase
            case .unexpectedTable: .unexpectedTable
            case .schemaTooNew: .schemaTooNew
            default: .unreadable
            }
        return StoreFinding(kind, at: path, "\(error)", advice: "")
    }
}
