import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Reading and writing without await")
struct SynchronousAccessTests {
    private func options(timeout: Duration, readers: Int = 5) -> SQLiteStorage.Options {
        var options = SQLiteStorage.Options()
        options.patience = timeout
        options.maximumReaderCount = readers
        return options
    }

    /// A value before the first frame, as a program reads it.
    private func names(in storage: SQLiteStorage) throws -> [String] {
        try storage.write { try $0.save(User(id: 7, name: "Ann")) }
        let user: User? = try storage.read { try $0.select(User.where(Column("id") == 7)) }
        #expect(user?.name == "Ann")
        return try storage.read { try $0.select(sql: "SELECT name FROM users") }
    }

    @Test("A value is read and written on the calling thread, also on the main thread")
    func atOnce() async throws {
        try await withTemporaryFolder { folder in
            let storage = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [V01(), V02()])
            try await MainActor.run {
                #expect(try names(in: storage) == ["Ann"])
                let reading = try storage.read { _ in pthread_self() }
                let writing = try storage.write { _ in pthread_self() }
                #expect(pthread_equal(reading, pthread_self()) != 0 && pthread_equal(writing, pthread_self()) != 0)
            }
        }
    }

    @Test("What a write without await does is stored wholly, or not at all when it throws, and listeners are notified")
    func allOrNothing() async throws {
        try await withStorage { storage in
            var texts = storage.values { try $0.select(sql: "SELECT text FROM notes") as [String] }
                .makeAsyncIterator()
            #expect(await texts.next() == [])
            func write(failing: Bool) throws {
                try storage.write { database in
                    try database.insert(Note(nil, "text"))
                    if failing { throw CancellationError() }
                }
            }
            #expect(throws: CancellationError.self) { try write(failing: true) }
            try write(failing: false)
            #expect(await texts.next() == ["text"])
        }
    }

    @Test(
        "An access waits for those before it no longer than the busy time-out, with and without await",
        arguments: [true, false])
    func bounded(isWriting: Bool) async throws {
        let options = options(timeout: .milliseconds(300), readers: 1)
        try await withStorage(options: options) { storage in
            let (isInside, mayEnd) = (Signal(), Gate())
            let stuck: @Sendable (SQLiteDatabase) throws -> Void = { _ in
                isInside.send()
                mayEnd.wait()
            }
            async let first: Void = isWriting ? storage.write(stuck) : storage.read(stuck)
            await isInside.wait()
            let start = ContinuousClock.now
            await expect(.busy, saying: storage.path) {
                if isWriting { try await storage.write { _ in } } else { try await storage.read { _ in } }
            }
            #expect(ContinuousClock.now - start >= .milliseconds(290))
            func access() throws {
                if isWriting { try storage.write { _ in } } else { try storage.read { _ in } }
            }
            expectError(.busy) { try access() }
            if isWriting { await expect(.busy) { try await storage.synchronize() } }
            #expect(ContinuousClock.now - start < .seconds(60))
            mayEnd.open()
            try await first
            try access()
        }
    }

    @Test("Accesses that wait have their turn as long as those before them end, however many there are")
    func manyInTurn() async throws {
        let timeout = Duration.seconds(3)
        try await withStorage(options: options(timeout: timeout)) { storage in
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<45 { group.addTask { try await storage.write { _ in _ = usleep(80_000) } } }
                try await group.waitForAll()
            }
            // The last has waited for longer than the time-out.
            #expect(ContinuousClock.now - start > timeout + .milliseconds(80))
        }
    }

    @Test("Threads that write without await lose nothing, beside tasks that write with it")
    func threads() async throws {
        try await withStorage("CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)") { storage in
            let count: @Sendable (SQLiteDatabase) throws -> Void = { database in
                let n: Int? = try database.select(sql: "SELECT n FROM counter")
                try database.execute(sql: "UPDATE counter SET n = \((n ?? 0) + 1)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                for _ in 0..<100 { #expect(throws: Never.self) { try storage.write(count) } }
                                continuation.resume()
                            }
                        }
                    }
                    group.addTask { for _ in 0..<100 { try await storage.write(count) } }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.number("SELECT n FROM counter") == 400)
        }
    }

    @Test("Another process that keeps the database locked makes a write without await busy, and no read")
    func otherProcess() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(
                at: url, versions: [notesSchema], options: options(timeout: .milliseconds(200)))
            let worker = try Worker("hold", url.path)
            await worker.wait(for: "locked")
            func use() throws {
                let start = ContinuousClock.now
                expectError(.busy) { try storage.write { _ = try $0.insert(Note(1, "one")) } }
                #expect(ContinuousClock.now - start >= .milliseconds(190))
                #expect(try storage.read { try $0.count(Note.all) } == 0)
            }
            try use()
            worker.send(9)
            await worker.status()
            try await storage.write { try $0.insert(Note(1, "one")) }
        }
    }

    @Test("Threads that save values while another process has the database locked are all busy after one time-out")
    func storeThreads() async throws {
        try await withDatabase { path in
            try openStore(path).set(key("a"), to: Data("1".utf8))
            let store = try SQLiteStore(path: path, isWatching: false, patience: .seconds(2))
            let other = try OtherProgram(path)
            try other.run("BEGIN IMMEDIATE")
            let waits = Recorder<Duration>()
            for number in 0..<20 {
                Thread.detachNewThread {
                    let start = ContinuousClock.now
                    let batch = SettingsStoreBatch(writes: [.init(key: key("\(number)"), data: Data("1".utf8))])
                    expectError(.busy) { _ = try store.apply(batch) }
                    waits.append(ContinuousClock.now - start)
                }
            }
            #expect(try await eventually { waits.all.count == 20 })
            // One after the other, the last would wait for forty seconds.
            #expect(waits.all.allSatisfy { $0 < .seconds(20) }, "\(waits.all)")
            try other.run("COMMIT")
        }
    }
}
