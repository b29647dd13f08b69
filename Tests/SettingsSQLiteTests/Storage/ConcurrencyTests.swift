import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Concurrency of storage")
struct StorageConcurrencyTests {
    private static let accounts = """
        CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
        INSERT INTO accounts VALUES (1, 500), (2, 500);
        """

    @Test("Tasks that write at once keep their transactions to themselves", arguments: [1, 5])
    func transfers(readers: Int) async throws {
        var options = SQLiteStorage.Options()
        options.maximumReaderCount = readers
        try await withStorage(Self.accounts, options: options) { storage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for amount in 1...15 {
                            try await storage.write { database in
                                let balance: Int? = try database.select(
                                    sql: "SELECT balance FROM accounts WHERE id = 1")
                                sched_yield()
                                try database.execute(
                                    sql: "UPDATE accounts SET balance = \((balance ?? 0) - amount) WHERE id = 1")
                                sched_yield()
                                try database.execute(
                                    sql: "UPDATE accounts SET balance = balance + \(amount) WHERE id = 2")
                            }
                        }
                    }
                    group.addTask {
                        for _ in 0..<15 {
                            try await storage.read { database in
                                let first: [Int] = try database.select(sql: "SELECT balance FROM accounts ORDER BY id")
                                sched_yield()
                                let second: [Int] = try database.select(sql: "SELECT balance FROM accounts ORDER BY id")
                                #expect(first == second && first.reduce(0, +) == 1000)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.number("SELECT balance FROM accounts WHERE id = 1") == 500 - 8 * 120)
        }
    }

    @Test("Readers do not wait for an open write, and see one state throughout; the writer does not wait for them")
    func snapshots() async throws {
        try await withStorage(Self.accounts) { storage in
            let (hasWritten, mayCommit, hasRead, mayReadAgain) = (Signal(), Gate(), Signal(), Gate())
            let sql: SQLiteStatement = "SELECT balance FROM accounts WHERE id = 1"
            async let write: Void = storage.write { database in
                try database.execute(sql: "UPDATE accounts SET balance = 1")
                hasWritten.send()
                mayCommit.wait()
            }
            await hasWritten.wait()
            #expect(try await storage.number(sql) == 500)
            async let read: [Int?] = storage.read { database in
                let first: Int? = try database.select(sql: sql)
                hasRead.send()
                mayReadAgain.wait()
                return [first, try database.select(sql: sql)]
            }
            await hasRead.wait()
            mayCommit.open()
            try await write
            #expect(try await storage.number(sql) == 1)
            try await storage.write { try $0.execute(sql: "UPDATE accounts SET balance = 2") }
            mayReadAgain.open()
            #expect(try await read == [500, 500])
            #expect(try await storage.number(sql) == 2)
        }
    }

    @Test("No more reads run at a time than are allowed, and those that wait have their turns", arguments: [0, 1, 3])
    func readerCount(limit: Int) async throws {
        var options = SQLiteStorage.Options()
        options.maximumReaderCount = limit
        try await withStorage(Self.accounts, options: options) { storage in
            let counts = Guarded((running: 0, most: 0, done: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await storage.read { database in
                            counts.withLock {
                                $0.running += 1
                                $0.most = max($0.most, $0.running)
                            }
                            let _: Int? = try database.select(sql: "SELECT count(*) FROM accounts")
                            for _ in 0..<10 { sched_yield() }
                            counts.withLock {
                                $0.running -= 1
                                $0.done += 1
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(counts.withLock { $0.most } <= max(1, limit))
            #expect(counts.withLock { $0.done } == 40)
        }
    }

    @Test("An access that waits for its turn ends at once when it is cancelled, and the others have their turns")
    func cancelledWaiters() async throws {
        var options = SQLiteStorage.Options()
        options.maximumReaderCount = 1
        options.patience = .seconds(600)
        try await withStorage(Self.accounts, options: options) { storage in
            for isWriting in [true, false] {
                let (isInside, mayEnd) = (Signal(), Gate())
                let access: @Sendable (@escaping @Sendable (SQLiteDatabase) throws -> Void) async throws -> Void =
                    {
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

    @Test("Nothing is lost when tasks are cancelled at any moment")
    func cancelledAnywhere() async throws {
        try await withStorage { storage in
            let acknowledged = Guarded(Set<String>())
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for number in 0..<20 {
                            let name = "\(writer) \(number)"
                            let task = Task {
                                try await storage.write { database in
                                    try database.insert(Note(nil, name))
                                    sched_yield()
                                }
                                acknowledged.withLock { _ = $0.insert(name) }
                            }
                            if number.isMultiple(of: 2) {
                                for _ in 0..<number { await Task.yield() }
                                task.cancel()
                            }
                            let result = await task.result
                            if case .failure(let error) = result { #expect(error is CancellationError) }
                        }
                    }
                }
            }
            let stored = try await storage.texts("SELECT text FROM notes")
            #expect(Set(stored) == acknowledged.withLock { $0 } && stored.count == Set(stored).count)
            #expect(stored.count >= 60)
        }
    }

    @Test("Several storages of one file write at once, and wait for each other")
    func severalStorages() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let version = ScriptVersion("1", "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)")
            var options = SQLiteStorage.Options()
            options.patience = .seconds(Int64.max)
            let opening = options
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let storage = try SQLiteStorage(at: url, versions: [version], options: opening)
                        for _ in 0..<20 {
                            try await storage.write { database in
                                let n: Int? = try database.select(sql: "SELECT n FROM counter")
                                try database.execute(sql: "UPDATE counter SET n = \((n ?? 0) + 1)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let storage = try SQLiteStorage(at: url, versions: [version])
            #expect(try await storage.number("SELECT sum(n) FROM counter") == 120)
        }
    }

    @Test("Accesses run on the queue that is configured", arguments: [true, false])
    func targetQueue(isConcurrent: Bool) async throws {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "target", attributes: isConcurrent ? .concurrent : [])
        queue.setSpecific(key: key, value: 7)
        var options = SQLiteStorage.Options()
        options.targetQueue = queue
        try await withStorage(options: options) { storage in
            try await storage.write { database in
                #expect(DispatchQueue.getSpecific(key: key) == 7)
                try database.insert(Note(1, "a"))
            }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 1)
            let onMain = try await readOnMain(storage, key)
            #expect(onMain == 7)
        }
    }

    /// A view model as the guide has it: it handles errors where it has its state.
    @MainActor private final class Model {
        private(set) var texts: [String] = []
        private(set) var problem: String?

        func load(_ sql: SQLiteStatement, from storage: SQLiteStorage) async {
            let texts: [String]? = await storage.read {
                try $0.select(sql: sql)
            } catch: {
                problem = "\($0)"
            }
            self.texts = texts ?? []
        }

        func insert(_ note: Note, into storage: SQLiteStorage) async {
            await storage.write {
                try $0.insert(note)
            } catch: {
                problem = "\($0)"
            }
        }
    }

    @Test("The handler for errors runs where the caller runs, so it may use a view model's state")
    func handlerOnMain() async throws {
        try await withStorage { storage in
            let model = Model()
            for _ in 0..<2 { await model.insert(Note(1, "one"), into: storage) }
            await model.load("SELECT text FROM notes", from: storage)
            #expect(await model.texts == ["one"])
            #expect(await model.problem?.contains("constraintViolated") == true)
        }
    }

    @MainActor private func readOnMain(_ storage: SQLiteStorage, _ key: DispatchSpecificKey<Int>) async throws -> Int? {
        try await storage.read { _ in DispatchQueue.getSpecific(key: key) }
    }
}
