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
        var members = Members(id: 7)
        members.double = .nan
        try await expectUnstorable(members, "table members, column double")
        members = Members(id: 7)
        members.big = .max
        try await expectUnstorable(members, "table members, column big")
        members = Members(id: 7)
        members.shape = .circle(radius: .infinity)
        try await expectUnstorable(members, "table members, column shape")
    }

    private func expectUnstorable(_ record: some SQLiteRecord & Sendable, _ message: String) async throws {
        try await withStorage(Members.schema) { storage in
            await expect(.encodingFailed, saying: message) { try await storage.write { try $0.save(record) } }
            let count = try await storage.number("SELECT count(*) FROM members")
            #expect(count == 0)
        }
    }

    /// A type that asks for another container than a keyed one.
    private struct Odd: SQLiteRecord, Codable {
        static let tableName = "members"
        enum CodingKeys: String, CodingKey { case request }

        let request: String

        init(_ request: String) { self.request = request }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch request {
            case "an unkeyed container": _ = encoder.unkeyedContainer()
            case "a single value": _ = encoder.singleValueContainer()
            case "a nested container": _ = container.nestedUnkeyedContainer(forKey: .request)
            default: _ = container.superEncoder()
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            request = try container.decode(String.self, forKey: .request)
            switch request {
            case "an unkeyed container": _ = try decoder.unkeyedContainer()
            case "a single value": _ = try decoder.singleValueContainer()
            case "a nested container": _ = try container.nestedUnkeyedContainer(forKey: .request)
            default: _ = try container.superDecoder()
            }
        }
    }

    @Test(
        "A record that is not encoded as one keyed container ends the program, and cannot be loaded",
        arguments: ["an unkeyed container", "a single value", "a nested container", "a decoder for its superclass"])
    func otherContainers(request: String) async {
        await #expect(processExitsWith: .failure) { [request] in
            var row = SQLiteRow()
            try Odd(request).save(into: &row)
        }
        await expect(.unexpectedRow, saying: request) {
            var row = SQLiteRow()
            row["request"] = request
            _ = try Odd.load(from: row)
        }
    }
}
