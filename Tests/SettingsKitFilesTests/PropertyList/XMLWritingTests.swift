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
            (.real(0.1), "<real>0.1</real>"),
            (.real(-0.0), "<real>-0</real>"),
            (.real(.nan), "<real>nan</real>"),
            (.real(.infinity), "<real>+infinity</real>"),
            (.real(-.infinity), "<real>-infinity</real>"),
            (.date(0), "<date>2001-01-01T00:00:00Z</date>"),
            (.date(1.75), "<date>2001-01-01T00:00:01Z</date>"),
            (.date(252_423_993_600), "<real>252423993600</real>"),
            (.string("a&b<c>\r\n\"'"), "<string>a&amp;b&lt;c&gt;&#13;\n\"'</string>"),
            (.data(Data([1])), "<data>\n\tAQ==\n\t</data>"),
            (.array([.string("")]), "<array>\n\t\t<string></string>\n\t</array>"),
        ])
    func writesEachValueIn(value: PropertyListValue, expected: String) throws {
        #expect(try text(value) == expected)
    }

    @Test("Writing XML property lists: writes header, document type and a final line end")
    func writesHeaderDocumentType() throws {
        let file = try XMLPropertyListWriter.write([])
        #expect(
            String(decoding: file, as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict/>
                </plist>

                """)
        #expect(try PropertyListReader.readDictionary(file).isEmpty)
    }

    @Test(
        "Writing XML property lists: refuses strings that XML cannot hold",
        arguments: ["\u{0}", "a\u{1}", "\u{B}", "\u{1F}b", "\u{FFFE}", "x\u{FFFF}"])
    func refusesStringsThatXML(string: String) {
        let value = PropertyListValue.array([.string(string)])
        #expect(!XMLPropertyListWriter.canRepresent(value))
        #expect(throws: PropertyListError(.notRepresentable)) { try text(value) }
    }

    @Test("Writing XML property lists: what is written reads back the same, by Foundation, too")
    func whatIsWrittenReads() throws {
        for seed in Rounds.seeds(0..<200) {
            var random = RandomPropertyList(seed: seed)
            let members = random.members(depth: 5)
            let file = try XMLPropertyListWriter.write(members)
            #expect(try PropertyListReader.readDictionary(file) == members, "seed \(seed)")
            #expect(members.allSatisfy { XMLPropertyListWriter.canRepresent($0.value) }, "seed \(seed)")
            let object = try PropertyListSerialization.propertyList(from: file, format: nil)
            let expected = try #require(foundationObject(.dictionary(members)) as? NSDictionary)
            #expect(expected.isEqual(object), "seed \(seed)")
        }
    }

    @Test(
        "What Foundation writes is read",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func whatFoundationWritesIs(format: PropertyListSerialization.PropertyListFormat) throws {
        for seed in Rounds.seeds(0..<150) {
            var random = RandomPropertyList(seed: seed)
            random.usesCarriageReturns = format == .binary
            let members = random.members(depth: 5)
            let file = try PropertyListSerialization.data(
                fromPropertyList: foundationObject(.dictionary(members)), format: format, options: 0)
            let expected = sorted(.dictionary(members))
            #expect(sorted(try PropertyListReader.read(file)) == expected, "seed \(seed)")
        }
    }
}
