import Foundation
import SettingsKitCore
import Testing

@testable import SettingsSQLite

private struct Failure: Error {}

/// Runs an access that must be refused.
private final class Smuggler: @unchecked Sendable {
    var database: SQLiteDatabase?
    var row: SQLiteRow?
}

@Suite("Reading and writing in transactions")
struct AccessTests {
    @Test("A thrown error rolls the transaction back, and reaches the caller")
    func thrown() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "stays")) }
            let before = try await storage.dump()
            await #expect(throws: Failure.self) {
                try await storage.write { database in
                    try database.insert(Note(2, "goes"))
                    try database.create(table: "more") { $0.column("a", .any) }
                    try database.delete(Note.all)
                    throw Failure()
                }
            }
            #expect(try await storage.dump() == before)
            let none: Int? = await storage.write { _ in
                throw Failure()
            } catch: {
                #expect($0 is Failure)
            }
            #expect(none == nil)
            let nothing: Int? = await storage.read { _ in
                throw Failure()
            } catch: {
                #expect($0 is Failure)
            }
            #expect(nothing == nil)
        }
    }

    @Test("When SQLite ends a transaction by itself, none of it is stored, however the closure handles the error")
    func endedBySQLite() async throws {
        try await withStorage { storage in
            try await storage.write { database in
                try database.insert(Note(1, "stays"))
                try database.execute(
                    script: """
                        CREATE TRIGGER bomb BEFORE INSERT ON notes WHEN new.text = 'bomb'
                        BEGIN SELECT RAISE(ROLLBACK, 'boom'); END
                        """)
            }
            let before = try await storage.dump()
            for sql in ["INSERT INTO notes VALUES (3, 'bomb')", "INSERT OR ROLLBACK INTO notes VALUES (1, '')"] {
                await expect(.writeFailed, saying: "ended the transaction") {
                    try await storage.write { database in
                        try database.insert(Note(2, "goes"))
                        _ = try? database.execute(sql: SQLiteStatement(sql))
                        // Alone, it would be stored.
                        _ = try? database.insert(Note(4, "goes"))
                        _ = try? database.execute(script: "INSERT INTO notes VALUES (5, 'goes')")
                        _ = try? database.save(Note(6, "goes"))
                    }
                }
                await expect(.writeFailed) {
                    try await storage.write { database in
                        try? database.execute(script: "\(sql); INSERT INTO notes VALUES (5, 'goes')")
                        _ = try database.count(Note.all)
                    }
                }
            }
            #expect(try await storage.dump() == before)
        }
    }

    @Test("A full disk is reported as such and rolls the write back, and writing works again when there is room")
    func diskFull() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "stays")) }
            try await storage.set(pragma: "max_page_count = 10")
            let before = try await storage.dump()
            await expect(.diskFull, saying: storage.path) {
                try await storage.write { database in
                    try database.update(Note.all, set: [Column("text").set(to: "gone")])
                    try database.insert(Note(2, String(repeating: "x", count: 100_000)))
                }
            }
            #expect(try await storage.dump() == before)
            // A program that continues has either all of the rest, or nothing.
            let result = await Result {
                try await storage.write { database in
                    try database.insert(Note(3, "first"))
                    _ = try? database.insert(Note(4, String(repeating: "x", count: 100_000)))
                    try database.insert(Note(5, "last"))
                }
            }
            let texts = try await storage.texts("SELECT text FROM notes ORDER BY id")
            switch result {
            case .success: #expect(texts == ["stays", "first", "last"])
            case .failure: #expect(texts == ["stays"])
            }
            try await storage.set(pragma: "max_page_count = 100000")
            try await storage.write { try $0.insert(Note(6, String(repeating: "x", count: 100_000))) }
            #expect(try await storage.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test(
        "Statements cannot begin or end the transaction",
        arguments: [
            "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END", "ROLLBACK", "commit -- now", "/* x */ COMMIT",
            "INSERT INTO notes VALUES (8, 'x'); COMMIT",
        ])
    func transactionStatements(sql: String) async throws {
        try await withStorage { storage in
            // The storage has used such statements itself, and has kept them.
            try await storage.write { try $0.insert(Note(0, "first")) }
            await #expect(throws: Failure.self) { try await storage.write { _ in throw Failure() } }
            let before = try await storage.dump()
            for asScript in [true, false] {
                await expect(.statementFailed) {
                    try await storage.write { database in
                        try database.insert(Note(1, "goes"))
                        if asScript {
                            try database.execute(script: sql)
                        } else {
                            try database.execute(sql: SQLiteStatement(sql))
                        }
                    }
                }
                await expect(.statementFailed) {
                    try await storage.read { database in
                        if asScript {
                            try database.execute(
                                script: sql.replacingOccurrences(
                                    of: "INSERT INTO notes VALUES (8, 'x')", with: "SELECT 1"))
                        }
                        let _: Int? = try database.select(sql: SQLiteStatement(sql))
                    }
                }
            }
            #expect(try await storage.dump() == before)
            // A part of a transaction may be taken back.
            try await storage.write { database in
                try database.execute(script: "SAVEPOINT a; INSERT INTO notes VALUES (9, 'x'); ROLLBACK TO a; RELEASE a")
                try database.insert(Note(1, "stays"))
            }
            #expect(try await storage.texts("SELECT text FROM notes ORDER BY id") == ["first", "stays"])
        }
    }

    @Test(
        "What would stay with the connection, a temporary object or another database, is refused",
        arguments: [
            ("CREATE TEMP TABLE log (n INTEGER)", "temporary"), ("CREATE TEMP VIEW v AS SELECT 1", "temporary"),
            ("CREATE TEMP TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END", "temporary"),
            ("ATTACH ':memory:' AS other", "attached"), ("DETACH main", "attached"),
        ])
    func connectionStatements(sql: String, message: String) async throws {
        try await withStorage { storage in
            for _ in 0..<2 {
                await expect(.statementFailed, saying: message) {
                    try await storage.write { try $0.execute(script: sql) }
                }
                await expect(.statementFailed, saying: message) {
                    try await storage.read { try $0.execute(sql: SQLiteStatement(sql)) }
                }
            }
            try await storage.write { try $0.insert(Note(1, "one")) }
            #expect(try await storage.texts("SELECT text FROM notes") == ["one"])
        }
    }

    @Test("A text with several statements is a script, and nothing else")
    func severalStatements() async throws {
        try await withStorage { storage in
            let both = "INSERT INTO notes VALUES (1, 'a'); INSERT INTO notes VALUES (2, ';')"
            await expect(.statementFailed, saying: "more than one") {
                try await storage.write { try $0.execute(sql: SQLiteStatement(both)) }
            }
            await expect(.statementFailed, saying: "more than one") {
                _ = try await storage.texts("SELECT 1; SELECT 2")
            }
            await expect(.statementFailed, saying: "no statement") {
                try await storage.write { try $0.execute(sql: " -- nothing") }
            }
            #expect(try await storage.texts("SELECT 'a;b' -- and ; more") == ["a;b"])
            #expect(try await storage.texts("SELECT 1 || '' ; \n;") == ["1"])
            try await storage.write { try $0.execute(script: "\(both); -- done\n ; /* ; */") }
            #expect(try await storage.texts("SELECT text FROM notes") == ["a", ";"])
            await expect(.statementFailed, saying: "1 parameters") { _ = try await storage.texts("SELECT ?") }
            await expect(.statementFailed, saying: "syntax error") {
                try await storage.write { try $0.execute(script: "DELETE FROM notes; nonsense") }
            }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 2)
        }
    }

    @Test("A read access never writes, whatever its statements")
    func readOnly() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "stays")) }
            let before = try await storage.dump()
            let attempts: [@Sendable (SQLiteDatabase) throws -> Void] = [
                { try $0.insert(Note(2, "x")) }, { try $0.save(Note(1, "x")) }, { try $0.delete(Note.all) },
                { try $0.update(Note.all, set: [Column("text").set(to: "x")]) },
                { try $0.create(table: "t") { $0.column("a", .any) } }, { try $0.drop(table: "notes") },
                { try $0.execute(sql: "DELETE FROM notes") }, { try $0.execute(script: "SELECT 1; DELETE FROM notes") },
                { try $0.execute(sql: "PRAGMA user_version = 7") },
                { let _: Int? = try $0.select(sql: "DELETE FROM notes RETURNING id") },
            ]
            for attempt in attempts {
                await expect(.readOnly, saying: storage.path) { try await storage.read(attempt) }
            }
            #expect(try await storage.dump() == before)
        }
    }

    @Test("A database and its rows cannot be used once the closure has returned")
    func outside() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "one")) }
            for isWriting in [true, false] {
                let smuggler = Smuggler()
                let carry: @Sendable (SQLiteDatabase) throws -> Void = { database in
                    smuggler.database = database
                    try database.forEachRow(sql: "SELECT * FROM notes") { smuggler.row = $0 }
                }
                if isWriting { try await storage.write(carry) } else { try await storage.read(carry) }
                let database = try #require(smuggler.database)
                await expect(.outsideAccess, saying: storage.path) { let _: Note? = try database.select(Note.all) }
                await expect(.outsideAccess) { try database.insert(Note(2, "two")) }
                await expect(.outsideAccess) { try database.execute(script: "DELETE FROM notes") }
                await expect(.outsideAccess) { try database.drop(table: "notes") }
                await expect(.outsideAccess) { let _: Int = try #require(smuggler.row)["id"] }
                #expect(smuggler.row?["id"] == nil as Int?)
            }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 1)
        }
    }

    @Test(
        "Inside an access every other access throws at once, of the same storage and of any other",
        arguments: [true, false])
    func nested(isInMemory: Bool) async throws {
        var patient = SQLiteStorage.Options()
        patient.patience = .seconds(60)
        try await withStorage(options: patient) { storage in
            try await withStorage(options: patient) { file in
                let other = isInMemory ? try SQLiteStorage.inMemory(versions: [notesSchema]) : file
                let nested: @Sendable (SQLiteDatabase) throws -> Void = { database in
                    let start = ContinuousClock.now
                    for inner in [storage, other] {
                        expectError(.outsideAccess) { try inner.write { _ = try $0.insert(Note(2, "nested")) } }
                        expectError(.outsideAccess) { let _: Int? = try inner.read { try $0.count(Note.all) } }
                    }
                    #expect(ContinuousClock.now - start < .seconds(20))
                }
                try await storage.write(nested)
                try await storage.read(nested)
                func atOnce() throws {
                    try storage.write(nested)
                    try storage.read(nested)
                }
                try atOnce()
                // The task is on another thread, and has its turn.
                let task = try await storage.write { _ in
                    Task { try await storage.write { try $0.insert(Note(3, "task")) } }
                }
                _ = try await task.value
                #expect(try await storage.texts("SELECT text FROM notes") == ["task"])
                #expect(try await other.number("SELECT count(*) FROM notes") == 0)
            }
        }
    }

    @Test("Opening a storage or a store inside an access throws at once, and makes no file", arguments: [true, false])
    func openingInside(isWriting: Bool) async throws {
        try await withStorage { storage in
            let (own, new) = (URL(fileURLWithPath: storage.path), URL(fileURLWithPath: storage.path + "-new"))
            let body: @Sendable (SQLiteDatabase) throws -> Void = { _ in
                for url in [own, new] {
                    expectError(.outsideAccess) { _ = try SQLiteStorage(at: url) }
                    expectError(.outsideAccess) { _ = try SQLiteStore(at: url) }
                }
            }
            if isWriting { try await storage.write(body) } else { try await storage.read(body) }
            #expect(!FileManager.default.fileExists(atPath: new.path))
            #expect(try SQLiteStore(at: own).keys() == [])
        }
    }

    @Test("Two storages that write into each other end with an error, and neither waits for the other")
    func crossed() async throws {
        try await withStorage { one in
            try await withStorage { other in
                let areInside = [Gate(), Gate()]
                func cross(_ number: Int, _ outer: SQLiteStorage, _ inner: SQLiteStorage) async throws {
                    try await outer.write { _ in
                        areInside[number].open()
                        areInside[1 - number].wait()
                        expectError(.outsideAccess) { try inner.write { _ = try $0.insert(Note(1, "nested")) } }
                    }
                }
                async let first: Void = cross(0, one, other)
                async let second: Void = cross(1, other, one)
                _ = try await (first, second)
                #expect(try await one.number("SELECT count(*) FROM notes") == 0)
            }
        }
    }

    @Test("Inside an access a store can be read, and setting throws at once, whatever its file")
    func storeInside() async throws {
        try await withStorage { storage in
            try await withDatabase { path in
                let stores =
                    try [storage.path, path].map {
                        try SQLiteStore(at: URL(fileURLWithPath: $0), patience: .seconds(60))
                    } + [SQLiteStore.inMemory()]
                for store in stores { try store.set(key("a"), to: Data("1".utf8)) }
                let access: @Sendable (SQLiteDatabase) throws -> Void = { _ in
                    for store in stores {
                        let start = ContinuousClock.now
                        expectError(.outsideAccess) { try store.set(key("a"), to: Data("2".utf8)) }
                        expectError(.outsideAccess) { try store.removeAll() }
                        expectError(.outsideAccess) { try store.synchronize() }
                        #expect(store.get(key("a")) == Data("1".utf8))
                        #expect(ContinuousClock.now - start < .seconds(20))
                    }
                }
                try await storage.write(access)
                try await storage.read(access)
                for store in stores { try store.set(key("a"), to: Data("3".utf8)) }
            }
        }
    }

    @Test("A storage is released although a task that was made inside an access goes on")
    func letGo() async throws {
        try await withTemporaryFolder { folder in
            weak var gone: SQLiteStorage?
            let isDone = Signal()
            let task: Task<Void, Never>
            do {
                let storage = try SQLiteStorage(at: folder.appendingPathComponent("a.sqlite"), versions: [notesSchema])
                gone = storage
                task = try await storage.write { _ in Task { await isDone.wait() } }
                #expect(FileManager.default.fileExists(atPath: storage.path + "-wal"))
            }
            // A thread that has served the access may release it last.
            while gone != nil { await Task.yield() }
            // The last connection takes the log with it.
            while FileManager.default.fileExists(atPath: folder.path + "/a.sqlite-wal") { await Task.yield() }
            isDone.send()
            await task.value
        }
    }
}

extension SQLiteStorage {
    /// Sets what a program cannot set.
    fileprivate func set(pragma: String) async throws {
        try await using(writers) { pooled, _ in try self.connection(of: pooled).set(pragma: pragma) }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
