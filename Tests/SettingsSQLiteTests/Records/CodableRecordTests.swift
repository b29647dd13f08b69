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

    @Test("The same forms can be written and read by hand, with or without Codable")
    func byHand() throws {
        var row = SQLiteRow()
        (row["role"], row["list"], row["noRole"]) = (MemberRole.owner, ["b", "a"], nil as MemberRole?)
        row["score"] = MemberScore(2.5)
        for column in row.columns { #expect(try row[column] as SQLiteValue == Members(id: 7).values[column]) }
        #expect(try row["role"] as MemberRole == .owner)
        #expect(try row["list"] as [String] == ["b", "a"])
        #expect(try row["score"] as MemberScore == MemberScore(2.5))
        let (none, role): (MemberRole?, MemberRole?) = (row["noRole"], row["role"])
        #expect(none == nil && role == .owner)
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
}
