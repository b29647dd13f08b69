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
    func byHand() async throws {
        struct Written: SQLiteRecord, Equatable {
            static let tableName = "members"
            var role: MemberRole
            var list: [String]
            var noRole: MemberRole?
            var score: MemberScore
            func save(into row: inout SQLiteRow) throws {
                (row["id"], row["role"], row["list"]) = (7, role, list)
                (row["noRole"], row["score"]) = (noRole, score)
            }
            static func load(from row: SQLiteRow) throws -> Written {
                Written(
                    role: try row["role"], list: try row["list"], noRole: row["noRole"], score: try row["score"])
            }
        }
        try await withStorage(Members.schema) { storage in
            try await storage.write { try $0.save(Members(id: 7)) }
            let written: Written? = try await storage.read { try $0.select(Written.all) }
            #expect(written == Written(role: .owner, list: ["b", "a"], noRole: nil, score: MemberScore(2.5)))
            let changed = Written(role: .guest, list: [], noRole: .owner, score: MemberScore(1))
            try await storage.write { try $0.save(changed) }
            let members: Members? = try await storage.read { try $0.select(Members.all) }
            #expect(
                members?.role == .guest && members?.list == [] && members?.noRole == .owner
                    && members?.score.points == 1)
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
}
