import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Databases in memory")
struct InMemoryTests {
    @Test("A storage in memory reads and writes as one in a file does, and two of them are two databases")
    func separate() async throws {
        let (one, other) = (
            try SQLiteStorage.inMemory(versions: [V01(), V02()]), try SQLiteStorage.inMemory(versions: [V01(), V02()])
        )
        try await one.write { try $0.save(User(id: 7, name: "Ann")) }
        let user: User? = try await one.read { try $0.select(User.where(Column("id") == 7)) }
        #expect(user?.name == "Ann")
        #expect(try await other.number("SELECT count(*) FROM users") == 0)
        await #expect(throws: CancellationError.self) {
            try await one.write { database in
                try database.delete(User.all)
                throw CancellationError()
            }
        }
        #expect(try await one.number("SELECT count(*) FROM users") == 1)
        await expect(.readOnly) { _ = try await one.read { try $0.delete(User.all) } }
        await expect(.constraintViolated) { try await one.write { try $0.insert(User(id: 7, name: "Bob")) } }
        try await one.synchronize()
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
        #expect(one.path == ":memory:")
    }

    @Test("Readers see only what was committed while tasks write and read at once")
    func committed() async throws {
        let storage = try SQLiteStorage.inMemory(
            versions: [
                ScriptVersion(
                    "1",
                    "CREATE TABLE accounts (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO accounts VALUES (1, 5), (2, 5)"
                )
            ])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try await storage.write { database in
                            try database.execute(sql: "UPDATE accounts SET n = n - 1 WHERE id = 1")
                            try database.execute(sql: "UPDATE accounts SET n = n + 1 WHERE id = 2")
                        }
                        #expect(try await storage.number("SELECT sum(n) FROM accounts") == 10)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await storage.number("SELECT n FROM accounts WHERE id = 2") == 105)
    }

    @Test("A live query of a database in memory gets each change")
    func observed() async throws {
        let storage = try SQLiteStorage.inMemory(versions: [notesSchema])
        var counts = storage.values { try $0.count(Note.all) }.makeAsyncIterator()
        #expect(await counts.next() == 0)
        for number in 1...3 {
            try await storage.write { try $0.insert(Note(number, "text")) }
            #expect(await counts.next() == number)
        }
    }

    @Test("A store in memory keeps settings as one in a file does, and two of them are separate")
    func stores() throws {
        let (one, other) = (try SQLiteStore.inMemory(), try SQLiteStore.inMemory())
        let counter = Setting<Int>("counter", in: .defaults, default: 0)
        let (service, problems) = SettingsService.over(one)
        let heard = Recorder<Int>()
        let subscription = service.observe(counter) { heard.append($0.newValue) }
        service.set(counter, to: 2)
        service.update(counter) { $0 += 1 }
        try service.synchronize()
        #expect(service.get(counter) == 3 && heard.all == [2, 3])
        #expect(one.keys() == ["counter"] && other.keys() == [])
        try one.removeAll()
        #expect(service.get(counter) == 0)
        #expect(problems.all.isEmpty)
        subscription.cancel()
    }
}
