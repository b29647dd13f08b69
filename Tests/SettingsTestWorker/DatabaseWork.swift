import Dispatch
import Foundation
import SettingsSQLite

/// Versions of a schema that each make a table with 50 rows, and say where they are.
private struct TableVersion: SQLiteSchemaVersion {
    let number: Int
    var id: String { "v\(number)" }

    func upgrade(_ database: SQLiteDatabase) throws {
        let table = "t\(number)"
        // The one before is done.
        say("done \(number - 1)")
        try database.create(table: table) { $0.column("n", .integer) }
        for n in 0..<50 {
            try database.execute(sql: "INSERT INTO \(identifier: table) VALUES (\(n))")
            if n == 25 { say("half \(number)") }
        }
    }
}

private struct LedgerVersion: SQLiteSchemaVersion {
    let id = "ledger"

    func upgrade(_ database: SQLiteDatabase) throws {
        try database.execute(script: "CREATE TABLE left (n INTEGER); CREATE TABLE right (n INTEGER)")
    }
}

enum DatabaseWork {
    /// Opens a database with so many versions of its schema.
    static func upgrade(_ path: String, count: Int) throws {
        var options = SQLiteStorage.Options()
        options.patience = .seconds(60)
        let versions = (1...count).map { TableVersion(number: $0) }
        _ = try SQLiteStorage(at: URL(fileURLWithPath: path), versions: versions, options: options)
        say("done \(count)")
    }

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
