import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Concurrency of storage", .timeLimit(Rounds.timeLimit))
struct StorageConcurrencyTests {
    private static let accounts = """
        CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
        INSERT INTO accounts VALUES (1, 500), (2, 500);
        """

    private static func transfer(_ amount: Int, in database: SQLiteDatabase) throws {
        let balance: Int? = try database.select(sql: "SELECT balance FROM accounts WHERE id = 1")
        sched_yield()
        try database.execute(sql: "UPDATE accounts SET balance = \((balance ?? 0) - amount) WHERE id = 1")
        try database.execute(sql: "UPDATE accounts SET balance = balance + \(amount) WHERE id = 2")
    }

    @Test(
        "Tasks and threads that write at once keep their transactions to themselves, and no more read than may",
        arguments: [0, 1, 3])
    func transfers(readers: Int) async throws {
        try await withStorage(Self.accounts, options: .with { $0.maximumReaderCount = readers }) { storage in
            let running = Recorder<Int>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for amount in 1...15 { try await storage.write { try Self.transfer(amount, in: $0) } }
                    }
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                for amount in 1...15 {
                                    #expect(throws: Never.self) {
                                        try storage.write { try Self.transfer(amount, in: $0) }
                                    }
                                }
                                continuation.resume()
                            }
                        }
                    }
                    group.addTask {
                        for _ in 0..<15 {
                            try await storage.read { database in
                                running.append(1)
                                let first: [Int] = try database.select(sql: "SELECT balance FROM accounts ORDER BY id")
                                sched_yield()
                                let second: [Int] = try database.select(sql: "SELECT balance FROM accounts ORDER BY id")
                                #expect(first == second && first.reduce(0, +) == 1000)
                                running.append(-1)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.number("SELECT balance FROM accounts WHERE id = 1") == 500 - 8 * 120)
            var (now, most) = (0, 0)
            for difference in running.all {
                now += difference
                most = max(most, now)
            }
            #expect(most <= max(1, readers))
        }
    }

    @Test("A reader does not wait for an open write, nor a writer for an open read, which sees one state throughout")
    func snapshots() async throws {
        try await withStorage(Self.accounts) { storage in
            let (hasWritten, mayCommit, mayReadAgain) = (Signal(), Gate(), Gate())
            let sql: SQLiteStatement = "SELECT balance FROM accounts WHERE id = 1"
            async let write: Void = storage.write { database in
                try database.execute(sql: "UPDATE accounts SET balance = 1")
                hasWritten.send()
                mayCommit.wait()
            }
            await hasWritten.wait()
            async let read: [Int?] = storage.read { database in
                let first: Int? = try database.select(sql: sql)
                mayCommit.open()
                mayReadAgain.wait()
                return [first, try database.select(sql: sql)]
            }
            try await write
            mayReadAgain.open()
            #expect(try await read == [500, 500])
            #expect(try await storage.number(sql) == 1)
        }
    }

    @Test("An access that waits for its turn ends at once when it is cancelled, and the others have their turns")
    func cancelledWaiters() async throws {
        try await withStorage(Self.accounts, options: .with { $0.maximumReaderCount = 1 }) { storage in
            for isWriting in [true, false] {
                let (isInside, mayEnd) = (Signal(), Gate())
                let access: @Sendable (@escaping @Sendable (SQLiteDatabase) throws -> Void) async throws -> Void = {
                    if isWriting { try await storage.write($0) } else { try await storage.read($0) }
                }
                async let first: Void = access { _ in
                    isInside.send()
                    mayEnd.wait()
                }
                await isInside.wait()
                let waiters = (0..<20).map { number in
                    Task {
                        try await access { _ in #expect(number.isMultiple(of: 2), "a cancelled task had its turn") }
                    }
                }
                for (number, waiter) in waiters.enumerated() where !number.isMultiple(of: 2) {
                    if number.isMultiple(of: 3) { await Task.yield() }
                    waiter.cancel()
                    await #expect(throws: CancellationError.self) { try await waiter.value }
                }
                mayEnd.open()
                try await first
                for (number, waiter) in waiters.enumerated() where number.isMultiple(of: 2) { try await waiter.value }
                try await access { _ in }
            }
        }
    }

    @Test("Accesses run on the queue that is configured, those of synchronous code on its thread")
    func threads() async throws {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "target")
        queue.setSpecific(key: key, value: 7)
        try await withStorage(options: .with { $0.targetQueue = queue }) { storage in
            #expect(try await storage.write { _ in DispatchQueue.getSpecific(key: key) } == 7)
            #expect(try await storage.read { _ in DispatchQueue.getSpecific(key: key) } == 7)
            try await MainActor.run {
                let writing = try storage.write { _ in pthread_self() }
                #expect(pthread_equal(writing, pthread_self()) != 0)
            }
        }
    }

    /// Never ends.
    private static let long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

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
        try await withStorage(options: .with { $0.patience = .seconds(600) }) { storage in
            let other = try OtherProgram(storage.path)
            try other.run("BEGIN IMMEDIATE")
            let task = Task { try await storage.write { try $0.insert(Note(1, "goes")) } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try other.run("COMMIT")
            #expect(try await storage.number("SELECT count(*) FROM notes") == 0)
        }
    }

    @Test("A live query that runs ends when its task is cancelled, and its connection goes on with the next access")
    func liveQuery() async throws {
        try await withStorage(options: .with { $0.maximumReaderCount = 1 }) { storage in
            for _ in 0..<5 {
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
                let count = try await storage.number("SELECT count(*) FROM notes")
                #expect(count == 0)
            }
        }
    }
}
