import Foundation
import SettingsKitCore
import Testing

@testable import SettingsSQLite

private struct Failure: Error {}

/// Keeps what a closure of an access must not keep.
private final class Smuggler: @unchecked Sendable {
    var database: SQLiteDatabase?
    var row: SQLiteRow?
}

@Suite("Reading and writing in transactions", .timeLimit(Rounds.timeLimit))
struct AccessTests {
    @Test("A thrown error rolls the transaction back, and reaches the caller or its handler")
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
            let handled = Recorder<Bool>()
            let none: Int? = await storage.write { _ in
                throw Failure()
            } catch: {
                handled.append($0 is Failure)
            }
            let nothing: Int? = await storage.read { _ in
                throw Failure()
            } catch: {
                handled.append($0 is Failure)
            }
            #expect(none == nil && nothing == nil && handled.all == [true, true])
        }
    }

    @Test("When SQLite ends a transaction by itself, none of it is stored, however the closure handles the error")
    func endedBySQLite() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "stays")) }
            let before = try await storage.dump()
            await expect(.writeFailed, saying: "ended the transaction") {
                try await storage.write { database in
                    try database.insert(Note(2, "goes"))
                    _ = try? database.execute(sql: "INSERT OR ROLLBACK INTO notes VALUES (1, '')")
                    // Alone, each would be stored.
                    _ = try? database.insert(Note(4, "goes"))
                    _ = try? database.execute(script: "INSERT INTO notes VALUES (5, 'goes')")
                    _ = try? database.save(Note(6, "goes"))
                }
            }
            #expect(try await storage.dump() == before)
        }
    }

    @Test("A full disk is reported as such and rolls the write back, and writing works again when there is room")
    func diskFull() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "stays")) }
            try await storage.maintain { try $0.set(pragma: "max_page_count = 10") }
            let before = try await storage.dump()
            await expect(.diskFull, saying: storage.path) {
                try await storage.write { database in
                    try database.update(Note.all, set: [Column("text").set(to: "gone")])
                    try database.insert(Note(2, String(repeating: "x", count: 100_000)))
                }
            }
            #expect(try await storage.dump() == before)
            try await storage.maintain { try $0.set(pragma: "max_page_count = 100000") }
            try await storage.write { try $0.insert(Note(6, String(repeating: "x", count: 100_000))) }
            #expect(try await storage.number("SELECT count(*) FROM notes") == 2)
        }
    }

    @Test(
        "Statements cannot begin or end the transaction, or change the connection for later accesses",
        arguments: [
            ("BEGIN", "ends transactions"), ("commit -- now", "ends transactions"),
            ("/* x */ END", "ends transactions"),
            ("ROLLBACK", "ends transactions"), ("CREATE TEMP TABLE log (n INTEGER)", "temporary"),
            ("CREATE TEMP TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END", "temporary"),
            ("ATTACH ':memory:' AS other", "attached"), ("DETACH main", "attached"),
        ])
    func refusedStatements(sql: String, message: String) async throws {
        try await withStorage { storage in
            // The storage has used such statements itself, and has kept them.
            try await storage.write { try $0.insert(Note(0, "first")) }
            await #expect(throws: Failure.self) { try await storage.write { _ in throw Failure() } }
            await expect(.statementFailed, saying: message) {
                try await storage.write { database in
                    try database.insert(Note(1, "goes"))
                    try database.execute(sql: SQLiteStatement(sql))
                }
            }
            await expect(.statementFailed, saying: message) {
                try await storage.read { try $0.execute(script: "SELECT 1; \(sql)") }
            }
            // A part of a transaction may be taken back.
            try await storage.write { database in
                try database.execute(script: "SAVEPOINT a; INSERT INTO notes VALUES (9, 'x'); ROLLBACK TO a; RELEASE a")
            }
            #expect(try await storage.texts("SELECT text FROM notes") == ["first"])
        }
    }

    @Test("A text with several statements is a script, and nothing else")
    func severalStatements() async throws {
        try await withStorage { storage in
            let both = "INSERT INTO notes VALUES (1, 'a'); INSERT INTO notes VALUES (2, ';')"
            await expect(.statementFailed, saying: "more than one") {
                try await storage.write { try $0.execute(sql: SQLiteStatement(both)) }
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
            await expect(.statementFailed, saying: "NUL") { _ = try await storage.texts("SELECT 1\0; DELETE") }
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
                { try $0.create(table: "t") { $0.column("a", .any) } },
                { try $0.execute(script: "SELECT 1; DELETE FROM notes") },
                { try $0.execute(sql: "PRAGMA user_version = 7") },
                { let _: Int? = try $0.select(sql: "DELETE FROM notes RETURNING id") },
            ]
            for attempt in attempts {
                await expect(.readOnly, saying: storage.path) { try await storage.read(attempt) }
            }
            #expect(try await storage.dump() == before)
            try await storage.write { try $0.execute(sql: "PRAGMA user_version = 7") }
            #expect(try await storage.number("PRAGMA user_version") == 7)
        }
    }

    @Test("A database and its rows cannot be used once the closure has returned", arguments: [true, false])
    func outside(isWriting: Bool) async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "one")) }
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
            await expect(.outsideAccess) { let _: Int = try #require(smuggler.row)["id"] }
            #expect(smuggler.row?["id"] == nil as Int?)
            #expect(try await storage.number("SELECT count(*) FROM notes") == 1)
        }
    }

    @Test(
        "Inside an access, another access, a write to a store and the opening of one throw at once",
        arguments: [true, false])
    func nested(isWriting: Bool) async throws {
        try await withStorage { storage in
            let (own, new) = (URL(fileURLWithPath: storage.path), URL(fileURLWithPath: storage.path + "-new"))
            let storages = [storage, try SQLiteStorage.inMemory(versions: [notesSchema])]
            let stores = try [SQLiteStore(at: own), SQLiteStore.inMemory()]
            for store in stores { try store.set(key("a"), to: Data("1".utf8)) }
            let nested: @Sendable (SQLiteDatabase) throws -> Void = { _ in
                for inner in storages {
                    expectError(.outsideAccess) { try inner.write { _ = try $0.insert(Note(2, "nested")) } }
                    expectError(.outsideAccess) { let _: Int? = try inner.read { try $0.count(Note.all) } }
                }
                for store in stores {
                    expectError(.outsideAccess) { try store.set(key("a"), to: Data("2".utf8)) }
                    expectError(.outsideAccess) { try store.removeAll() }
                    expectError(.outsideAccess) { try store.synchronize() }
                    #expect(store.get(key("a")) == Data("1".utf8))
                }
                expectError(.outsideAccess) { _ = try SQLiteStorage(at: own) }
                expectError(.outsideAccess) { _ = try SQLiteStore(at: new) }
            }
            if isWriting { try await storage.write(nested) } else { try await storage.read(nested) }
            #expect(!FileManager.default.fileExists(atPath: new.path))
            // The task is on another thread, and has its turn.
            let task = try await storage.write { _ in
                Task { try await storage.write { try $0.insert(Note(3, "task")) } }
            }
            _ = try await task.value
            #expect(try await storage.texts("SELECT text FROM notes") == ["task"])
            for store in stores { try store.set(key("a"), to: Data("3".utf8)) }
        }
    }

    @Test("A storage that is let go of closes the database")
    func lifeCycle() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try await SQLiteStorage(at: url, versions: [notesSchema]).write { try $0.insert(Note(1, "one")) }
            // A thread that has served the access may release it last. The last connection takes the log with it.
            try await until { !FileManager.default.fileExists(atPath: url.path + "-wal") }
        }
    }
}
