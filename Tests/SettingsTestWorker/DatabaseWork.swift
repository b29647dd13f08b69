import Dispatch
import Foundation
import SettingsSQLite

enum DatabaseWork {
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
