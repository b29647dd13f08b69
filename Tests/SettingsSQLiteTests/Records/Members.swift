import Foundation
import SettingsSQLite

enum MemberRole: String, Codable { case guest, owner }
enum MemberLevel: Int8, SQLiteConvertible, Codable { case low = -128, high = 127 }
enum MemberShape: Codable, Equatable { case point, circle(radius: Double) }

struct MemberRights: OptionSet, Codable {
    let rawValue: Int
}

/// A type that encodes itself as a single value, and says nothing to SQLite.
struct MemberScore: Codable, Equatable {
    var points: Double

    init(_ points: Double) { self.points = points }
    init(from decoder: any Decoder) throws { points = try decoder.singleValueContainer().decode(Double.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(points)
    }
}

struct Members: SQLiteRecord, Codable, Equatable, Sendable {
    static let tableName = "members"

    var id: Int
    var flag = true
    var small: Int8 = .min
    var big: UInt64 = 7
    var double = 0.1
    var text = "it's"
    var data = Data([0, 1])
    var date = Date(timeIntervalSinceReferenceDate: 1.25)
    var url = URL(string: "https://example.org/a?b")
    var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var role = MemberRole.owner
    var level: MemberLevel? = MemberLevel.high
    var rights = MemberRights(rawValue: 5)
    var score = MemberScore(2.5)
    var decimal = Decimal(string: "1.10")
    var shape = MemberShape.circle(radius: 2)
    var list = ["b", "a"]
    var dates = [Date(timeIntervalSinceReferenceDate: 1.25)]
    var none: Int?
    var noRole: MemberRole?
    var noList: [Int]?

    /// The values of the columns.
    var values: [String: SQLiteValue] {
        [
            "id": .integer(Int64(id)), "flag": .integer(1), "small": .integer(-128), "big": .integer(7),
            "double": .real(0.1), "text": .text("it's"), "data": .blob(Data([0, 1])), "date": .real(1.25),
            "url": .text("https://example.org/a?b"), "uuid": .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
            "role": .text("owner"), "level": .integer(127), "rights": .integer(5), "score": .text("2.5"),
            "decimal": .text("1.1"), "shape": .text(#"{"circle":{"radius":2}}"#), "list": .text(#"["b","a"]"#),
            "dates": .text(#"["2001-01-01T00:00:01.25Z"]"#),
            "none": .null, "noRole": .null, "noList": .null,
        ]
    }

    /// A table whose columns have no types: all is kept as it is.
    static let schema =
        "CREATE TABLE members (\(Members(id: 0).values.keys.sorted().joined(separator: ", ")), PRIMARY KEY (id))"
}
