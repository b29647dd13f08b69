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
        struct Saving: SQLiteRecord, Codable, Equatable {
            static let tableName = "words"
            var word: String
            func save(into row: inout SQLiteRow) throws { row["word"] = word.uppercased() }
        }
        struct Loading: SQLiteRecord, Codable, Equatable {
            static let tableName = "words"
            var word: String
            static func load(from row: SQLiteRow) throws -> Loading { Loading(word: "<\(try row["word"] as String)>") }
        }
        try await withStorage("\(Members.schema); CREATE TABLE words (word)") { storage in
            try await storage.write { try $0.save(Members(id: 7)) }
            let written: Written? = try await storage.read { try $0.select(Written.all) }
            #expect(written == Written(role: .owner, list: ["b", "a"], noRole: nil, score: MemberScore(2.5)))
            let changed = Written(role: .guest, list: [], noRole: .owner, score: MemberScore(1))
            try await storage.write { try $0.save(changed) }
            let members: Members? = try await storage.read { try $0.select(Members.all) }
            #expect(
                members?.role == .guest && members?.list == [] && members?.noRole == .owner
                    && members?.score.points == 1)
            try await storage.write { try $0.insert(Saving(word: "a")) }
            #expect(try await storage.read { try $0.select(Saving.all) } == Saving(word: "A"))
            #expect(try await storage.read { try $0.select(Loading.all) } == Loading(word: "<A>"))
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

    @Test("Columns are called as coding keys are, and a superclass that shares the encoder adds its own")
    func codingKeys() async throws {
        class Animal: Codable {
            var name: String?
            init(name: String) { self.name = name }
            private enum CodingKeys: String, CodingKey { case name = "animal_name" }
        }
        final class Cat: Animal, SQLiteRecord {
            static let tableName = "cats"
            var lives: Int?
            private enum CodingKeys: String, CodingKey { case lives }
            override init(name: String) {
                lives = 9
                super.init(name: name)
            }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                lives = try container.decodeNil(forKey: .lives) ? nil : container.decode(Int?.self, forKey: .lives)
                try super.init(from: decoder)
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(lives, forKey: .lives)
                try super.encode(to: encoder)
            }
        }
        try await withStorage("CREATE TABLE cats (lives, animal_name)") { storage in
            try await storage.write { _ = try $0.insert(Cat(name: "Tom")) }
            #expect(try await storage.texts("SELECT animal_name || lives FROM cats") == ["Tom9"])
            let name = try await storage.read {
                (try $0.select(Cat.all) as Cat?).map { "\($0.name ?? "")\($0.lives ?? 0)" }
            }
            #expect(name == "Tom9")
        }
    }
}
