import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Reading XML property lists")
struct XMLReadingTests {
    @Test(
        "Reading XML property lists gives each value as it is written",
        arguments: [
            ("<true/>", PropertyListValue.boolean(true)),
            ("<integer>12</integer>", .integer(12)),
            ("<integer>-9223372036854775808</integer>", .integer(.min)),
            ("<integer>9223372036854775807</integer>", .integer(.max)),
            ("<integer>9223372036854775808</integer>", .unsigned(1 << 63)),
            ("<integer>18446744073709551615</integer>", .unsigned(.max)),
            ("<real>1.5e3</real>", .real(1500)),
            ("<real>inf</real>", .real(.infinity)),
            ("<real>-Infinity</real>", .real(-.infinity)),
            ("<string/>", .string("")),
            ("<string>&amp;&lt;&gt;&quot;&apos;</string>", .string("&<>\"'")),
            ("<string>&#65;&#x1F600;&#x00041;</string>", .string("A😀A")),
            ("<string>a\r\nb\rc&#13;&#10;</string>", .string("a\nb\nc\r\n")),
            ("<string>a<![CDATA[<&amp;\r\n]]]]>b</string>", .string("a<&amp;\n]]b")),
            ("<string a='>' b=\"/>\">x</string  >", .string("x")),
            ("<data> AAE C\r\nAw== </data>", .data(Data([0, 1, 2, 3]))),
            ("<array><!-- x --><true/><?y?>\n<array></array></array>", .array([.boolean(true), .array([])])),
            ("<dict><key/><true/></dict>", .dictionary([PropertyListMember(key: "", value: .boolean(true))])),
            ("<date>2001-01-01T00:00:00Z</date>", .date(0)),
            ("<date>-1168-02-16T14:13:20Z</date>", .date(-100_000_000_000)),
            ("<date>12345-01-01T00:00:00Z</date>", .date(326_425_075_200)),
        ])
    func givesEachValueAs(text: String, value: PropertyListValue) throws {
        #expect(try readBody(text) == value)
        #expect(try PropertyListReader.read(Data(text.utf8)) == value, "also without the plist element")
    }

    @Test(
        "Reading XML property lists refuses what is malformed",
        arguments: [
            "<integer></integer>", "<integer>1.5</integer>", "<integer>0x</integer>", "<integer>--1</integer>",
            "<integer>18446744073709551616</integer>", "<integer>-9223372036854775809</integer>", "<real></real>",
            "<real>1,5</real>", "<date>2001-01-01 00:00:00</date>", "<date/>",
            "<date>1234567890-01-01T00:00:00Z</date>", "<string>&nbsp;</string>", "<string>&#xD800;</string>",
            "<string>&#x110000;</string>", "<string>&amp</string>", "<string>a<b/></string>", "<string>\u{0}</string>",
            "<true>x</true>", "<string></key>", "<dict><key>a</key></dict>", "<dict><true/></dict>",
            "<dict><key>a</key><key>b</key><true/></dict>", "<dict><array></dict></array>", "<array>text</array>",
            "<nonsense/>", "<true/><true/>", "<plist/>", "", "</array>", "<key>k</key>", "<integer>1 2</integer>",
            "<date>2001-01-32T00:00:00Z</date>", "<data>QUJ</data>", "<string a=\"b>x</string>", "<true/></plist> more",
        ])
    func refusesWhatIsMalformed(text: String) {
        #expect(failure(reading: "<plist>\(text)</plist>") == .malformed)
    }

    @Test(
        "Reading XML property lists tells what is wrong with the whole file",
        arguments: [
            ("", PropertyListError.Kind.empty), (" \n\t", .empty), ("\u{FEFF}", .empty),
            ("{ a = b; }", .notAPropertyList), ("<html></html>", .notAPropertyList),
            ("bplist10xxxx", .unsupportedVersion), ("bplist00", .truncated), ("<plist><string>a</stri", .truncated),
            ("<!DOCTYPE plist [ <!ENTITY a '>", .truncated), ("<plist a='", .truncated),
            ("<plist></plist>", .malformed),
        ])
    func tellsWhatIsWrong(text: String, kind: PropertyListError.Kind) {
        #expect(failure(reading: text) == kind)
    }

    @Test("Reading XML property lists skips the document type without looking at its entities")
    func skipsTheDocumentType() throws {
        let text = """
            <?xml version="1.0" encoding="utf-8" standalone="no"?>
            <!-- one --><!DOCTYPE plist [ <!ENTITY a "]>"> <!-- it's ]> --> <?p ]> ?>
            <!ENTITY b '&a;&a;'> ]>
            <!-- two --> <plist version="1.0"> <string>x</string> </plist> <!-- three -->

            """
        #expect(try PropertyListReader.read(Data(text.utf8)) == .string("x"))
        let usingEntity = text.replacingOccurrences(of: ">x<", with: ">&b;<")
        #expect(failure(reading: usingEntity) == .malformed)
    }

    @Test(
        "Reading XML property lists reads UTF-16 with a byte order mark", arguments: [true, false])
    func readsUTF16With(isBigEndian: Bool) throws {
        let text = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><plist><string>aé漢😀</string></plist>"
        var data = Data()
        for unit in text.utf16 {
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            data.append(contentsOf: isBigEndian ? bytes : bytes.reversed())
        }
        #expect(try PropertyListReader.read(data) == .string("aé漢😀"))
        #expect(failure(reading: data.dropFirst(2)) == .malformed, "no byte order mark")
        var broken = data
        broken.replaceSubrange(100..<102, with: isBigEndian ? [0xD8, 0] : [0, 0xD8])
        #expect(throws: PropertyListError.self) { try PropertyListReader.read(broken) }
    }

    @Test(
        "Reading XML property lists refuses invalid UTF-8 in strings and keys",
        arguments: [
            [0xC3, 0x28], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xE2, 0x82],
        ])
    func refusesInvalidUTF8(bytes: [UInt8]) {
        let string = Data("<plist><string>a".utf8) + bytes + Data("</string></plist>".utf8)
        let key = Data("<plist><dict><key>".utf8) + bytes + Data("</key><true/></dict></plist>".utf8)
        let reference = Data("<plist><string>&amp;".utf8) + bytes + Data("</string></plist>".utf8)
        for data in [string, key, reference] { #expect(failure(reading: data) == .malformed) }
    }

    @Test("Reading XML property lists keeps the order of the file, and of repeated keys the last value")
    func keepsTheOrderOf() throws {
        let value = try readBody(
            "<dict><key>b</key><true/><key>\u{E9}</key><true/><key>a</key><true/><key>e\u{301}</key><false/><key>b</key><false/></dict>"
        )
        let members = [("b", false), ("\u{E9}", false), ("a", true)].map {
            PropertyListMember(key: $0.0, value: .boolean($0.1))
        }
        #expect(value == .dictionary(members))
    }
}
