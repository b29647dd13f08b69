import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Records that are Codable")
struct CodableRecordTests {
    private func values(of record: some SQLiteRecord) throws -> [String: SQLiteValue] {
        var row = SQLiteRow()
        try record.save(into: &row)
        return try row.columns.reduce(into: [:]) { values, column in
            let value: SQLiteValue = try row[column]
            values[column] = value
        }
    }

    @Test("Each member is in the column of its name, in the form that a mapping by hand gives it")
    func sameForms() throws {
        let members = Members(id: 7)
        let (derived, written) = (try values(of: Derived(members: members)), try values(of: Written(members: members)))
        #expect(derived == written)
        #expect(
            derived == [
                "id": .integer(7), "flag": .integer(1), "small": .integer(-128), "big": .integer(7),
                "double": .real(0.1), "float": .real(1.5), "text": .text("it's"), "data": .blob(Data([0, 1])),
                "date": .real(1.25), "url": .text("https://example.org/a?b"),
                "uuid": .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), "role": .text("owner"), "level": .integer(127),
                "rights": .integer(5), "score": .text("2.5"), "decimal": .text("1.1"),
                "shape": .text(#"{"circle":{"radius":2}}"#), "list": .text(#"["b","a"]"#),
                "dictionary": .text(#"{"k":1}"#), "none": .null, "noRole": .null, "noList": .null,
            ])
    }

    @Test("A record is loaded unchanged, whichever mapping stores it and whichever loads it")
    func roundTrip() async throws {
        func comesBack<One: MembersRecord, Other: MembersRecord>(_: One.Type, _: Other.Type) async throws {
            try await withStorage(Members.schema) { storage in
                var members = Members(id: 7)
                members.none = 3
                members.noRole = .guest
                members.noList = []
                for members in [members, Members(id: 7)] {
                    try await storage.write { try $0.save(One(members: members)) }
                    let loaded: Other? = try await storage.read { try $0.select(Other.all) }
                    #expect(loaded == Other(members: members))
                }
                // Nil is stored over the old value.
                #expect(
                    try await storage.number(
                        "SELECT count(*) FROM members WHERE none IS NULL AND noRole IS NULL AND noList IS NULL") == 1)
                #expect(try await storage.read { try $0.count(One.where(Column("noRole").isNull)) } == 1)
            }
        }
        try await comesBack(Derived.self, Derived.self)
        try await comesBack(Derived.self, Written.self)
        try await comesBack(Written.self, Derived.self)
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
                try database.save(Derived(members: Members(id: 7)))
                let none: MemberRole? = nil
                try database.update(
                    Derived.all,
                    set: [
                        Column("role").set(to: MemberRole.guest), Column("shape").set(to: MemberShape.point),
                        Column("noRole").set(to: none),
                    ])
            }
            let loaded: Derived? = try await storage.read { try $0.select(Derived.all) }
            #expect(loaded?.members.role == .guest && loaded?.members.shape == .point)
            #expect(try await storage.texts("SELECT role FROM members") == ["guest"])
        }
    }

    @Test("A function that is written by hand wins, one or both of them")
    func byHand() async throws {
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
        try await withStorage("CREATE TABLE words (word)") { storage in
            try await storage.write { try $0.insert(Saving(word: "a")) }
            #expect(try await storage.read { try $0.select(Saving.all) } == Saving(word: "A"))
            #expect(try await storage.read { try $0.select(Loading.all) } == Loading(word: "<A>"))
            try await storage.write { try $0.insert(Loading(word: "b")) }
            #expect(try await storage.texts("SELECT word FROM words ORDER BY word") == ["A", "b"])
        }
    }

    @Test("Columns are called as coding keys are, and superclasses that share the encoder add theirs")
    func codingKeys() async throws {
        class Animal: Codable {
            var name: String
            init(name: String) { self.name = name }
            private enum CodingKeys: String, CodingKey { case name = "animal_name" }
        }
        final class Cat: Animal, SQLiteRecord {
            static let tableName = "cats"
            var lives: Int
            private enum CodingKeys: String, CodingKey { case lives }
            init(name: String, lives: Int) {
                self.lives = lives
                super.init(name: name)
            }
            required init(from decoder: any Decoder) throws {
                lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
                try super.init(from: decoder)
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(lives, forKey: .lives)
                try super.encode(to: encoder)
            }
        }
        try await withStorage("CREATE TABLE cats (lives, animal_name)") { storage in
            try await storage.write { _ = try $0.insert(Cat(name: "Tom", lives: 9)) }
            #expect(try await storage.texts("SELECT animal_name || lives FROM cats") == ["Tom9"])
            let name = try await storage.read { (try $0.select(Cat.all) as Cat?).map { "\($0.name)\($0.lives)" } }
            #expect(name == "Tom9")
        }
    }

    @Test("An optional inside of a decoding by hand is nil for NULL, and a value otherwise")
    func optionals() async throws {
        struct Loose: SQLiteRecord, Codable, Equatable {
            static let tableName = "loose"
            var a: String?
            var b: MemberRole?
            init(a: String?, b: MemberRole?) { (self.a, self.b) = (a, b) }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                a = try container.decode(String?.self, forKey: .a)
                b = try container.decodeNil(forKey: .b) ? nil : container.decode(MemberRole.self, forKey: .b)
            }
            enum CodingKeys: String, CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(a, forKey: .a)
                if let b { try container.encode(b, forKey: .b) } else { try container.encodeNil(forKey: .b) }
            }
        }
        try await withStorage("CREATE TABLE loose (a, b)") { storage in
            for record in [Loose(a: nil, b: nil), Loose(a: "text", b: .owner)] {
                try await storage.write { database in
                    try database.delete(Loose.all)
                    try database.insert(record)
                }
                #expect(try await storage.read { try $0.select(Loose.all) } == record)
            }
            #expect(try await storage.texts("SELECT a FROM loose") == ["text"])
        }
    }

    @Test(
        "A record of settings with a table of its own is mapped as Codable, and survives a column that is none of it")
    func settingsRecord() async throws {
        struct Parameters: SQLiteSettingsRecord, Equatable {
            static let tableName = "parameters"
            static let empty = Parameters()
            var isDetailed = false
            var apiURL: URL?
            var retries = 3
            var role = MemberRole.guest
            var hosts = ["a"]
        }
        try await withTemporaryFolder { folder in
            let version = ScriptVersion(
                "1", "CREATE TABLE parameters (isDetailed BOOLEAN, apiURL TEXT, retries INTEGER, role TEXT, hosts TEXT)"
            )
            let parameters = try SettingsStorage<Parameters>(name: "P", at: folder, versions: [version])
            #expect(parameters.isDetailed == false && parameters.retries == 3 && parameters.role == .guest)
            parameters.isDetailed = true
            parameters.apiURL = URL(string: "https://example.org")
            parameters.role = .owner
            let program = try OtherProgram(folder.appendingPathComponent("P.sqlite").path)
            #expect(
                try program.run("SELECT * FROM parameters")
                    == [["1", "https://example.org", "3", "owner", #"["a"]"#]])
            parameters.apiURL = nil
            #expect(try program.text("SELECT apiURL FROM parameters") == nil)
            try program.run("UPDATE parameters SET retries = 'many', hosts = '{}', role = NULL, isDetailed = 0")
            #expect(try await eventually { parameters.isDetailed == false })
            #expect(parameters.retries == 3 && parameters.hosts == ["a"] && parameters.role == .guest)
        }
    }
}
