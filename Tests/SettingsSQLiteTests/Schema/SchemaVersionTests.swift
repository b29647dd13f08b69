import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

private struct Failure: Error {}

private struct ClosureVersion: SQLiteSchemaVersion {
    let id: String
    let body: (SQLiteDatabase) throws -> Void

    init(_ id: String, _ body: @escaping (SQLiteDatabase) throws -> Void) {
        self.id = id
        self.body = body
    }

    func upgrade(_ database: SQLiteDatabase) throws { try body(database) }
}

@Suite("Versions of a schema", .timeLimit(Rounds.timeLimit))
struct SchemaVersionTests {
    private static func version(_ number: Int) -> ScriptVersion {
        ScriptVersion("v\(number)", "CREATE TABLE IF NOT EXISTS log (n INTEGER); INSERT INTO log VALUES (\(number))")
    }

    private func log(_ storage: SQLiteStorage) async throws -> [String] {
        try await storage.texts("SELECT n || '' FROM log ORDER BY rowid")
    }

    @Test("Each version is applied once and in order; older ones may be dropped, and new ones come in between")
    func order() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            for (numbers, expected) in [
                ([1, 2], ["1", "2"]), ([1, 2], ["1", "2"]), ([1, 2, 3], ["1", "2", "3"]),
                ([3, 4], ["1", "2", "3", "4"]), ([], ["1", "2", "3", "4"]),
                ([1, 2, 5, 3, 4, 6], ["1", "2", "3", "4", "5", "6"]),
            ] {
                let storage = try SQLiteStorage(at: url, versions: numbers.map(Self.version))
                #expect(try await log(storage) == expected)
            }
        }
    }

    @Test("A version that fails leaves the database as the version before has left it, and is named")
    func failing() async throws {
        let failures: [(String, (SQLiteDatabase) throws -> Void)] = [
            ("Failure", { _ in throw Failure() }), ("no such table", { try $0.drop(table: "nothing") }),
            ("Only the storage itself", { try $0.execute(script: "COMMIT") }),
            ("ended the transaction", { _ = try? $0.execute(sql: "INSERT OR ROLLBACK INTO keyed VALUES (1)") }),
            ("refer to rows of keyed", { try $0.execute(sql: "INSERT INTO referring VALUES (770077)") }),
        ]
        let first = ScriptVersion(
            "first",
            """
            CREATE TABLE keyed (id INTEGER PRIMARY KEY); INSERT INTO keyed VALUES (1);
            CREATE TABLE referring (id REFERENCES keyed (id));
            """)
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            for (message, body) in failures {
                let failing = ClosureVersion("failing") { database in
                    try database.execute(script: "CREATE TABLE half (n); INSERT INTO keyed VALUES (2)")
                    try body(database)
                }
                let error = await expect(.schemaUpgradeFailed, saying: message, not: "770077") {
                    _ = try SQLiteStorage(at: url, versions: [first, failing, Self.version(3)])
                }
                #expect("\(String(describing: error))".contains("\(url.path), version failing"))
                let storage = try SQLiteStorage(at: url, versions: [first])
                #expect(try await storage.texts("SELECT id FROM settingskit_versions") == ["first"])
                #expect(try await storage.texts("SELECT id || '' FROM keyed") == ["1"])
                #expect(
                    try await storage.number("SELECT count(*) FROM sqlite_master WHERE name IN ('half', 'log')") == 0)
            }
            #expect(try await log(SQLiteStorage(at: url, versions: [first, Self.version(3)])) == ["3"])
        }
    }

    @Test("A referenced table can be replaced; foreign keys are enforced afterwards, unless they are disabled")
    func foreignKeys() async throws {
        let first = ScriptVersion(
            "1",
            """
            CREATE TABLE parents (id INTEGER PRIMARY KEY); INSERT INTO parents VALUES (1);
            CREATE TABLE children (id INTEGER PRIMARY KEY, parent REFERENCES parents (id) ON DELETE CASCADE);
            INSERT INTO children VALUES (1, 1);
            """)
        let second = ScriptVersion(
            "2",
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO new SELECT id, 'x' FROM parents;
            DROP TABLE parents; ALTER TABLE new RENAME TO parents;
            """)
        let wrong = ScriptVersion("3", "INSERT INTO children VALUES (3, 78)")
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(at: url, versions: [first, second])
            #expect(try await storage.number("SELECT count(*) FROM children") == 1)
            await expect(.constraintViolated, saying: "FOREIGN KEY") {
                try await storage.write { try $0.execute(sql: "INSERT INTO children VALUES (2, 77)") }
            }
            let loose = try SQLiteStorage(
                at: url, versions: [first, second, wrong], options: .with { $0.foreignKeysEnabled = false })
            try await loose.write { try $0.execute(sql: "INSERT INTO children VALUES (2, 77)") }
        }
    }

    @Test("A newer schema is refused, and an older one where nothing may be written; neither is changed")
    func tooNewAndTooOld() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(at: url, versions: [1, 2, 3].map(Self.version))
            let before = try await storage.dump()
            for known in [[1, 2], [1, 9], [9]] {
                await expect(.newerVersion, saying: "v3") {
                    _ = try SQLiteStorage(at: url, versions: known.map(Self.version))
                }
            }
            let readOnly = SQLiteStorage.Options.with { $0.access = .readOnly }
            await expect(.schemaTooOld, saying: "v4, v5") {
                _ = try SQLiteStorage(at: url, versions: [3, 4, 5].map(Self.version), options: readOnly)
            }
            let reading = try SQLiteStorage(at: url, versions: [1, 2, 3].map(Self.version), options: readOnly)
            #expect(try await reading.dump() == before)
        }
    }

    @Test("Storages that are opened at once apply each version once, to which its database cannot be used afterwards")
    func atOnce() async throws {
        final class Box: @unchecked Sendable { var database: SQLiteDatabase? }
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("deep/er/a.sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { _ = try SQLiteStorage(at: url, versions: (1...8).map(Self.version)) }
                }
                try await group.waitForAll()
            }
            let box = Box()
            let last = ClosureVersion("last") { box.database = $0 }
            let storage = try SQLiteStorage(at: url, versions: (1...8).map(Self.version) + [last])
            #expect(try await log(storage) == (1...8).map { "\($0)" })
            await expect(.outsideAccess) { try box.database?.drop(table: "settingskit_versions") }
        }
    }

    @Test("Everything that a definition can say is in the table")
    func definitions() async throws {
        try await withStorage("CREATE TABLE owners (id INTEGER PRIMARY KEY); INSERT INTO owners VALUES (7), (8), (9)") {
            storage in
            try await storage.write { database in
                for _ in 0..<2 {
                    try database.create(table: "things", ifNotExists: true) { table in
                        table.column("id", .integer).primaryKey(autoincrement: true)
                        table.column("name", .text).notNull().unique().collate("NOCASE").check(sql: "length(name) < 5")
                        table.column("owner", .integer).references("owners", column: "id", onDelete: .restrict)
                        table.column("other", .integer).references("owners", onDelete: .setNull)
                        table.column("size", SQLiteColumnType("NUMERIC")).defaults(to: 3)
                        table.unique("owner", "size")
                        table.check(sql: "size <> 13")
                    }
                }
                try database.create(table: "more") { table in
                    table.column("size", .real)
                    table.column("date", .date)
                    table.primaryKey("size", "date")
                }
                try database.create(index: "pairs", on: "things", columns: ["owner", "other"], isUnique: true)
                try database.execute(
                    script: """
                        INSERT INTO things VALUES (1, 'a', 7, 9, 1), (2, 'b', 7, 8, 2); INSERT INTO more VALUES (1, 2);
                        """)
                for sql in [
                    "INSERT INTO things (name) VALUES ('A')", "INSERT INTO things (name) VALUES ('abcde')",
                    "INSERT INTO things (name, owner) VALUES ('c', 6)",
                    "INSERT INTO things (name, size) VALUES ('c', 13)",
                    "INSERT INTO things (name, owner, size) VALUES ('c', 7, 1)", "INSERT INTO things (size) VALUES (1)",
                    "INSERT INTO things (name, owner, other) VALUES ('c', 7, 9)", "INSERT INTO more VALUES (1, 2)",
                    "DELETE FROM owners WHERE id = 7",
                ] {
                    expectError(.constraintViolated) { try database.execute(sql: SQLiteStatement(sql)) }
                }
                expectError(.statementFailed) { try database.create(table: "things") { $0.column("a", .any) } }
                try database.execute(sql: "DELETE FROM owners WHERE id = 9")
                #expect(try database.select(sql: "SELECT id FROM things WHERE other IS NULL") == 1 as Int?)
                try database.execute(sql: "DELETE FROM things WHERE id = 2")
                try database.execute(sql: "INSERT INTO things (name) VALUES ('c')")
                // The number of a deleted row is not used again.
                #expect(try database.select(sql: "SELECT size FROM things WHERE id = 3") == 3 as Int?)
            }
        }
    }
}
