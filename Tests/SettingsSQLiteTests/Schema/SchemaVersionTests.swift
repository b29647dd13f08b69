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

@Suite("Versions of a schema")
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
                ([3, 4], ["1", "2", "3", "4"]),
                ([], ["1", "2", "3", "4"]), ([1, 2, 5, 3, 4, 6], ["1", "2", "3", "4", "5", "6"]),
                ([6, 7], ["1", "2", "3", "4", "5", "6", "7"]),
            ] {
                let storage = try SQLiteStorage(at: url, versions: numbers.map(Self.version))
                #expect(try await log(storage) == expected)
            }
        }
    }

    @Test("Several schemas have their versions in one database, whose ids may be the same")
    func schemas() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            var others = SQLiteStorage.Options()
            others.schemaName = "others"
            for _ in 0..<2 {
                _ = try SQLiteStorage(at: url, versions: [Self.version(1)])
                _ = try SQLiteStorage(
                    at: url, versions: [ScriptVersion("v1", "CREATE TABLE others (n)"), Self.version(2)],
                    options: others)
            }
            #expect(try await log(SQLiteStorage(at: url)) == ["1", "2"])
        }
    }

    @Test("A version that fails leaves the database as the version before has left it, and is named")
    func failing() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
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
            for (message, body) in failures {
                let failing = ClosureVersion("failing") { database in
                    try database.execute(script: "CREATE TABLE half (n); INSERT INTO keyed VALUES (2)")
                    try body(database)
                }
                await expect(.schemaUpgradeFailed, saying: "version failing", not: "770077") {
                    _ = try SQLiteStorage(at: url, versions: [first, failing, Self.version(3)])
                }
                let error = await expect(.schemaUpgradeFailed, saying: message) {
                    _ = try SQLiteStorage(at: url, versions: [first, failing, Self.version(3)])
                }
                #expect("\(String(describing: error))".contains(url.path))
                let storage = try SQLiteStorage(at: url, versions: [first])
                #expect(try await storage.texts("SELECT id FROM settingskit_versions") == ["first"])
                #expect(try await storage.texts("SELECT id || '' FROM keyed") == ["1"])
                #expect(
                    try await storage.number("SELECT count(*) FROM sqlite_master WHERE name IN ('half', 'log')") == 0)
            }
            let storage = try SQLiteStorage(at: url, versions: [first, Self.version(3)])
            #expect(try await log(storage) == ["3"])
        }
    }

    @Test(
        "A referenced table can be replaced; foreign keys are enforced again afterwards, unless they are disabled"
    )
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
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(at: url, versions: [first, second])
            #expect(try await storage.number("SELECT count(*) FROM children") == 1)
            await expect(.constraintViolated, saying: "FOREIGN KEY") {
                try await storage.write { try $0.execute(sql: "INSERT INTO children VALUES (2, 77)") }
            }
            var options = SQLiteStorage.Options()
            options.foreignKeysEnabled = false
            let loose = try SQLiteStorage(at: url, versions: [first, second], options: options)
            try await loose.write { try $0.execute(sql: "INSERT INTO children VALUES (2, 77)") }
            let wrong = ScriptVersion("3", "INSERT INTO children VALUES (3, 78)")
            await expect(.schemaUpgradeFailed, saying: "children") {
                _ = try SQLiteStorage(at: url, versions: [first, second, wrong])
            }
            _ = try SQLiteStorage(at: url, versions: [first, second, wrong], options: options)
        }
    }

    @Test("A newer schema is refused, and an older one where nothing may be written; neither is changed")
    func tooNewAndTooOld() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let storage = try SQLiteStorage(at: url, versions: [1, 2, 3].map(Self.version))
            let before = try await storage.dump()
            await expect(.newerVersion, saying: "v3") {
                _ = try SQLiteStorage(at: url, versions: [1, 2].map(Self.version))
            }
            await expect(.newerVersion, saying: url.path) {
                _ = try SQLiteStorage(at: url, versions: [1, 9].map(Self.version))
            }
            var options = SQLiteStorage.Options()
            options.access = .readOnly
            options.label = "the label"
            let readOnly = options
            let error = await expect(.schemaTooOld, saying: "v4, v5") {
                _ = try SQLiteStorage(at: url, versions: [3, 4, 5].map(Self.version), options: readOnly)
            }
            #expect("\(String(describing: error))".contains("the label"))
            let reading = try SQLiteStorage(at: url, versions: [1, 2, 3].map(Self.version), options: readOnly)
            #expect(try await reading.dump() == before)
        }
    }

    @Test("Storages that are opened at once apply each version once")
    func atOnce() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("deep/er/a.sqlite")
            let numbers = 1...8
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in [8, 8, 8, 8] {
                    group.addTask { _ = try SQLiteStorage(at: url, versions: numbers.prefix(count).map(Self.version)) }
                }
                try await group.waitForAll()
            }
            let storage = try SQLiteStorage(at: url, versions: numbers.map(Self.version))
            #expect(try await log(storage) == numbers.map { "\($0)" })
        }
    }

    @Test("The database that a version is given cannot be used afterwards")
    func outside() async throws {
        final class Box: @unchecked Sendable { var database: SQLiteDatabase? }
        try await withTemporaryFolder { folder in
            let box = Box()
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try SQLiteStorage(at: url, versions: [ClosureVersion("1") { box.database = $0 }])
            await expect(.outsideAccess) { try box.database?.drop(table: "settingskit_versions") }
        }
    }

    @Test("Everything that a definition can say is in the table")
    func definitions() async throws {
        try await withStorage("CREATE TABLE owners (id INTEGER PRIMARY KEY)") { storage in
            try await storage.write { database in
                for _ in 0..<2 {
                    try database.create(table: "things", ifNotExists: true) { table in
                        table.column("id", .integer).primaryKey(autoincrement: true)
                        table.column("name", .text).notNull().unique().collate("NOCASE").check(sql: "length(name) < 5")
                        table.column("owner", .integer).references("owners", column: "id", onDelete: .cascade).defaults(
                            to: 7)
                        table.column("other", .integer).references("owners", onDelete: .setNull)
                        table.column("size", SQLiteColumnType("NUMERIC")).defaults(to: nil as Int?)
                        table.unique("owner", "size")
                        table.check(sql: "size <> 13")
                    }
                }
                try database.execute(
                    script: "INSERT INTO owners VALUES (7), (8); INSERT INTO things (name, other) VALUES ('a', 8)")
                for sql in [
                    "INSERT INTO things (name) VALUES ('A')", "INSERT INTO things (name) VALUES ('abcde')",
                    "INSERT INTO things (name, owner) VALUES ('b', 9)",
                    "INSERT INTO things (name, size) VALUES ('b', 13)",
                    "INSERT INTO things (size) VALUES (1)",
                ] {
                    #expect { try database.execute(sql: SQLiteStatement(sql)) } throws: {
                        SettingsError.Code.constraintViolated ~= $0
                    }
                }
                #expect(throws: (any Error).self) { try database.create(table: "things") { $0.column("a", .any) } }
                try database.execute(sql: "DELETE FROM owners WHERE id = 8")
                #expect(
                    try database.select(sql: "SELECT count(*) FROM things WHERE other IS NULL AND owner = 7") == 1
                        as Int?)
                try database.execute(sql: "DELETE FROM owners")
                #expect(try database.select(sql: "SELECT count(*) FROM things") == 0 as Int?)
            }
        }
    }

    @Test("A primary key of several columns, the types of columns, and what holds a referenced row are in the table")
    func moreDefinitions() async throws {
        try await withStorage("CREATE TABLE owners (id INTEGER PRIMARY KEY)") { storage in
            try await storage.write { database in
                try database.create(table: "things") { table in
                    table.column("size", .real)
                    table.column("bytes", .blob)
                    table.column("date", .date)
                    table.column("owner", .integer).references("owners", onDelete: .restrict)
                    table.column("other", .integer).references("owners", onDelete: .setDefault).defaults(to: 7)
                    table.primaryKey("size", "date")
                }
                try database.execute(script: "INSERT INTO owners VALUES (7), (8), (9)")
                try database.execute(sql: "INSERT INTO things VALUES (1, x'00', 2, 8, 9)")
                for sql in ["INSERT INTO things VALUES (1, x'01', 2, 8, 9)", "DELETE FROM owners WHERE id = 8"] {
                    #expect { try database.execute(sql: SQLiteStatement(sql)) } throws: {
                        SettingsError.Code.constraintViolated ~= $0
                    }
                }
                try database.execute(sql: "DELETE FROM owners WHERE id = 9")
                #expect(try database.select(sql: "SELECT other FROM things") == 7 as Int?)
                #expect(try database.select(sql: "SELECT typeof(size) FROM things") == "real" as String?)
            }
        }
    }
}
