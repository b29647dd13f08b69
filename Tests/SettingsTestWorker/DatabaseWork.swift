import Dispatch
import Foundation
import SettingsSQLite

private struct LedgerVersion: SQLiteSchemaVersion {
    let id = "ledger"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.execute(script: "CREATE TABLE left (n INTEGER); CREATE TABLE right (n INTEGER)")
    }
}

enum DatabaseWork {
    /// Writes 20 rows of each of two tables at a time, and says so when it is done, for ever.
    static func write(_ path: String) async throws {
        let storage = try SQLiteStorage(at: URL(fileURLWithPath: path), versions: [LedgerVersion()])
        while true {
            let number = try await storage.write { database in
                let last: Int? = try database.select(sql: "SELECT max(n) FROM left")
                let number = (last ?? 0) + 1
                for _ in 0..<20 {
                    try database.execute(sql: "INSERT INTO left VALUES (\(number))")
                    sched_yield()
                    try database.execute(sql: "INSERT INTO right VALUES (\(number))")
                }
                return number
            }
            say("\(number)")
        }
    }

    /// Inserts one row of `notes`.
    static func insert(_ path: String, _ id: Int, _ text: String) async throws {
        let storage = try SQLiteStorage(at: URL(fileURLWithPath: path))
        try await storage.write { try $0.execute(sql: "INSERT INTO notes VALUES (\(id), \(text))") }
    }

    /// Runs a task, and exits in order when it is done.
    static func run(_ body: @escaping @Sendable () async throws -> Void) -> Never {
        Task.detached {
            do {
                try await body()
                exit(0)
            } catch {
                say("\(error)")
                exit(1)
            }
        }
        dispatchMain()
    }
}
