import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Errors of storage")
struct StorageErrorTests {
    private func options(
        isReadOnly: Bool = false, label: String? = nil, timeout: Duration = .seconds(3)
    ) -> SQLiteStorage.Options {
        var options = SQLiteStorage.Options()
        options.access = isReadOnly ? .readOnly : .readWrite
        options.label = label
        options.patience = timeout
        return options
    }

    @Test("A statement that another one of the same access hinders is said to be that, and no process to have the file")
    func ownStatement() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "secret")) }
            let error = await expect(.statementFailed, saying: "locked", not: "secret") {
                try await storage.write { database in
                    try database.forEachRow(sql: "SELECT * FROM notes") { _ in try database.drop(table: "notes") }
                }
            }
            #expect(!"\(error as Any)".contains("process"))
            #expect(try await storage.number("SELECT count(*) FROM notes") == 1)
        }
    }

    @Test("A database that cannot be opened is reported by path and label, and unchanged", arguments: [true, false])
    func opening(isReadOnly: Bool) async throws {
        try await withTemporaryFolder { folder in
            let options = options(isReadOnly: isReadOnly, label: "the label")
            func open(_ url: URL) throws -> SQLiteStorage { try SQLiteStorage(at: url, options: options) }

            let text = folder.appendingPathComponent("text.sqlite")
            let bytes = Data("This is a letter to a friend and no database at all. secret".utf8)
            try bytes.write(to: text)
            let error = await expect(.notADatabase, saying: text.path, not: "secret") {
                _ = try await open(text).number("SELECT count(*) FROM sqlite_master")
            }
            #expect("\(String(describing: error))".contains("(the label)"))
            #expect(try Data(contentsOf: text) == bytes)

            await expect(.storeUnavailable, saying: folder.path) { _ = try open(folder) }
            await expect(.storeUnavailable) { _ = try open(try #require(URL(string: "https://example.org/a.sqlite"))) }
            await expect(.storeUnavailable, saying: text.path) { _ = try open(text.appendingPathComponent("a.sqlite")) }
            if isReadOnly {
                let missing = folder.appendingPathComponent("new/missing.sqlite")
                await expect(.storeUnavailable, saying: missing.path) { _ = try open(missing) }
                #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
            }
        }
    }

    @Test("A read-only database is not written, and follows other connections' changes")
    func readOnly() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let writing = try SQLiteStorage(at: url, versions: [notesSchema])
            let reading = try SQLiteStorage(
                at: url, versions: [notesSchema], options: options(isReadOnly: true))
            await expect(.readOnly, saying: url.path) { try await reading.write { try $0.insert(Note(1, "one")) } }
            var counts = reading.values { try $0.count(Note.all) }.makeAsyncIterator()
            #expect(await counts.next() == 0)
            try await writing.write { try $0.insert(Note(1, "one")) }
            #expect(await counts.next() == 1)
            #expect(try await reading.texts("SELECT text FROM notes") == ["one"])
        }
    }

    @Test("A write that waits for another process in vain reports it, and writes nothing")
    func busy() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let patient = try SQLiteStorage(
                at: url, versions: [notesSchema], options: options(timeout: .seconds(300)))
            let hasty = try SQLiteStorage(
                at: url, options: options(label: "hasty", timeout: .milliseconds(1)))
            let worker = try Worker("hold", url.path)
            await worker.wait(for: "locked")
            for _ in 0..<2 {
                await expect(.busy, saying: "(hasty)", not: "secret") {
                    try await hasty.write { try $0.insert(Note(1, "secret")) }
                }
            }
            await expect(.busy, saying: url.path) {
                _ = try SQLiteStorage(
                    at: url, versions: [notesSchema, ScriptVersion("2", "DROP TABLE notes")],
                    options: options(timeout: .zero))
            }
            // Readers are not affected, and the storage with the long timeout gets its turn.
            #expect(try await hasty.number("SELECT count(*) FROM notes") == 0)
            async let write = patient.write { try $0.insert(Note(2, "two")) }
            worker.send(9)
            #expect(try await write == 2)
            try await hasty.write { try $0.insert(Note(1, "one")) }
            #expect(try await patient.texts("SELECT text FROM notes ORDER BY id") == ["one", "two"])
        }
    }

    @Test(
        "A replaced file is neither written nor read any more, and listeners receive an error",
        arguments: [false, true])
    func replaced(hasRead: Bool) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(at: url, versions: [notesSchema])
            try await storage.write { try $0.insert(Note(1, "old")) }
            if hasRead { #expect(try await storage.texts("SELECT text FROM notes") == ["old"]) }
            let (problems, told) = AsyncStream<any Error>.makeStream()
            var listener = storage.values {
                try $0.count(Note.all)
            } catch: {
                told.yield($0)
            }.makeAsyncIterator()
            #expect(await listener.next() == 1)
            let listening = Task { [listener] in
                var listener = listener
                return await listener.next()
            }
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
            let other = try SQLiteStorage(at: url, versions: [notesSchema])
            try await other.write { try $0.insert(Note(1, "new")) }
            await expect(.fileReplaced, saying: url.path) { try await storage.write { try $0.insert(Note(2, "lost")) } }
            await expect(.fileReplaced) { _ = try await storage.texts("SELECT text FROM notes") }
            var problem = problems.makeAsyncIterator()
            #expect((await problem.next() as? SettingsError)?.code == .fileReplaced)
            listening.cancel()
            #expect(await listening.value == nil)
            #expect(try await other.texts("SELECT text FROM notes") == ["new"])
        }
    }

    @Test("Messages name columns and tables, and hold no value")
    func valueFree() async throws {
        let schema = """
            CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE TABLE strict (id INTEGER PRIMARY KEY, n INTEGER CHECK (typeof(n) = 'integer'));
            INSERT INTO notes VALUES (1, 'secret');
            """
        try await withStorage(schema) { storage in
            let secret = "secret"
            let attempts: [@Sendable (SQLiteDatabase) throws -> Void] = [
                { try $0.execute(sql: "INSERT INTO strict (n) VALUES (\(secret))") },
                { try $0.execute(sql: "INSERT INTO strict (id) VALUES (\(secret))") },
                { let _: String? = try $0.select(sql: "SELECT json_extract(\(secret), '$')") },
                { let _: Int? = try $0.select(sql: "SELECT text FROM notes") },
                { let _: [Int] = try $0.select(sql: "SELECT text FROM notes") },
                { let _: Int? = try $0.select(sql: "SELECT abs(-9223372036854775808), \(secret)") },
                { _ = try $0.count(Note.where(Column("nothing") == secret)) },
                { try $0.execute(sql: "SELECT * FROM notes WHERE text MATCH \(secret)") },
            ]
            for attempt in attempts {
                do {
                    try await storage.write(attempt)
                    Issue.record("nothing was thrown")
                } catch let error as SettingsError {
                    await expect(error.code, saying: storage.path, not: secret) { try await storage.write(attempt) }
                    if let cause = error.underlying { #expect(!"\(cause)".contains(secret)) }
                }
            }
        }
    }
}
