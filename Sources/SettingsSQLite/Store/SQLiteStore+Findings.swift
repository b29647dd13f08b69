import SettingsKitCore
import SettingsKitPlatform

extension SQLiteStore {
    /// Returns the problems of a database of settings: SQLite's quick check, and the error of opening it.
    ///
    /// Writes nothing; SQLite may create its files `-wal` and `-shm`.
    package static func findings(path: String, table: String) -> [StoreFinding] {
        do {
            let connection = try Connection(
                path: path, isReadOnly: true, patience: SQLiteTimings.patience, description: "SQLiteStore \(path)")
            defer { connection.close() }
            var findings: [StoreFinding] = []
            let check = try connection.statement("PRAGMA quick_check")
            try check.forEachRow([]) {
                if case .text(let line) = check.value(at: 0), line != "ok" {
                    findings.append(
                        StoreFinding(
                            .corruptDatabase, at: path, "SQLite's check: \(line)",
                            advice: "Restore the database, or save what is left with `sqlite3 FILE .recover`."))
                }
                return true
            }
            if findings.isEmpty { try KeyedLayout(table: table).prepare(connection) }
            return findings
        } catch {
            let error = SettingsError.wrap(error, as: .readFailed, store: "SQLiteStore \(path)")
            return [StoreFinding(.init(rawValue: error.code.name) ?? .unreadable, at: path, "\(error)", advice: "")]
        }
    }
}
