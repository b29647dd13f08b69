import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Writing XML property lists", .ownThreads)
struct XMLWritingTests {
    private func text(_ value: PropertyListValue) throws -> String {
        let file = String(
            decoding: try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: value)]), as: UTF8.self)
        let start = try #require(file.range(of: "<key>k</key>\n\t"))
        let end = try #require(file.range(of: "\n</dict>\n</plist>\n"))
        return String(file[start.upperBound..<end.lowerBound])
    }

    @Test(
        "Writing XML property lists: writes each value in the form of Apple's writer",
        arguments: [
            (PropertyListValue.boolean(true), "<true/>"),
            (.integer(.min), "<integer>-9223372036854775808</integer>"),
            (.integer(0), "<integer>0</integer>"),
            (.unsigned(.max), "<integer>18446744073709551615</integer>"),
            (.real(0.1), "<real>0.1</real>"),
            (.real(3), "<real>3</real>"),
            (.real(-0.0), "<real>-0</real>"),
            (.real(1e300), "<real>1e+300</real>"),
            (.real(.nan), "<real>nan</real>"),
            (.real(.infinity), "<real>+infinity</real>"),
            (.real(-.infinity), "<real>-infinity</real>"),
            (.date(0), "<date>2001-01-01T00:00:00Z</date>"),
            (.date(-0.25), "<date>2000-12-31T23:59:59Z</date>"),
            (.date(1.75), "<date>2001-01-01T00:00:01Z</date>"),
            (.date(-63_113_904_000), "<date>0001-01-01T00:00:00Z</date>"),
            (.date(252_423_993_599), "<date>9999-12-31T23:59:59Z</date>"),
            (.date(252_423_993_600), "<real>252423993600</real>"),
            (.date(-63_113_904_001), "<real>-63113904001</real>"),
            (.date(.nan), "<real>nan</real>"),
            (.string("a&b<c>\r\n\"'"), "<string>a&amp;b&lt;c&gt;&#13;\n\"'</string>"),
            (.array([]), "<array/>"),
            (.dictionary([]), "<dict/>"),
            (.data(Data()), "<data>\n\t</data>"),
            (.data(Data([1])), "<data>\n\tAQ==\n\t</data>"),
            (.array([.string("")]), "<array>\n\t\t<string></string>\n\t</array>"),
        ])
    func writesEachValueIn(value: PropertyListValue, expected: String) throws {
        #expect(try text(value) == expected)
    }

    @Test("Writing XML property lists: writes header, document type, comment and a final line end")
    func writesHeaderDocumentType() throws {
        let file = try XMLPropertyListWriter.write([], comment: "Made by hand - no")
        #expect(
            String(decoding: file, as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <!-- Made by hand - no -->
                <plist version="1.0">
                <dict/>
                </plist>

                """)
        #expect(try PropertyListReader.readDictionary(file).isEmpty)
    }

    @Test(
        "Writing XML property lists: refuses a comment that XML cannot hold",
        arguments: ["a--b", "--", "\u{1}", "\u{FFFF}"])
    func refusesACommentThat(comment: String) {
        #expect(throws: PropertyListError(.notRepresentable)) {
            try XMLPropertyListWriter.write([], comment: comment)
        }
    }

    @Test("Writing XML property lists: gives the same bytes as Foundation's writer")
    func givesTheSameBytes() throws {
        let members = sampleMembers.filter { !["ratio", "nest", "text"].contains($0.key) }.sorted { $0.key < $1.key }
        for depth in 0..<12 {
            var value = PropertyListValue.dictionary(members)
            for _ in 0..<depth { value = .dictionary([PropertyListMember(key: "n", value: value)]) }
            let ours = try XMLPropertyListWriter.write([PropertyListMember(key: "root", value: value)])
            let theirs = try PropertyListSerialization.data(
                fromPropertyList: ["root": foundationObject(value)], format: .xml, options: 0)
            #expect(
                String(decoding: ours, as: UTF8.self).split(separator: "\n").sorted()
                    == String(decoding: theirs, as: UTF8.self).split(separator: "\n").sorted(), "depth \(depth)")
        }
    }

    @Test(
        "Writing XML property lists: refuses strings that XML cannot hold",
        arguments: ["\u{0}", "a\u{1}", "\u{B}", "\u{1F}b", "\u{FFFE}", "x\u{FFFF}"])
    func refusesStringsThatXML(string: String) {
        let value = PropertyListValue.array([.string(string)])
        #expect(!XMLPropertyListWriter.canRepresent(value))
        #expect(throws: PropertyListError(.notRepresentable)) { try text(value) }
    }

    @Test(
        "Writing XML property lists: accepts all other strings",
        arguments: ["\t\n\r", "\u{7F}\u{80}\u{85}", "\u{FFFD}\u{1FFFE}\u{10FFFF}", "\u{EFFF}\u{FFC0}\u{FFBF}"])
    func acceptsAllOtherStrings(string: String) throws {
        #expect(XMLPropertyListWriter.canRepresent(.string(string)))
        let file = try XMLPropertyListWriter.write([PropertyListMember(key: string, value: .string(string))])
        let member = try #require(try PropertyListReader.readDictionary(file).first)
        #expect(Array(member.key.utf8) == Array(string.utf8))
        #expect(member.value == .string(string))
    }

    @Test("Writing XML property lists: what is written reads back the same")
    func whatIsWrittenReads() throws {
        for seed in Rounds.seeds(0..<200) {
            var random = RandomPropertyList(seed: seed)
            let members = random.members()
            let file = try XMLPropertyListWriter.write(members, comment: "seed \(seed)")
            #expect(try PropertyListReader.readDictionary(file) == members, "seed \(seed)")
            #expect(members.allSatisfy { XMLPropertyListWriter.canRepresent($0.value) }, "seed \(seed)")
        }
    }

    @Test("Writing XML property lists: reals read back to the bit")
    func realsReadBackTo() throws {
        print("reals: seed 77")
        var generator = SeededGenerator(seed: 77)
        let numbers =
            (0..<5000).map { _ in Double(bitPattern: generator.next()) }.filter { !$0.isNaN }
            + [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, 1e15, 1e16, 123456.75]
        let file = try XMLPropertyListWriter.write([
            PropertyListMember(key: "n", value: .array(numbers.map { .real($0) }))
        ])
        guard case .array(let values) = try PropertyListReader.readDictionary(file)[0].value else {
            Issue.record("not an array")
            return
        }
        let bits: [UInt64] = values.compactMap { if case .real(let number) = $0 { number.bitPattern } else { nil } }
        #expect(bits == numbers.map(\.bitPattern))
    }

    @Test("Writing XML property lists: every day of four hundred years and more reads back, and agrees with Foundation")
    func everyDayOfFour() throws {
        var seconds: [Double] = []
        for day in stride(from: -63_113_904_000.0, to: 252_423_993_600, by: 86_400 * 17 + 12_345) {
            seconds.append(day)
        }
        let step = Rounds.choose(49, full: 7)
        for day in 0..<150_000 where day % step == 0 || day % 365 > 360 { seconds.append(Double(day) * 86_400 - 1) }
        let file = try XMLPropertyListWriter.write([
            PropertyListMember(key: "d", value: .array(seconds.map { .date($0) }))
        ])
        let dates = PropertyListValue.array(seconds.map { .date($0) })
        #expect(try PropertyListReader.readDictionary(file)[0].value == dates)
        let object = try PropertyListSerialization.propertyList(from: file, format: nil) as? [String: [Date]]
        #expect(object?["d"]?.map(\.timeIntervalSinceReferenceDate) == seconds)
    }
}
