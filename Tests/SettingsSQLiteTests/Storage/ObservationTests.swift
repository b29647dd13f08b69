import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Listening to what is read", .timeLimit(Rounds.timeLimit))
struct ObservationTests {
    private static let schema = """
        CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
        CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER);
        CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE children (id INTEGER PRIMARY KEY, parent REFERENCES parents (id) ON DELETE CASCADE);
        CREATE VIEW shown AS SELECT upper(text) AS text FROM notes;
        CREATE TRIGGER log AFTER INSERT ON notes BEGIN INSERT INTO other (n) VALUES (new.id); END;
        INSERT INTO parents VALUES (1), (2);
        INSERT INTO children VALUES (1, 1), (2, 2);
        """

    private typealias Texts = SettingsService.Stream<[String]>

    private func listen(
        _ storage: SQLiteStorage, _ sql: String, _ runs: Recorder<Void> = Recorder()
    ) -> Texts.Iterator {
        let texts: Texts = storage.values {
            runs.append(())
            return try $0.select(sql: SQLiteStatement(sql))
        }
        return texts.makeAsyncIterator()
    }

    @Test("First comes what is there, then each change that makes a difference, and nothing else")
    func changes() async throws {
        try await withStorage(Self.schema) { storage in
            let runs = Recorder<Void>()
            var texts = listen(storage, "SELECT text FROM notes WHERE id < 10 ORDER BY id", runs)
            #expect(await texts.next() == [])
            func writeNow() throws { try storage.write { _ = try $0.insert(Note(1, "one")) } }
            try writeNow()
            #expect(await texts.next() == ["one"])
            let before = runs.count
            // Another table, nothing at all, and what is taken back.
            try await storage.write { try $0.execute(sql: "INSERT INTO other VALUES (100, 1)") }
            try await storage.write { let _: Int? = try $0.select(sql: "SELECT 1") }
            await #expect(throws: CancellationError.self) {
                try await storage.write { database in
                    try database.insert(Note(2, "two"))
                    throw CancellationError()
                }
            }
            try await storage.write { try $0.save(Note(1, "uno")) }
            #expect(await texts.next() == ["uno"])
            #expect(runs.count == before + 1)
            // The table, but not what was read of it.
            try await storage.write { try $0.insert(Note(10, "ten")) }
            try await storage.write { try $0.save(Note(1, "uno")) }
            try await storage.write { try $0.save(Note(2, "due")) }
            #expect(await texts.next() == ["uno", "due"])
        }
    }

    @Test("Views, triggers, and what foreign keys delete count as well; also those that are made later")
    func indirectly() async throws {
        try await withStorage(Self.schema) { storage in
            var shown = listen(storage, "SELECT text FROM shown ORDER BY text")
            var logged = listen(storage, "SELECT n || '' FROM other ORDER BY n")
            var children = listen(storage, "SELECT id || '' FROM children ORDER BY id")
            #expect(await shown.next() == [])
            #expect(await logged.next() == [])
            #expect(await children.next() == ["1", "2"])
            try await storage.write { try $0.insert(Note(1, "one")) }
            #expect(await shown.next() == ["ONE"])
            #expect(await logged.next() == ["1"])
            try await storage.write { try $0.execute(sql: "DELETE FROM parents WHERE id = \(1)") }
            #expect(await children.next() == ["2"])
            // The same statements, which now do something else.
            try await storage.write { database in
                try database.execute(
                    script: """
                        CREATE TRIGGER more AFTER INSERT ON notes BEGIN INSERT INTO children VALUES (new.id + 100, 2); END;
                        DROP VIEW shown;
                        CREATE VIEW shown AS SELECT id || '' AS text FROM parents;
                        """)
            }
            #expect(await shown.next() == ["2"])
            try await storage.write { try $0.insert(Note(5, "five")) }
            #expect(await children.next() == ["2", "105"])
            #expect(await logged.next() == ["1", "5"])
            try await storage.write { try $0.execute(sql: "INSERT INTO parents VALUES (\(7))") }
            #expect(await shown.next() == ["2", "7"])
        }
    }

    @Test("A table that is altered, dropped or made is a change; errors go to the handler, and it goes on")
    func schemaChanges() async throws {
        try await withStorage { storage in
            let (errors, report) = AsyncStream.makeStream(of: (any Error).self)
            var reported = errors.makeAsyncIterator()
            let stream: Texts = storage.values(
                { try $0.select(sql: "SELECT text FROM notes") }, catch: { report.yield($0) })
            var texts = stream.makeAsyncIterator()
            #expect(await texts.next() == [])
            async let afterwards = texts.next()
            try await storage.write { try $0.drop(table: "notes") }
            let error = await reported.next()
            #expect(error.map { SettingsError.Code.statementFailed ~= $0 } == true)
            try await storage.write {
                try $0.execute(script: "CREATE TABLE notes (other); INSERT INTO notes VALUES ('again')")
            }
            _ = await reported.next()
            try await storage.write { database in
                try database.alter(table: "notes") { $0.rename(column: "other", to: "text") }
            }
            #expect(await afterwards == ["again"])
        }
    }

    @Test("Changes by another storage, another connection and another process are heard", arguments: 0..<3)
    func others(writer: Int) async throws {
        try await withStorage { storage in
            let url = URL(fileURLWithPath: storage.path)
            let (other, program) = (try SQLiteStorage(at: url), try OtherProgram(url.path))
            var texts = listen(storage, "SELECT text FROM notes ORDER BY id")
            #expect(await texts.next() == [])
            for number in 1...3 {
                switch writer {
                case 0: try await other.write { try $0.insert(Note(number, "x")) }
                case 1: try program.run("INSERT INTO notes VALUES (\(number), 'x')")
                default: try await Worker.run("database-insert", url.path, "\(number)", "x")
                }
                #expect(await texts.next() == Array(repeating: "x", count: number))
            }
        }
    }

    @Test("A reader that comes late gets the newest only")
    func slow() async throws {
        try await withStorage(Self.schema) { storage in
            var texts = listen(storage, "SELECT text FROM notes ORDER BY id DESC LIMIT 1")
            try await storage.write { try $0.insert(Note(1, "before the first")) }
            #expect(await texts.next() == ["before the first"])
            for number in 2...20 { try await storage.write { try $0.insert(Note(number, "\(number)")) } }
            #expect(await texts.next() == ["20"])
        }
    }

    @Test("Whatever the number of writers, the last that is heard is what is stored")
    func manyWriters() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let version = ScriptVersion("1", "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)")
            let options = SQLiteStorage.Options.with { $0.patience = .seconds(60) }
            let storages = try (0..<2).map { _ in try SQLiteStorage(at: url, versions: [version], options: options) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let storage = storages[number % 2]
                    group.addTask {
                        for _ in 0..<25 {
                            try await storage.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
                        }
                    }
                    group.addTask {
                        var last = -1
                        // A value that never comes makes this wait for ever.
                        for await n in storage.values({ try $0.select(sql: "SELECT n FROM counter") as Int? }) {
                            let n = n ?? -1
                            #expect(n > last)
                            last = n
                            if n == 200 { return }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
