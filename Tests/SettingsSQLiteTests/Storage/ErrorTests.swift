import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Errors of storage", .timeLimit(Rounds.timeLimit))
struct StorageErrorTests {
    @Test("A database that cannot be opened is reported by path and label, and unchanged", arguments: [true, false])
    func opening(isReadOnly: Bool) async throws {
        try await withTemporaryFolder { folder in
            let options = SQLiteStorage.Options.with {
                ($0.access, $0.label) = (isReadOnly ? .readOnly : .readWrite, "the label")
            }
            func open(_ url: URL) throws -> SQLiteStorage { try SQLiteStorage(at: url, options: options) }
            let text = folder.appendingPathComponent("text.sqlite")
            let bytes = Data("This is a letter to a friend and no database at all. secret".utf8)
            try bytes.write(to: text)
            let error = await expect(.notADatabase, saying: text.path, not: "secret") { _ = try open(text) }
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
        try await withStorage { writing in
            let reading = try SQLiteStorage(
                at: URL(fileURLWithPath: writing.path), options: .with { $0.access = .readOnly })
            await expect(.readOnly, saying: writing.path) { try await reading.write { try $0.insert(Note(1, "one")) } }
            await expect(.readOnly) { try reading.write { _ = try $0.insert(Note(1, "one")) } }
            var counts = reading.values { try $0.count(Note.all) }.makeAsyncIterator()
            #expect(await counts.next() == 0)
            try await writing.write { try $0.insert(Note(1, "one")) }
            #expect(await counts.next() == 1)
        }
    }

    @Test("A write that waits for another process in vain reports it, and writes nothing")
    func busy() async throws {
        try await withStorage(options: .with { $0.patience = .seconds(Int64.max) }) { patient in
            let url = URL(fileURLWithPath: patient.path)
            let hasty = try SQLiteStorage(
                at: url, options: .with { ($0.label, $0.patience) = ("hasty", .milliseconds(200)) })
            let worker = try Worker("hold", url.path)
            await worker.wait(for: "locked")
            let start = ContinuousClock.now
            await expect(.busy, saying: "(hasty)", not: "secret") {
                try await hasty.write { try $0.insert(Note(1, "secret")) }
            }
            expectError(.busy) { try hasty.write { _ = try $0.insert(Note(1, "secret")) } }
            #expect(ContinuousClock.now - start >= .milliseconds(390))
            await expect(.busy, saying: url.path) {
                _ = try SQLiteStorage(
                    at: url, versions: [ScriptVersion("1", ""), ScriptVersion("2", "DROP TABLE notes")],
                    options: .with { $0.patience = .zero })
            }
            // Readers are not affected, and the storage with the long time-out gets its turn.
            #expect(try await hasty.number("SELECT count(*) FROM notes") == 0)
            async let write = patient.write { try $0.insert(Note(2, "two")) }
            worker.send(9)
            #expect(try await write == 2)
            #expect(try await patient.texts("SELECT text FROM notes") == ["two"])
        }
    }

    @Test(
        "A file that was removed or replaced is neither written nor read any more, and listeners receive an error",
        arguments: [false, true], [false, true])
    func replaced(hasRead: Bool, isReplaced: Bool) async throws {
        try await withStorage { storage in
            let url = URL(fileURLWithPath: storage.path)
            try await storage.write { try $0.insert(Note(1, "old")) }
            if hasRead { #expect(try await storage.texts("SELECT text FROM notes") == ["old"]) }
            let (problems, told) = AsyncStream<any Error>.makeStream()
            let (counts, counted) = AsyncStream<Int>.makeStream()
            let listening = Task {
                for await count in storage.values({ try $0.count(Note.all) }, catch: { told.yield($0) }) {
                    counted.yield(count)
                }
            }
            var count = counts.makeAsyncIterator()
            #expect(await count.next() == 1)
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
            let other = isReplaced ? try SQLiteStorage(at: url, versions: [notesSchema]) : nil
            await expect(.fileReplaced, saying: url.path) { try await storage.write { try $0.insert(Note(2, "lost")) } }
            await expect(.fileReplaced) { _ = try await storage.texts("SELECT text FROM notes") }
            var problem = problems.makeAsyncIterator()
            #expect((await problem.next() as? SettingsError)?.code == .fileReplaced)
            listening.cancel()
            await listening.value
            #expect(try await other?.texts("SELECT text FROM notes") ?? [] == [])
            #expect(FileManager.default.fileExists(atPath: url.path) == isReplaced)
        }
    }

    @Test("Messages name columns and tables, and hold no value")
    func valueFree() async throws {
        let schema = """
            CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE TABLE strict (id INTEGER PRIMARY KEY, n INTEGER CHECK (typeof(n) = 'integer'));
            INSERT INTO notes VALUES (1, 'secret');
            """
        let secret = "secret"
        let attempts: [(SettingsError.Code, @Sendable (SQLiteDatabase) throws -> Void)] = [
            (.constraintViolated, { try $0.execute(sql: "INSERT INTO strict (n) VALUES (\(secret))") }),
            (.statementFailed, { try $0.execute(sql: "INSERT INTO strict (id) VALUES (\(secret))") }),
            (.statementFailed, { let _: String? = try $0.select(sql: "SELECT json_extract(\(secret), '$')") }),
            (.unexpectedRow, { let _: [Int] = try $0.select(sql: "SELECT text FROM notes") }),
            (.statementFailed, { let _: Int? = try $0.select(sql: "SELECT abs(-9223372036854775808), \(secret)") }),
            (.statementFailed, { _ = try $0.count(Note.where(Column("nothing") == secret)) }),
            // Another statement of the same access still uses the table; no process has the file.
            (
                .statementFailed,
                { db in try db.forEachRow(sql: "SELECT * FROM notes") { _ in try db.drop(table: "notes") } }
            ),
        ]
        try await withStorage(schema) { storage in
            for (code, attempt) in attempts {
                let error = await expect(code, saying: storage.path, not: secret) { try await storage.write(attempt) }
                if let cause = error?.underlying { #expect(!"\(cause)".contains(secret)) }
            }
        }
    }
}
