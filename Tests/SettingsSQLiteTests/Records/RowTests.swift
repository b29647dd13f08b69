import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Rows that are read")
struct RowTests {
    @Test("Among columns with one name the first is read, in every row and at every access")
    func duplicateNames() async throws {
        try await withStorage { storage in
            try await storage.read { database in
                var numbers: [Int] = []
                try database.forEachRow(sql: "SELECT 1 AS id, 2 AS id, 3 AS x UNION ALL SELECT 4, 5, 6") { row in
                    numbers += [try row["id"], try row["x"], try row["id"], try row["ID"], try row["X"]]
                    #expect(row.columns == ["id", "id", "x"])
                    #expect(row.contains("X") && row.contains("id") && !row.contains("y"))
                }
                #expect(numbers == [1, 3, 1, 1, 3, 4, 6, 4, 4, 6])
            }
        }
    }

    @Test("A kept statement follows changes of its table's columns by any connection", arguments: [false, true])
    func changedColumns(byAnother: Bool) async throws {
        try await withStorage { storage in
            let other = byAnother ? try SQLiteStorage(at: URL(fileURLWithPath: storage.path)) : storage
            try await storage.write { try $0.insert(Note(1, "text")) }
            func values() async throws -> [String] {
                try await storage.read { database in
                    var values: [String] = []
                    try database.forEachRow(sql: "SELECT * FROM notes") { row in
                        for column in row.columns { values.append("\(column)=\(try row[column] as SQLiteValue)") }
                    }
                    return values
                }
            }
            #expect(try await values() == ["id=integer(1)", "text=text(\"text\")"])
            try await other.write { database in
                try database.alter(table: "notes") { $0.add(column: "added", .integer).defaults(to: 3) }
                try database.alter(table: "notes") { $0.rename(column: "text", to: "renamed") }
            }
            #expect(try await values() == ["id=integer(1)", "renamed=text(\"text\")", "added=integer(3)"])
            try await other.write { database in try database.alter(table: "notes") { $0.drop(column: "renamed") } }
            await expect(.unexpectedRow, saying: "column text") {
                _ = try await storage.read { try $0.select(Note.all) as [Note] }
            }
        }
    }

    @Test("One statement can be gone through inside of itself; a row that is kept beyond its function is refused")
    func nested() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.save((1...3).map { (id: Int) in Note(id, "\(id)") }) }
            try await storage.read { database in
                var (pairs, kept): ([String], [SQLiteRow]) = ([], [])
                let sql: SQLiteStatement = "SELECT id, text FROM notes ORDER BY id"
                try database.forEachRow(sql: sql) { outer in
                    for old in kept { expectError(.outsideAccess) { let _: Int = try old["id"] } }
                    try database.forEachRow(sql: sql) { inner in
                        pairs.append("\(try outer["id"] as Int)\(try inner["text"] as String)")
                    }
                    kept.append(outer)
                }
                #expect(pairs == ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
                for old in kept { expectError(.outsideAccess) { let _: Int = try old["id"] } }
            }
        }
    }
}
