import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("The size of a database")
struct LogTests {
    /// The sizes of the database and of its log, in bytes.
    private func sizes(_ path: String) throws -> (database: Int, log: Int) {
        func size(_ path: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
        }
        return (try size(path), try size(path + "-wal"))
    }

    /// Makes a log of several megabytes.
    private func fill(_ storage: SQLiteStorage) async throws {
        try await storage.write { database in
            for number in 0..<600 { try database.save(Note(number, String(repeating: "x", count: 10_000))) }
        }
        #expect(try sizes(storage.path).log > 5_000_000)
    }

    @Test("Synchronizing empties a log of several megabytes")
    func truncated() async throws {
        try await withStorage { storage in
            try await fill(storage)
            try await storage.synchronize()
            #expect(try sizes(storage.path).log == 0)
            try await storage.write { try $0.insert(Note(1_000, "after")) }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 601)
        }
    }

    @Test("The store of settings empties the log as well")
    func store() async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            for number in 0..<20 {
                try store.set(key("\(number)"), to: Data("\"\(String(repeating: "x", count: 50_000))\"".utf8))
            }
            #expect(try sizes(path).log > 1_000_000)
            try store.synchronize()
            #expect(try sizes(path).log == 0)
            #expect(try freshStore(path).keys().count == 20)
        }
    }

    @Test(
        "While a reader uses the log, synchronizing makes everything durable without it; afterwards the log is emptied"
    )
    func readerInTheWay() async throws {
        try await withStorage { storage in
            let (isInside, mayEnd) = (Signal(), Gate())
            async let read: Int = storage.read { database in
                let before = try database.count(Note.all)
                isInside.send()
                mayEnd.wait()
                #expect(try database.count(Note.all) == before)
                return before
            }
            await isInside.wait()
            try await fill(storage)
            let start = ContinuousClock.now
            try await storage.synchronize()
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(try sizes(storage.path).log > 5_000_000)
            mayEnd.open()
            #expect(try await read == 0)
            try await storage.synchronize()
            #expect(try sizes(storage.path).log == 0)
        }
    }

    @Test("The log that one large write has made shrinks by itself when the log is begun again")
    func limited() async throws {
        try await withStorage { storage in
            try await fill(storage)
            // The second copies the first one's pages, the third begins the log again.
            for number in 0..<3 { try await storage.write { try $0.save(Note(number, "small")) } }
            #expect(try sizes(storage.path).log <= 4 << 20)
        }
    }

    @Test("Compacting gives the room of deleted rows back, keeps every row, and notifies no listener")
    func compacted() async throws {
        try await withStorage { storage in
            try await fill(storage)
            try await storage.write { _ = try $0.delete(Note.where(Column("id") >= 10)) }
            try await storage.synchronize()
            let before = try sizes(storage.path).database
            #expect(before > 5_000_000)
            let rows = try await storage.dump()
            try await storage.compact()
            #expect(try sizes(storage.path).database < before / 10)
            #expect(try sizes(storage.path).log == 0)
            #expect(try await storage.dump() == rows)
            #expect(try await storage.texts("PRAGMA integrity_check") == ["ok"])
            try await storage.write { try $0.insert(Note(5_000, "after")) }
            try await SQLiteStorage.inMemory(versions: [notesSchema]).compact()
        }
    }

    @Test("Compacting fails with an error where it cannot be done, and changes nothing")
    func notCompacted() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var options = SQLiteStorage.Options()
            options.patience = .milliseconds(100)
            let storage = try SQLiteStorage(at: url, versions: [notesSchema], options: options)
            try await storage.write { try $0.insert(Note(1, "one")) }
            options.access = .readOnly
            let reading = try SQLiteStorage(at: url, versions: [notesSchema], options: options)
            await expect(.readOnly, saying: url.path) { try await reading.compact() }
            let other = try OtherProgram(url.path)
            try other.run("BEGIN IMMEDIATE")
            await expect(.busy, saying: url.path) { try await storage.compact() }
            try other.run("COMMIT")
            try await storage.compact()
            #expect(try await storage.texts("SELECT text FROM notes") == ["one"])
        }
    }
}
