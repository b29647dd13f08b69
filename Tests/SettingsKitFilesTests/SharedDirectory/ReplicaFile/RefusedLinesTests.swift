import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// Lines whose check is right, and which are not what they should be all the same.
@Suite("A line is refused")
struct RefusedLinesTests {
    private static let key = #""key":"a""#
    private static let value = #""value":1"#
    private static let changed = #""changed":"2026-11-21T12:00:00.000Z""#
    private static let by = #""by":"0000000000000005""#
    private static let all = [key, value, changed, by]

    private static let header = [
        #""version":1"#, #""replica":"0000000000000005""#, #""device":"d""#, #""written":"2026-11-21T12:00:00.000Z""#,
        #""records":1"#,
    ]

    private static func headerLine(_ members: [String]) -> [UInt8] {
        checkedLine(ReplicaFile.magic + members.joined(separator: ","))
    }

    private func reads(record members: String) throws -> Bool {
        let file = try #require(replicaFile(Self.headerLine(Self.header) + checkedLine(members)))
        #expect(file.records.count + file.damagedLines == 1)
        return !file.records.isEmpty
    }

    private func reads(record members: [String]) throws -> Bool {
        try reads(record: "{" + members.joined(separator: ","))
    }

    /// Whether the first line is read; a good record behind it is in any case.
    private func reads(header members: [String]) throws -> Bool {
        let record = checkedLine("{" + Self.all.joined(separator: ","))
        let file = try #require(replicaFile(Self.headerLine(members) + record))
        #expect(file.records.count == 1)
        #expect((file.header == nil) == (file.damagedLines == 1))
        return file.header != nil
    }

    @Test("A line is refused for nothing else but what is in it")
    func forNothingElseBut() throws {
        #expect(try reads(record: Self.all))
        #expect(try reads(header: Self.header))
        // The order of the members does not matter.
        #expect(try reads(record: Self.all.reversed()))
        #expect(try reads(header: Self.header.reversed()))
    }

    @Test(
        "A line is refused for lacking a member", arguments: all.indices)
    func forLackingAMemberAlone(index: Int) throws {
        var members = Self.all
        members.remove(at: index)
        #expect(try !reads(record: members))
    }

    @Test(
        "A line is refused for lacking a member of the header", arguments: header.indices)
    func forLackingAMember(index: Int) throws {
        var members = Self.header
        members.remove(at: index)
        #expect(try !reads(header: members))
    }

