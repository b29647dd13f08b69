import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// Texts that are dangerous if they become a part of SQL.
private let hostileTexts: [String] = [
    "'); DROP TABLE notes;--", "\"", "'", "`", "```", "'\u{301}", "`\u{301} INTEGER); DROP TABLE notes;--", "a\0b", "",
    ";", "/*", "?1", ":a", "100%_\\", "NULL", "x'00'", "🇩🇪'", "é", "e\u{301}", "\u{FFFF}\u{10FFFF}", "\u{2028}\n\r\n\t",
    "\\(id)",
]

private func isSame(_ one: String?, _ other: String?) -> Bool {
    // Not `==`, to which other bytes may be the same text.
    one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
}

@Suite("Text that comes from outside", .serialized)
struct InjectionTests {
    private static let tables = """
        CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
        CREATE TABLE bystanders (text TEXT);
        INSERT INTO bystanders VALUES ('untouched');
        """

    private func requireUntouched(_ storage: SQLiteStorage) async throws {
        #expect(try await storage.texts("SELECT text FROM bystanders") == ["untouched"])
        let names = try await storage.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        #expect(names.filter { !$0.hasPrefix("s") } == ["bystanders", "notes"])
    }

    @Test("A text is saved, set, compared and bound as it is, and changes nothing else")
    func everyPath() async throws {
        try await withStorage(Self.tables) { storage in
            let long = String(repeating: "'); DROP TABLE notes;-- 😀\0", count: 35_000)
            for text in hostileTexts + [long] {
                try await storage.write { database in
                    let column = Column("text")
                    try database.delete(Note.all)
                    try database.insert(Note(1, text))
                    try database.save(Note(2, text))
                    try database.insert(Note(3, "-"))
                    #expect(try database.update(Note.where(column == "-"), set: [column.set(to: text)]) == 1)
                    try database.execute(sql: "INSERT INTO notes VALUES (4, \(text)), (5, 'other')")
                    let notes: [Note] = try database.select(Note.where(column == text))
                    #expect(notes.map(\.id) == [1, 2, 3, 4] && notes.allSatisfy { isSame($0.text, text) })
                    #expect(try database.count(Note.where(column.isOne(of: [text, "no"]))) == 4)
                    #expect(try database.count(Note.where(column.isNone(of: [text]))) == 1)
                    #expect(try database.count(Note.where(SQLiteCondition(sql: "text = \(text)"))) == 4)
                    let texts: [String] = try database.select(
                        sql: """
                            SELECT text FROM \(Note.self) WHERE \(Column("text")) IN \([text]) AND \(column == text)
                            AND id IN (\("SELECT id FROM notes WHERE text = \(text)" as SQLiteStatement))
                            AND \(text) = \(column) AND \(nil as String?) IS NULL AND \(identifier: "text") = \(text)
                            """)
                    #expect(texts.count == 4 && texts.allSatisfy { isSame($0, text) })
                    #expect(try database.delete(Note.where(column == text)) == 4)
                }
                try await requireUntouched(storage)
            }
        }
    }

    @Test("Patterns match what SQL says, and with an escape what is meant")
    func patterns() async throws {
        try await withStorage(Self.tables) { storage in
            let texts = ["100%", "100x", "a_b", "axb", "it's", "ÄB"]
            try await storage.write { try $0.save(texts.enumerated().map { Note($0.offset, $0.element) }) }
            func matches(_ pattern: String, _ escape: Character? = nil) async throws -> [String] {
                let notes: [Note] = try await storage.read {
                    try $0.select(Note.where(Column("text").like(pattern, escape: escape)))
                }
                return notes.map(\.text)
            }
            #expect(try await matches("100%") == ["100%", "100x"])
            #expect(try await matches("100\\%", "\\") == ["100%"])
            #expect(try await matches("a'_b", "'") == ["a_b"])
            #expect(try await matches("%' OR 1 --") == [])
            await expect(.statementFailed, not: "secret") { _ = try await matches("secret", "🇩🇪") }
        }
    }

    @Test("Names of tables, columns and indexes are whatever they are", arguments: hostileTexts)
    func names(name: String) async throws {
        try await withStorage(Self.tables) { storage in
            guard !name.utf8.contains(0) else {
                await expect(.statementFailed, saying: "NUL") {
                    try await storage.write { database in try database.create(table: name) { $0.column("a", .text) } }
                }
                return try await requireUntouched(storage)
            }
            let (table, column) = ("T" + name, name.isEmpty ? "C" : name)
            try await storage.write { database in
                try database.create(table: table) { definition in
                    definition.column("ÄID" + name, .integer).primaryKey()
                    definition.column(column, .text).unique().defaults(to: name)
                }
                try database.create(index: "I" + name, on: table, columns: [column])
                try database.execute(sql: "INSERT INTO \(identifier: table) DEFAULT VALUES")
                try database.forEachRow(sql: "SELECT * FROM \(identifier: table) WHERE \(Column(column)) = \(name)") {
                    row in
                    let names = row.columns
                    #expect(names.count == 2 && isSame(names[0], "ÄID" + name) && isSame(names[1], column))
                    let stored: String = try row[column]
                    #expect(isSame(stored, name))
                }
                OddRecord.names.withLock { $0 = (table, "ÄID" + name, column) }
                for text in ["one", "two"] { try database.save(OddRecord(id: 1, text: text)) }
                #expect(try database.count(OddRecord.where(Column(column) == "two")) == 1)
                #expect(try database.delete(OddRecord.all) == 1)
                try database.drop(index: "I" + name)
                try database.alter(table: table) { $0.rename(column: column, to: column + "`'2") }
                try database.rename(table: table, to: table + "`'3")
                try database.drop(table: table + "`'3")
            }
            try await requireUntouched(storage)
        }
    }

    @Test("Defaults in a definition are stored as they are")
    func defaults() async throws {
        let texts = hostileTexts.filter { !$0.utf8.contains(0) }.map(SQLiteValue.text)
        let values: [SQLiteValue] =
            texts + [
                .null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .real(.infinity), .real(5),
                .real(-1.5e-300), .blob(Data()), .blob(Data([0, 15, 255])),
            ]
        try await withStorage(Self.tables) { storage in
            try await storage.write { database in
                for (number, value) in values.enumerated() {
                    let table = "d\(number)"
                    try database.create(table: table) { $0.column("a", .any).defaults(to: value) }
                    try database.alter(table: table) { $0.add(column: "b", .any).defaults(to: value) }
                    try database.execute(sql: "INSERT INTO \(identifier: table) DEFAULT VALUES")
                    try database.forEachRow(sql: "SELECT a, b FROM \(identifier: table)") { row in
                        let stored: [SQLiteValue] = [try row["a"], try row["b"]]
                        #expect(stored == [value, value])
                    }
                }
            }
        }
    }
}

/// A record whose names are decided by the test.
private struct OddRecord: SQLiteRecord {
    static let names = Mutex((table: "", id: "", text: ""))
    static var tableName: String { names.withLock { $0.table } }

    var id: Int
    var text: String

    func save(into row: inout SQLiteRow) throws {
        let names = Self.names.withLock { $0 }
        row[names.id] = id
        row[names.text] = text
    }

    static func load(from row: SQLiteRow) throws -> OddRecord { throw CancellationError() }
}
