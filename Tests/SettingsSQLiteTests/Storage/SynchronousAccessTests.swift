import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Reading and writing without await")
struct SynchronousAccessTests {
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
            var options = SQLiteStorage.Options()
            options.patience = .milliseconds(200)
            let storage = try SQLiteStorage(at: url, versions: [notesSchema], options: options)
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
