import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Records that are Codable")
struct CodableRecordTests {
    @Test("Each member is in the column of its name, in the form that its type has in SQLite, and comes back")
    func forms() async throws {
        var row = SQLiteRow()
        try Members(id: 7).save(into: &row)
        let values = try row.columns.map { column -> (String, SQLiteValue) in (column, try row[column]) }
        #expect(Dictionary(uniqueKeysWithValues: values) == Members(id: 7).values)
        try await withStorage(Members.schema) { storage in
            var members = Members(id: 7)
            (members.none, members.noRole, members.noList) = (3, .guest, [])
            // Nil is stored over the old value.
            for members in [members, Members(id: 7)] {
                try await storage.write { try $0.save(members) }
                #expect(try await storage.read { try $0.select(Members.all) } as [Members] == [members])
            }
            #expect(try await storage.read { try $0.count(Members.where(Column("noRole").isNull)) } == 1)
        }
    }

    @Test("Numbers that declared columns have made of a wrapper's text are read as the wrapper")
    func declaredNumbers() async throws {
        struct Game: SQLiteRecord, Codable, Equatable {
            static let tableName = "games"
            var score: MemberScore
            var price: Decimal
        }
        try await withStorage("CREATE TABLE games (score REAL, price NUMERIC)") { storage in
            let game = Game(score: MemberScore(3), price: 12)
            try await storage.write { try $0.insert(game) }
            #expect(try await storage.texts("SELECT typeof(score) || typeof(price) FROM games") == ["realinteger"])
            #expect(try await storage.read { try $0.select(Game.all) } == game)
        }
    }

    @Test("An update sets a Codable value in the form that a record stores")
    func assignments() async throws {
        try await withStorage(Members.schema) { storage in
            try await storage.write { database in
                try database.save(Members(id: 7))
                let none: MemberLevel? = nil
                try database.update(
                    Members.all,
                    set: [
                        Column("role").set(to: MemberRole.guest), Column("shape").set(to: MemberShape.point),
                        Column("level").set(to: none), Column("url").set(to: nil),
                    ])
            }
            let loaded: Members? = try await storage.read { try $0.select(Members.all) }
            #expect(loaded?.role == .guest && loaded?.shape == .point && loaded?.level == nil && loaded?.url == nil)
            #expect(try await storage.texts("SELECT role FROM members") == ["guest"])
        }
    }

    @Test(
        "A row that does not decode as a Codable type is reported by table and column, never by value",
        arguments: [
            ("flag", "77007", "an integer where Bool"), ("none", "'secret'", "text where Int"),
            ("noRole", "'secret'", "text where MemberRole"), ("level", "'secret'", "text where MemberLevel"),
            ("uuid", "'secret'", "text where UUID"), ("list", "'{\"secret\": 77007}'", ""),
            ("list", "NULL", "NULL where Array<String>"), ("shape", "'{\"secret\": {}}'", ""),
        ])
    func mismatches(column: String, value: String, message: String) async throws {
        try await withStorage(Members.schema) { storage in
            try await storage.write { database in
                try database.save(Members(id: 7))
                try database.execute(script: "UPDATE members SET \(column) = \(value)")
            }
            for secret in ["secret", "77007"] {
                let error = await expect(.unexpectedRow, saying: message, not: secret) {
                    _ = try await storage.read { try $0.select(Members.all) as Members? }
                }
                #expect("\(String(describing: error))".contains("\(storage.path), table members, column \(column)"))
            }
        }
    }

    @Test("A column that is missing is an error, also where the member is optional")
    func missingColumns() async throws {
        struct Pair: SQLiteRecord, Codable {
            static let tableName = "pairs"
            var a: Int
            var b: Int?
        }
        try await withStorage("CREATE TABLE pairs (a, b)") { storage in
            for (sql, column) in [("SELECT 1 AS a", "b"), ("SELECT 1 AS b", "a")] {
                await expect(.unexpectedRow, saying: "table pairs, column \(column). Cause: The row has no column") {
                    _ = try await storage.read { try $0.select(sql: SQLiteStatement(sql)) as Pair? }
                }
            }
            let pair: Pair? = try await storage.read { try $0.select(sql: "SELECT NULL AS B, 2 AS A") }
            #expect(pair?.a == 2 && pair?.b == nil)
        }
    }

    @Test("A value that cannot be stored is reported by table and column, and nothing is stored")
    func unsupportedValue() async throws {
        let changes: [(column: String, change: (inout Members) -> Void)] = [
            ("double", { $0.double = .nan }), ("big", { $0.big = .max }),
            ("shape", { $0.shape = .circle(radius: .infinity) }),
        ]
        try await withStorage(Members.schema) { storage in
            for (column, change) in changes {
                var members = Members(id: 7)
                change(&members)
                await expect(.encodingFailed, saying: "table members, column \(column)") { [members] in
                    try await storage.write { try $0.save(members) }
                }
            }
            let count = try await storage.number("SELECT count(*) FROM members")
            #expect(count == 0)
        }
    }
}
