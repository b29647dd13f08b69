import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Pragmas inside an access")
struct PragmaTests {
    @Test(
        "A pragma that would stay with the connection is refused in words, and changes nothing",
        arguments: [
            "locking_mode = EXCLUSIVE", "main.locking_mode = exclusive", "LOCKING_MODE(EXCLUSIVE)", "query_only = OFF",
            "query_only = ON", "foreign_keys = OFF", "foreign_keys(0)", "synchronous = OFF", "journal_mode = DELETE",
            "journal_mode = OFF", "busy_timeout = 0", "cache_size = 1", "temp_store = 2", "mmap_size = 1000000",
            "max_page_count = 5", "recursive_triggers = ON", "case_sensitive_like = ON", "writable_schema = ON",
            "ignore_check_constraints = ON", "read_uncommitted = ON", "wal_autocheckpoint = 0", "wal_checkpoint",
            "wal_checkpoint(TRUNCATE)", "journal_size_limit = 1", "secure_delete = ON", "schema_version = 9",
            "legacy_alter_table = ON", "trusted_schema = OFF", "shrink_memory", "automatic_index = OFF", "invented = 1",
        ])
    func refused(pragma: String) async throws {
        try await withStorage { storage in
            let attempt: @Sendable (SQLiteDatabase) throws -> Void = { database in
                let name = pragma.lowercased().split { !$0.isLetter && $0 != "_" }.first { $0 != "main" } ?? ""
                let error = expectError(.statementFailed) {
                    try database.execute(sql: "PRAGMA \(raw: pragma)")
                }
                #expect(error?.description.contains("PRAGMA \(name)") == true, "\(error as Any)")
                expectError(.statementFailed) { try database.execute(script: "SELECT 1; PRAGMA \(pragma)") }
            }
            try await storage.write(attempt)
            try await storage.read(attempt)
            try await storage.write { try $0.insert(Note(1, "one")) }
            #expect(try await storage.texts("SELECT text FROM notes") == ["one"])
            #expect(try await storage.texts("PRAGMA locking_mode") == ["normal"])
            #expect(try await storage.write { try $0.select(sql: "PRAGMA foreign_keys") as Int? } == 1)
        }
    }

    @Test(
        "A temporary object, which would stay with the connection, is refused",
        arguments: [
            "CREATE TEMP TABLE log (n INTEGER)", "CREATE TABLE temp.log (n INTEGER)", "CREATE TEMP VIEW v AS SELECT 1",
            "CREATE TEMP TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END",
            "CREATE VIRTUAL TABLE temp.words USING fts5(text)",
        ])
    func temporary(sql: String) async throws {
        try await withStorage { storage in
            await expect(.statementFailed, saying: "temporary") {
                try await storage.write { try $0.execute(script: sql) }
            }
            try await storage.write { try $0.insert(Note(1, "one")) }
            #expect(try await storage.texts("SELECT text FROM notes") == ["one"])
        }
    }

    @Test(
        "A pragma that reads is allowed, in a read and in a write",
        arguments: [
            "table_info(notes)", "table_info = notes", "index_list(notes)", "foreign_key_list(notes)",
            "foreign_key_check",
            "foreign_key_check(notes)", "integrity_check", "integrity_check(3)", "quick_check", "user_version",
            "application_id", "schema_version", "data_version", "page_count", "freelist_count", "locking_mode",
            "foreign_keys", "synchronous", "query_only", "encoding", "database_list", "compile_options",
        ])
    func allowed(pragma: String) async throws {
        try await withStorage { storage in
            let attempt: @Sendable (SQLiteDatabase) throws -> Void = { try $0.execute(sql: "PRAGMA \(raw: pragma)") }
            try await storage.write(attempt)
            try await storage.read(attempt)
        }
    }

    @Test("A pragma that changes the database is part of the write; one that a read runs is refused")
    func written() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.execute(script: "PRAGMA user_version = 7; PRAGMA application_id = 8") }
            await #expect(throws: CancellationError.self) {
                try await storage.write { database in
                    try database.execute(sql: "PRAGMA user_version = 9")
                    throw CancellationError()
                }
            }
            #expect(try await storage.number("PRAGMA user_version") == 7)
            #expect(try await storage.number("PRAGMA application_id") == 8)
            await expect(.readOnly) { try await storage.read { try $0.execute(sql: "PRAGMA user_version = 9") } }
        }
    }

    @Test("Foreign keys can be deferred to the end of one write, and of no other")
    func deferred() async throws {
        let schema = """
            CREATE TABLE parents (id INTEGER PRIMARY KEY);
            CREATE TABLE children (id INTEGER PRIMARY KEY, parent REFERENCES parents (id));
            """
        try await withStorage(schema) { storage in
            let childFirst: @Sendable (SQLiteDatabase) throws -> Void = { database in
                try database.execute(sql: "INSERT INTO children VALUES (1, 1)")
                try database.execute(sql: "INSERT INTO parents VALUES (1)")
            }
            try await storage.write { database in
                try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
                try childFirst(database)
            }
            try await storage.write { try $0.execute(script: "DELETE FROM children; DELETE FROM parents") }
            await expect(.constraintViolated) { try await storage.write(childFirst) }
        }
    }

    @Test("Another database cannot be attached", arguments: ["ATTACH ':memory:' AS other", "DETACH main"])
    func attached(sql: String) async throws {
        try await withStorage { storage in
            for _ in 0..<2 {
                await expect(.statementFailed, saying: "attached") {
                    try await storage.write { try $0.execute(sql: SQLiteStatement(sql)) }
                }
                await expect(.statementFailed, saying: "attached") {
                    try await storage.read { try $0.execute(script: sql) }
                }
            }
        }
    }

    @Test("A version of the schema may check foreign keys, and change no connection")
    func schemaVersion() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let checking = ScriptVersion(
                "1", "\(notesSchema.script); PRAGMA foreign_key_check; PRAGMA user_version = 3")
            let storage = try SQLiteStorage(at: url, versions: [checking])
            #expect(try await storage.number("PRAGMA user_version") == 3)
            await expect(.schemaUpgradeFailed, saying: "PRAGMA locking_mode") {
                _ = try SQLiteStorage(
                    at: url, versions: [checking, ScriptVersion("2", "PRAGMA locking_mode = EXCLUSIVE")])
            }
        }
    }
}
