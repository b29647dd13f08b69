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

struct Members: Codable, Equatable {
    var id: Int
    var flag = true
    var small: Int8 = .min
    var big: UInt64 = 7
    var double = 0.1
    var float: Float = 1.5
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
    var dictionary = ["k": 1]
    var none: Int?
    var noRole: MemberRole?
    var noList: [Int]?

    static let names = [
        "id", "flag", "small", "big", "double", "float", "text", "data", "date", "url", "uuid", "role", "level",
        "rights", "score", "decimal", "shape", "list", "dictionary", "none", "noRole", "noList",
    ]

    static let schema =
        "CREATE TABLE members (\(names.joined(separator: ", ")), PRIMARY KEY (id)) -- no types: all is kept as it is"
}

protocol MembersRecord: SQLiteRecord, Equatable, Sendable {
    var members: Members { get }
    init(members: Members)
}

/// The members as `Codable` maps them.
struct Derived: MembersRecord, Codable {
    static let tableName = "members"
    var members: Members
    init(members: Members) { self.members = members }
    init(from decoder: any Decoder) throws { members = try Members(from: decoder) }
    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// The same, written by hand.
struct Written: MembersRecord {
    static let tableName = "members"
    var members: Members

    func save(into row: inout SQLiteRow) throws {
        let m = members
        (row["id"], row["flag"], row["small"], row["big"]) = (m.id, m.flag, m.small, m.big)
        (row["double"], row["float"], row["text"], row["data"]) = (m.double, m.float, m.text, m.data)
        (row["date"], row["url"], row["uuid"], row["role"]) = (m.date, m.url, m.uuid, m.role)
        (row["level"], row["rights"], row["score"], row["decimal"]) = (m.level, m.rights, m.score, m.decimal)
        (row["shape"], row["list"], row["dictionary"], row["none"]) = (m.shape, m.list, m.dictionary, m.none)
        (row["noRole"], row["noList"]) = (m.noRole, m.noList)
    }

    static func load(from row: SQLiteRow) throws -> Written {
        var m = Members(id: try row["id"])
        (m.flag, m.small, m.big) = (try row["flag"], try row["small"], try row["big"])
        (m.double, m.float, m.text, m.data) = (
            try row["double"], try row["float"], try row["text"], try row["data"]
        )
        (m.date, m.url, m.uuid, m.role) = (try row["date"], row["url"], row["uuid"], try row["role"])
        (m.level, m.rights, m.score, m.decimal) = (
            row["level"], try row["rights"], try row["score"], row["decimal"]
        )
        (m.shape, m.list, m.dictionary) = (try row["shape"], try row["list"], try row["dictionary"])
        (m.none, m.noRole, m.noList) = (row["none"], row["noRole"], row["noList"])
        return Written(members: m)
    }
}
