import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("Dumps of dconf")
struct DconfTransferTests {
    static let dump = """
        [/]
        welcome=true

        [org/gnome/desktop/interface]
        clock-format='24h'
        font-name="Cantarell 11"
        text-scaling-factor=1.25
        cursor-size=uint32 24
        icons=['a', 'b\\'c', "d\\u00e9\\n"]
        empty=@as []
        pair=(1, -2)
        one=(int64 5,)
        variant=<'x'>
        options={'a': <1>, 'b': <[true]>}
        numbers={1: 'one', 2: 'two'}
        maybe=@ms nothing
        just=just 'x'
        hex=0x1F
        octal=017
        bytes=b'a\\001\\n'
        small=1e-3
        object=objectpath '/org/x'

        """

    static let expected = [
        "welcome": "true", "clock-format": #""24h""#, "font-name": #""Cantarell 11""#, "text-scaling-factor": "1.25",
        "cursor-size": "24",
        "icons": #"["a","b'c","dé\n"]"#, "empty": "[]", "pair": "[1,-2]", "one": "[5]", "variant": #""x""#,
        "options": #"{"a":1,"b":[true]}"#, "numbers": #"{"1":"one","2":"two"}"#, "maybe": "null", "just": #""x""#,
        "hex": "31",
        "octal": "15", "bytes": "a\u{1}\n", "small": "0.001", "object": #""/org/x""#,
    ]

    @Test("Values of all kinds become their stored forms, under the path and the key")
    func values() throws {
        let read = try DconfTransfer.read(Data(Self.dump.utf8))
        var expected: [String: String] = [:]
        for (key, value) in Self.expected {
            expected[key == "welcome" ? key : "org/gnome/desktop/interface/\(key)"] = value
        }
        #expect(read.values.mapValues { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(read.unsupported.isEmpty)
        #expect(TransferFormat(contents: Data(Self.dump.utf8)) == .dconf)
    }

    @Test(
        "A value that cannot be taken over is reported by its name",
        arguments: [
            "inf", "-inf", "nan", "{'a', 1}", "[b'x']", "99999999999999999999", "-9223372036854775809",
            "0xFFFFFFFFFFFFFFFFF", "1e999", "",
            "'open", "[1", "[1 2]", "(1", "{1: }", "{'a' 1}", "<1", "word", "1 2", "'\\u12'", "'\\ud800'", "@", "--1",
            "1.2.3", "0x", "{[1]: 2}", "b'x",
        ])
    func unsupported(_ value: String) throws {
        let read = try DconfTransfer.read(Data("[a]\nb=\(value)\nc=1".utf8))
        #expect(read.values == ["a/c": Data("1".utf8)])
        #expect(read.unsupported.map(\.name) == ["a/b"])
    }

    @Test(
        "Integers at the ends of their range are kept",
        arguments: [
            ("-9223372036854775808", "-9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
            ("-0", "0"), ("+5", "5"),
            ("int16 -7", "-7"), ("1.0", "1"), ("-.5", "-0.5"),
        ])
    func numbers(_ text: String, _ expected: String) throws {
        let read = try DconfTransfer.read(Data("[/]\na=\(text)".utf8))
        #expect(read.values["a"] == Data(expected.utf8), "\(read.unsupported)")
    }

    @Test("Nesting beyond the limit is reported, and up to it is read")
    func nesting() throws {
        func value(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let read = try DconfTransfer.read(
            Data("[/]\na=\(value(ToolLimits.variantDepth))\nb=\(value(ToolLimits.variantDepth + 1))".utf8))
        #expect(read.values.keys.sorted() == ["a"] && read.unsupported.map(\.name) == ["b"])
    }

    @Test(
        "A file that is no dump is refused with its line", arguments: [("a=1", 1), ("[/]\nno value", 2), ("\n\nx", 3)])
    func foreignFiles(_ text: String, _ line: Int) {
        do throws(TransferProblem) {
            _ = try DconfTransfer.read(Data(text.utf8))
            Issue.record("It was read.")
        } catch {
            #expect(error.line == line)
        }
    }
}
