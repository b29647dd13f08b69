import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// Texts that are dangerous if they become a part of SQL.
private let hostileTexts: [String] = [
    "'); DROP TABLE notes;--", "\"", "'", "''", "`", "```", "'\u{301}", "`\u{301} INTEGER); DROP TABLE notes;--",
    "a\0b", "\0", "", " ", ";", "--", "/*", "?1", ":a", "@a", "$a", "%", "_", "\\%", "100%_\\", "NULL", "x'00'", "1e5",
    "👩‍👩‍👧", "🇩🇪'", "é", "e\u{301}", "\u{FFFF}\u{10FFFF}", "\u{FEFF}", "\u{2028}\n\r\n\t", "\\(id)", "[1]", "{\"a\":1}",
    "\u{1}\u{7F}",
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
            let long = String(repeating: "'); DROP TABLE notes;-- 😀\0", count: 350_000)
            for text in hostileTexts + [long] {
                try await storage.write { database in
                    try database.delete(Note.all)
                    try database.insert(Note(1, text))
                    try database.save(Note(2, text))
                    try database.save(Note(2, text))
                    try database.insert(Note(3, "-"))
                    let column = Column("text")
                    #expect(try database.update(Note.where(column == "-"), set: [column.set(to: text)]) == 1)
                    try database.execute(sql: "INSERT INTO notes VALUES (4, \(text))")
                    try database.insert(Note(5, "other"))

                    let notes: [Note] = try database.select(Note.where(column == text))
                    #expect(notes.map(\.id) == [1, 2, 3, 4] && notes.allSatisfy { isSame($0.text, text) })
                    #expect(try database.count(Note.where(column != text)) == 1)
                    #expect(try database.count(Note.where(column <= text && column >= text)) == 4)
                    #expect(try database.count(Note.where(column < text || column > text)) == 1)
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

    @Test("A statement made of an interpolated literal binds its values, however it is spelled")
    func spelledOut() async throws {
        try await withStorage(Self.tables) { storage in
            let text = "x' OR 'a' = 'a"
            try await storage.write { try $0.insert(Note(1, "other")) }
            let statement = SQLiteStatement("SELECT count(*) FROM notes WHERE text = \(text)")
            #expect(try await storage.number(statement) == 0)
            let other: SQLiteStatement = "SELECT count(*) FROM notes WHERE text = \(text)"
            #expect(try await storage.number(other) == 0)
        }
    }

    @Test("Patterns match what SQL says, and with an escape what is meant")
    func patterns() async throws {
        try await withStorage(Self.tables) { storage in
            let texts = ["100%", "100x", "a_b", "axb", "it's", "ÄB"]
            try await storage.write { try $0.save(texts.enumerated().map { Note($0.offset, $0.element) }) }
            func matches(_ pattern: String, _ escape: Character? = nil) async throws -> [String] {
                let notes: [Note] = try await storage.read {
                    try $0.select(
                        Note.where(Column("text").like(pattern, escape: escape)).ordered(by: Column("id").ascending))
                }
                return notes.map(\.text)
            }
            #expect(try await matches("100%") == ["100%", "100x"])
            #expect(try await matches("100\\%", "\\") == ["100%"])
            #expect(try await matches("a'_b", "'") == ["a_b"])
            #expect(try await matches("A_B") == ["a_b", "axb"])
            #expect(try await matches("it's") == ["it's"])
            #expect(try await matches("%' OR 1 --") == [])
            await expect(.statementFailed, not: "secret") { _ = try await matches("secret", "🇩🇪") }
        }
    }

    @Test("A list may have any values", arguments: [0, 1, 500])
    func lists(count: Int) async throws {
        try await withStorage(Self.tables) { storage in
            let stored = Set(hostileTexts.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
            try await storage.write { try $0.save(stored.enumerated().map { Note($0.offset, $0.element) }) }
            let chosen = count == 0 ? [] : Array(stored.prefix(stored.count / 2))
            let list = (0..<count).map { "filler \($0)" } + chosen
            let (isOne, isAbsent): ([Note], [Note]) = try await storage.read { database in
                (
                    try database.select(Note.where(Column("text").isOne(of: list))),
                    try database.select(Note.where(Column("text").isNone(of: list)))
                )
            }
            #expect(Set(isOne.compactMap(\.id)) == Set(0..<chosen.count))
            #expect(Set(isAbsent.compactMap(\.id)) == Set(chosen.count..<stored.count))
            // The column's type decides how to compare.
            let numbers = (0..<count).map { Int64.max - Int64($0) } + [3]
            #expect(try await storage.number("SELECT count(*) FROM notes WHERE id IN \(numbers.map(String.init))") == 1)
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
            let table = "T" + name
            let column = name.isEmpty ? "C" : name
            try await storage.write { database in
                try database.create(table: table) { definition in
                    definition.column("ÄID" + name, .integer).primaryKey()
                    definition.column(column, .text).unique().defaults(to: name)
                }
                try database.create(index: "I" + name, on: table, columns: [column])
                try database.execute(sql: "INSERT INTO \(identifier: table) DEFAULT VALUES")
                try database.execute(
                    sql:
                        "UPDATE \(identifier: table) SET \(Column(column)) = \(column) WHERE \(Column(column)) = \(name)"
                )
                let stored: String? = try database.select(sql: "SELECT \(identifier: column) FROM \(identifier: table)")
                #expect(isSame(stored, column))
                var names: [String] = []
                try database.forEachRow(sql: "SELECT * FROM \(identifier: table)") { row in
                    names = row.columns
                    let stored: String = try row[column]
                    #expect(isSame(stored, column))
                }
                #expect(names.count == 2 && isSame(names[0], "ÄID" + name) && isSame(names[1], column))

                OddRecord.names.withLock { $0 = (table, "ÄID" + name, column) }
                try database.save(OddRecord(id: 1, text: "one"))
                try database.save(OddRecord(id: 1, text: "two"))
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

    @Test("Defaults in a definition, and ids of versions, are stored as they are")
    func definitions() async throws {
        try await withTemporaryFolder { folder in
            struct Version: SQLiteSchemaVersion {
                let id: String
                func upgrade(_ database: SQLiteDatabase) throws {}
            }
            let versions = hostileTexts.filter { !$0.isEmpty }.map { Version(id: "v" + $0) }
            // Two of them are one string.
            let distinct = versions.filter { $0.id != "ve\u{301}" }
            let url = folder.appendingPathComponent("a.sqlite")
            for _ in 0..<2 {
                let storage = try SQLiteStorage(at: url, versions: distinct)
                let ids = try await storage.texts("SELECT id FROM settingskit_versions ORDER BY position")
                #expect(ids.count == distinct.count && zip(ids, distinct).allSatisfy { isSame($0, $1.id) })
            }
            let storage = try SQLiteStorage(at: url, versions: distinct)
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            var values: [SQLiteValue] = hostileTexts.filter { !$0.utf8.contains(0) }.map { .text($0) }
            values += [
                .null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .real(5), .blob(Data()),
                .blob(Data([0, 15, 255])),
            ]
            for _ in 0..<50 {
                values.append(.real(Double(Int.random(in: -999_999...999_999, using: &generator)) / 1024))
            }
            let defaults = values
            try await storage.write { database in
                for (number, value) in defaults.enumerated() {
                    let table = "d\(number)"
                    try database.create(table: table) { $0.column("a", .any).defaults(to: value) }
                    try database.alter(table: table) { $0.add(column: "b", .any).defaults(to: value) }
                    try database.execute(sql: "INSERT INTO \(identifier: table) DEFAULT VALUES")
                    try database.forEachRow(sql: "SELECT a, b FROM \(identifier: table)") { row in
                        let stored: [SQLiteValue] = [try row["a"], try row["b"]]
                        #expect(stored == [value, value], "\(number), seed \(seed)")
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

    static func load(from row: SQLiteRow) throws -> OddRecord {
        let names = Self.names.withLock { $0 }
        return OddRecord(id: try row[names.id], text: try row[names.text])
    }
}
