import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// A row with any columns.
private struct Part: SQLiteRecord {
    static let tableName = "parts"

    var columns: [(String, SQLiteValue)]

    init(_ columns: (String, SQLiteValue)...) { self.columns = columns }

    func save(into row: inout SQLiteRow) throws {
        for (name, value) in columns { row[name] = value }
    }

    static func load(from row: SQLiteRow) throws -> Part {
        var part = Part()
        part.columns = try row.columns.map { ($0, try row[$0]) }
        return part
    }
}

@Suite("Saving rows")
struct WritingTests {
    @Test("Saving a row that is there keeps what the record leaves out, also what a new row could not do without")
    func partial() async throws {
        try await withStorage(
            "CREATE TABLE parts (Id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL CHECK (b > a), c TEXT DEFAULT 'c')"
        ) { storage in
            try await storage.write { database in
                try database.save(Part(("id", .integer(1)), ("a", .text("a")), ("b", .text("b"))))
                try database.save(Part(("ID", .integer(1)), ("C", .text("new"))))
                try database.save(Part(("id", .integer(1)), ("b", .text("bb"))))
                try database.save(Part(("id", .integer(1)), ("a", .text("aa")), ("b", .text("bb")), ("c", .null)))
            }
            await expect(.constraintViolated, saying: "NOT NULL constraint failed: parts.a", not: "secret") {
                try await storage.write { try $0.save(Part(("id", .integer(2)), ("b", .text("secret")))) }
            }
            let none: Note? = nil
            try await storage.write { try $0.save(none) }
            let parts: [Part] = try await storage.read { try $0.select(Part.all) }
            let rows = parts.map { $0.columns.map { "\($0.0)=\($0.1)" }.joined(separator: " ") }
            #expect(rows == [#"Id=integer(1) a=text("aa") b=text("bb") c=null"#])
        }
    }

    @Test(
        "Saving looks for the row by the whole primary key; without one there is a new row each time",
        arguments: [
            ("a INTEGER, b TEXT, c TEXT)", 4), ("a INTEGER, b TEXT, c TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID", 2),
            ("a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT, c TEXT)", 2),
            ("a INTEGER, b TEXT, c TEXT, d INTEGER PRIMARY KEY)", 4),
        ])
    func keys(definition: String, count: Int) async throws {
        try await withStorage("CREATE TABLE parts (\(definition)") { storage in
            for c in ["old", "new"] {
                try await storage.write { database in
                    try database.save(Part(("a", .integer(1)), ("b", .text("x")), ("c", .text(c))))
                    try database.save([Part(("a", .integer(2)), ("b", .text("y")), ("c", .text(c)))])
                }
            }
            #expect(try await storage.number("SELECT count(*) FROM parts") == count)
            #expect(try await storage.number("SELECT count(*) FROM parts WHERE c = 'new'") == 2)
        }
    }

    @Test(
        "A violated constraint is reported by its kind, without the value, and no partial write remains",
        arguments: [
            ("INSERT INTO parts (id, u) VALUES (2, 'secret')", "UNIQUE constraint failed: parts.u"),
            ("INSERT INTO parts (id, n) VALUES (2, 'secret')", "constraint"),
            ("INSERT INTO late VALUES (1, 'secret')", "FOREIGN KEY constraint failed"),
        ])
    func constraints(sql: String, message: String) async throws {
        let schema = """
            CREATE TABLE owners (id INTEGER PRIMARY KEY);
            CREATE TABLE late (id INTEGER PRIMARY KEY, f REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE parts (id INTEGER PRIMARY KEY, u TEXT UNIQUE, n TEXT);
            CREATE TRIGGER guard BEFORE INSERT ON parts WHEN new.n = 'secret'
                BEGIN SELECT RAISE(ABORT, 'the secret is refused'); END;
            INSERT INTO parts (id, u) VALUES (1, 'secret'), (5, 'other');
            """
        try await withStorage(schema) { storage in
            let before = try await storage.dump()
            await expect(.constraintViolated, saying: message, not: "secret") {
                try await storage.write { database in
                    try database.execute(sql: "INSERT INTO parts (id) VALUES (100)")
                    try database.execute(sql: SQLiteStatement(sql))
                }
            }
            #expect(try await storage.dump() == before)
        }
    }
}
