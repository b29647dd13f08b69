import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Errors of records that are Codable")
struct CodableRecordErrorTests {
    @Test(
        "A row that does not decode as a Codable type is reported by table and column, never by value",
        arguments: [
            ("id", "'secret'", "text where Int is expected"), ("flag", "77007", "an integer where Bool"),
            ("text", "NULL", "NULL where String"), ("none", "'secret'", "text where Int"),
            ("role", "'secret'", "text where MemberRole"), ("noRole", "'secret'", "text where MemberRole"),
            ("level", "'secret'", "text where MemberLevel"), ("uuid", "'secret'", "text where UUID"),
            ("list", "'{\"secret\": 77007}'", ""), ("list", "'secret'", ""),
            ("list", "NULL", "NULL where Array<String>"),
            ("list", "x'77'", "bytes where"), ("shape", "'{\"secret\": {}}'", ""),
        ])
    func mismatches(column: String, value: String, message: String) async throws {
        try await withStorage(Members.schema) { storage in
            try await storage.write { database in
                try database.save(Derived(members: Members(id: 7)))
                try database.execute(script: "UPDATE members SET \(column) = \(value)")
            }
            for secret in ["secret", "77007"] {
                let error = await expect(.unexpectedRow, saying: message, not: secret) {
                    _ = try await storage.read { try $0.select(Derived.all) as Derived? }
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
        var members = Members(id: 7)
        members.double = .nan
        try await expectUnstorable(Derived(members: members), "table members, column double")
        members = Members(id: 7)
        members.big = .max
        try await expectUnstorable(Derived(members: members), "table members, column big")
        members = Members(id: 7)
        members.shape = .circle(radius: .infinity)
        try await expectUnstorable(Derived(members: members), "table members, column shape")
    }

    private func expectUnstorable(_ record: some SQLiteRecord & Sendable, _ message: String) async throws {
        try await withStorage(Members.schema) { storage in
            await expect(.encodingFailed, saying: message) { try await storage.write { try $0.save(record) } }
            let count = try await storage.number("SELECT count(*) FROM members")
            #expect(count == 0)
        }
    }

    @Test("A record that is not encoded as one keyed container is refused with a message")
    func otherContainers() async throws {
        struct Unkeyed: SQLiteRecord, Codable {
            static let tableName = "members"
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
            }
            init() {}
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        struct Empty: SQLiteRecord, Codable {
            static let tableName = "members"
            init() {}
            func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
            init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
        }
        struct Single: SQLiteRecord, Codable {
            static let tableName = "members"
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode("secret")
            }
            init() {}
            init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer() }
        }
        struct Nested: SQLiteRecord, Codable {
            static let tableName = "members"
            enum CodingKeys: String, CodingKey { case id, list }
            init() {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .id)
                var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .list)
                // A type that ignores the error is refused all the same.
                try? nested.encode("secret", forKey: .id)
            }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _ = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .list)
            }
        }
        struct Super: SQLiteRecord, Codable {
            static let tableName = "members"
            enum CodingKeys: String, CodingKey { case id }
            init() {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try "secret".encode(to: container.superEncoder())
            }
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: CodingKeys.self).superDecoder()
            }
        }
        func expectRefused<Record: SQLiteRecord>(_ record: Record, _ message: String) {
            var row = SQLiteRow()
            #expect {
                try record.save(into: &row)
            } throws: {
                SettingsError.Code.encodingFailed ~= $0 && "\($0)".contains("table members")
                    && "\($0)".contains(message)
                    && !"\($0)".contains("secret")
            }
            #expect(row.columns.isEmpty)
            #expect {
                _ = try Record.load(from: SQLiteRow())
            } throws: {
                SettingsError.Code.unexpectedRow ~= $0 && "\($0)".contains(message)
            }
        }
        expectRefused(Unkeyed(), "an unkeyed container")
        expectRefused(Empty(), "an unkeyed container")
        expectRefused(Single(), "a single value")
        expectRefused(Nested(), "a nested container")
        expectRefused(Super(), "for its superclass")
    }
}
