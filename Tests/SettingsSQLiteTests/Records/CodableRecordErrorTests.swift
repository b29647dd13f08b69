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
            ("none", "'secret'", "text where Int"),
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

    /// A type that asks for another container than a keyed one.
    private struct Odd: SQLiteRecord, Codable {
        static let tableName = "members"
        enum CodingKeys: String, CodingKey { case request }

        init() {}

        func encode(to encoder: any Encoder) throws { _ = encoder.singleValueContainer() }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .request) {
            case "an unkeyed container": _ = try decoder.unkeyedContainer()
            case "a single value": _ = try decoder.singleValueContainer()
            case "a nested container": _ = try container.nestedUnkeyedContainer(forKey: .request)
            default: _ = try container.superDecoder()
            }
        }
    }

    @Test("A record that is not encoded as one keyed container ends the program, and cannot be loaded")
    func otherContainers() async {
        await #expect(processExitsWith: .failure) {
            var row = SQLiteRow()
            try Odd().save(into: &row)
        }
        for request in ["an unkeyed container", "a single value", "a nested container", "a decoder for its superclass"]
        {
            var row = SQLiteRow()
            row["request"] = request
            await expect(.unexpectedRow, saying: request) { [row] in try Odd.load(from: row) }
        }
    }
}
