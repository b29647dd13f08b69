import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Concurrency of cancellation", .timeLimit(Rounds.timeLimit))
struct CancellationConcurrencyTests {
    /// Never ends.
    private static let long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    private static var options: SQLiteStorage.Options {
        var options = SQLiteStorage.Options()
        options.maximumReaderCount = 1
        options.patience = .seconds(600)
        return options
    }

    @Test("A running query ends when its task is cancelled, and the connection goes on with the next access")
    func read() async throws {
        try await withStorage(options: Self.options) { storage in
            for _ in 0..<5 {
                let isInside = Signal()
                let task = Task {
                    try await storage.read { database in
                        isInside.send()
                        let _: Int? = try database.select(sql: SQLiteStatement(Self.long))
                    }
                }
                await isInside.wait()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                let count = try await storage.number("SELECT count(*) FROM notes")
                #expect(count == 0)
            }
        }
    }

    @Test(
        "A cancelled write rolls back, whether SQLite or the closure is busy, and whatever the closure catches",
        arguments: [true, false])
    func write(isInQuery: Bool) async throws {
        try await withStorage { storage in
            let (isInside, mayEnd) = (Signal(), Gate())
            let task = Task {
                try await storage.write { database in
                    try database.insert(Note(1, "goes"))
                    isInside.send()
                    if isInQuery {
                        let _: Int? = try? database.select(sql: SQLiteStatement(Self.long))
                    } else {
                        mayEnd.wait()
                    }
                    _ = try? database.insert(Note(2, "goes"))
                }
            }
            await isInside.wait()
            task.cancel()
            mayEnd.open()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 0)
            try await storage.write { try $0.insert(Note(1, "stays")) }
        }
    }

    @Test("An access that waits for another process ends when its task is cancelled")
    func waitingForOthers() async throws {
        try await withStorage(options: Self.options) { storage in
            let other = try OtherProgram(storage.path)
            try other.run("BEGIN IMMEDIATE")
            let tasks = (0..<3).map { number in
                Task { try await storage.write { try $0.insert(Note(number, "goes")) } }
            }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            try other.run("COMMIT")
            #expect(try await storage.number("SELECT count(*) FROM notes") == 0)
        }
    }

    @Test("A live query that runs ends when its task is cancelled")
    func liveQuery() async throws {
        try await withStorage { storage in
            let isInside = Signal()
            let task = Task {
                for await _ in storage.values({ database -> Int? in
                    isInside.send()
                    return try database.select(sql: SQLiteStatement(Self.long))
                }) {
                    Issue.record("the query ended")
                }
            }
            await isInside.wait()
            task.cancel()
            await task.value
        }
    }
}