    @Test(
        "A line is refused for having a member twice", arguments: all + [#""order":1"#])
    func forHavingAMemberTwice(member: String) throws {
        let members = Self.all.filter { $0 != member }
        #expect(try reads(record: members + [member]))
        #expect(try !reads(record: members + [member, member]))
        #expect(try !reads(record: [member] + members + [member]))
    }

    @Test(
        "A line is refused for having a member of the header twice", arguments: header + [#""settings":"replica""#])
    func forHavingAMember(member: String) throws {
        #expect(try !reads(header: [member] + Self.header.filter { $0 != member } + [member]))
    }

    @Test(
        "A line is refused for members about parts that are not as they should be",
        arguments: [
            (#""part":1"#, false), (#""part":0"#, true), (#""serial":"00000000000000aa""#, false),
            (#""part":1,"serial":"00000000000000aa""#, true), (#""part":-1,"serial":"00000000000000aa""#, false),
            (#""part":"1","serial":"00000000000000aa""#, false), (#""part":1,"serial":170"#, false),
            (#""parts":["00000000000000aa",null,"00000000000000ab"]"#, true), (#""parts":[null]"#, true),
            (#""parts":[]"#, false), (#""parts":["aa"]"#, false), (#""parts":[1]"#, false), (#""parts":{}"#, false),
            (#""parts":"00000000000000aa""#, false), (#""parts":[["00000000000000aa"]]"#, false),
            (#""parts":[\#(Array(repeating: "null", count: 99).joined(separator: ","))]"#, true),
            (#""parts":[\#(Array(repeating: "null", count: 100).joined(separator: ","))]"#, false),
            (#""total":7"#, true), (#""total":-7"#, false), (#""total":"7""#, false),
            (#""total":7,"total":7"#, false), (#""parts":[null],"parts":[null]"#, false),
        ] as [(String, Bool)])
    func forMembersAboutParts(members: String, isRight: Bool) throws {
        #expect(try reads(header: Self.header + [members]) == isRight)
    }

    @Test("A line is refused for saying two things of the value")
    func forSayingTwoThings() throws {
        let ways = [Self.value, #""data":"MQ==""#, #""deleted":true"#]
        for one in ways {
            #expect(try reads(record: [Self.key, one, Self.changed, Self.by]))
            for other in ways { #expect(try !reads(record: [Self.key, one, other, Self.changed, Self.by])) }
        }
    }

    @Test(
        "A line is refused for a member of another kind, or out of its bounds",
        arguments: [
            ("key", ["1", "null", "[]", "{}", "true", #""""#, #""a\u0000""#, #""\ud83d""#]),
            (
                "changed",
                [
                    "1", "null", #""""#, #""2026-11-21""#, #""2026-13-21T12:00:00.000Z""#,
                    #""2026-11-21T12:00:00.000z""#,
                    #""+026-11-21T12:00:00.000Z""#, #""1969-12-31T23:59:59.999Z""#, #""2026-11-21T12:00:00.000\u005a""#,
                ]
            ),
            (
                "by",
                [
                    "5", "null", #""""#, #""5""#, #""00000000000000005""#, #""000000000000000A""#,
                    #""000000000000000g""#,
                    #""+000000000000005""#, "0000000000000005",
                ]
            ),
            (
                "order",
                [
                    "-1", "65536", "999999999", "1000000000", "99999999999999999999", "1.0", "1e2", "\"1\"", "null",
                    "[]", "-0",
                ]
            ),
            ("deleted", ["false", "null", "1", "\"true\"", "[true]"]),
            (
                "data",
                [
                    "1", "null", "\"M\"", "\"MQ=\"", "\"MQ\"", "\"MQ===\"", "\"M=Q=\"", "\"****\"", "\"MQ==MQ==\"",
                    "[]", #""\u004dQ==""#,
                ]
            ),
        ] as [(String, [String])])
    func forAMemberOfAnother(name: String, values: [String]) throws {
        for value in values {
            let member = "\"\(name)\":\(value)"
            var members = Self.all.filter { !$0.hasPrefix("\"\(name)\":") }
            if ["data", "deleted"].contains(name) { members.removeAll { $0 == Self.value } }
            #expect(try !reads(record: members + [member]), "\(member)")
        }
    }

    @Test(
        "A line is refused for a member of the header of another kind, or out of its bounds",
        arguments: [
            ("version", ["-1", "1.0", "1e0", "\"1\"", "null", "[]", "true"]),
            ("replica", ["5", "null", #""""#, #""000000000000000A""#]),
            ("device", ["1", "null", "[]", #""\ud83d""#]),
            ("written", ["1", "null", #""now""#, #""1969-12-31T23:59:59.999Z""#]),
            ("records", ["-1", "1.5", "\"1\"", "null", "1e3", "1000000000", "99999999999999999999"]),
        ] as [(String, [String])])
    func forAMemberOf(name: String, values: [String]) throws {
        for value in values {
            let member = "\"\(name)\":\(value)"
            #expect(try !reads(header: Self.header.filter { !$0.hasPrefix("\"\(name)\":") } + [member]), "\(member)")
        }
    }

    @Test(
        "A line is refused for being no object with members",
        arguments: [
            "", "{", "{,", "[1", "1", "null", #"{"a""#, #"{"a":"#, #"{"a":1,"#, "{{", #"{"a":1}"#, #" {"a":1"#,
        ])
    func forBeingNoObject(text: String) throws {
        #expect(try !reads(record: text))
        let rest = Self.all.joined(separator: ",")
        #expect(try !reads(record: text + "," + rest))
    }

    @Test(
        "A line is refused for something between its members",
        arguments: [" ", "\t", "}", "]", ",", ":1", "x", "\u{FF}"])
    func forSomethingBetweenIts(text: String) throws {
        for index in 1..<4 {
            let left = "{" + Self.all.prefix(index).joined(separator: ",") + text
            #expect(try !reads(record: left + "," + Self.all.dropFirst(index).joined(separator: ",")))
        }
        #expect(try !reads(record: "{" + Self.all.joined(separator: ",") + text))
    }

    @Test("A line is refused for a value that is no JSON")
    func forAValueThat() throws {
        for text in JSONTexts.others + JSONTexts.nearly where !text.contains("\n") {
            // These end where the next member begins, or hold it.
            if ["1,", #"""#].contains(text) { continue }
            #expect(try !reads(record: [Self.key, "\"value\":" + text, Self.changed, Self.by]), "\(text)")
        }
    }

    @Test("A line is refused for anything after its check, or another check")
    func forAnythingAfterIts() throws {
        let line = checkedLine("{" + Self.all.joined(separator: ",")).dropLast()
        let header = Self.headerLine(Self.header)
        func isRead(_ line: some Sequence<UInt8>) -> Bool {
            replicaFile(header + Array(line))?.records.isEmpty == false
        }
        #expect(isRead(line))
        #expect(!isRead(line + [0x20]))
        #expect(!isRead(line.dropLast() + Array(#","more":1}"#.utf8)))
        #expect(!isRead(line.dropLast() + Array(#","check":"00000000"}"#.utf8)))
        #expect(!isRead(line + line))
        #expect(!isRead(Array(String(decoding: line, as: UTF8.self).replacing("\"check\"", with: "\"Check\"").utf8)))
        let digits = (line.endIndex - 10)..<(line.endIndex - 2)
        var upper = line
        upper.replaceSubrange(digits, with: String(decoding: line[digits], as: UTF8.self).uppercased().utf8)
        #expect(isRead(upper) == (upper == line))
        var zeros = line
        zeros.replaceSubrange(digits, with: "00000000".utf8)
        #expect(!isRead(zeros))
    }
}
