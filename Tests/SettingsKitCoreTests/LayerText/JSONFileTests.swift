import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("JSON that people write")
struct JSONFileTests {
    private func parse(_ data: Data) throws -> SettingsFileFormat.Contents {
        try SettingsFileFormat.json.contents(of: data)
    }

    /// The values as "name=json", sorted, with those in objects after them.
    private func read(_ text: String) throws -> [String] { list(try parse(Data(text.utf8)).members, "") }

    private func list(_ members: [String: FileValue], _ path: String) -> [String] {
        members.sorted { $0.key < $1.key }.flatMap { name, value in
            ["\(path)\(name)=\(String(decoding: value.data, as: UTF8.self))"]
                + list(value.members ?? [:], "\(path)\(name)/")
        }
    }

    private func problem(_ text: String) -> String? { problem(Data(text.utf8)) }

    private func problem(_ data: Data) -> String? {
        do {
            _ = try parse(data)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "Values are read without comments, line breaks and commas too many",
        arguments: [
            (#"{}"#, []), ("\u{FEFF}{}", []), ("  \r\n{ }\n", []),
            (
                #"{"a": 1, "b": -0.50e+3, "c": 123456789012345678901234567890}"#,
                ["a=1", "b=-500", "c=123456789012345678901234567890"]
            ),
            (
                #"{"a": true, "b": false, "c": null, "d": "x\n\u00e9"}"#,
                ["a=true", "b=false", "c=null", #"d="x\né""#]
            ),
            ("// first\n{ /* in */ \"a\" /* at */ : // line\r 1 /**/ , // last\n } /* end */", ["a=1"]),
            ("{\"a\": [1, /* two */ 2,\n [ ], \"x // y\", ], }", [#"a=[1,2,[],"x // y"]"#]),
            (#"{"a": {"b": {"c": 1}}}"#, [#"a={"b":{"c":1}}"#, #"a/b={"c":1}"#, "a/b/c=1"]),
            (#"{"a": {"b": 1,}, "c": {},}"#, [#"a={"b":1}"#, "a/b=1", "c={}"]),
            (#"{"a": [{"b": 1, "c": [{"d": 2, "d": 3}], "b": 4}]}"#, [#"a=[{"c":[{"d":3}],"b":4}]"#]),
            (#"{"a": 1, "b": 2, "a": 3}"#, ["a=3", "b=2"]),
            (#"{"a": {"b": 1}, "a": {"c": 2}}"#, [#"a={"c":2}"#, "a/c=2"]),
            (#"{"": 1, "a.b": 2, "\u0061c": 3}"#, ["=1", "a.b=2", "ac=3"]),
            (
                #"{"a": [{"b": 1, "b": {"c": 2, "c": [3,]},}, {"d": 1, "e": [{}], "d": "x,}"}]}"#,
                [#"a=[{"b":{"c":[3]}},{"e":[{}],"d":"x,}"}]"#]
            ),
            (#"{"\"": [{"\"": "]"}]}"#, [#""=[{"\"":"]"}]"#]),
        ])
    func values(text: String, expected: [String]) throws { #expect(try read(text) == expected) }

    @Test(
        "A problem has its line and column",
        arguments: [
            ("", "The text ends too early (line 1, column 1)."),
            ("{\n  \"a\": 1", "The text ends too early (line 2, column 9)."),
            ("[1]", "The text is not an object in JSON (line 1, column 1)."),
            ("{} {}", "There is text after the end of the value (line 1, column 4)."),
            ("{\"a\" 1}", "A colon is missing (line 1, column 6)."),
            ("{\r\n\"é\": 1 \"b\": 2}", "A comma or a closing brace is missing (line 2, column 8)."),
            ("{a: 1}", "A name in quotation marks is missing (line 1, column 2)."),
            ("{\"a\": }", "A value is missing (line 1, column 7)."),
            ("{,}", "A name in quotation marks is missing (line 1, column 2)."),
            ("{\"a\": 1,,}", "A name in quotation marks is missing (line 1, column 9)."),
            ("{\"a\": NaN}", "A value is missing (line 1, column 7)."),
            ("{\"a\": tru}", "A value is missing (line 1, column 7)."),
            ("{\"a\": 1.}", "The number is not JSON (line 1, column 7)."),
            ("{\"a\": \"x\\q\"}", "The text has an invalid escape or character, or does not end (line 1, column 7)."),
            ("{\"a\\ud800\": 1}", "The name has an invalid escape or character, or does not end (line 1, column 2)."),
            ("{\"a\n\": 1}", "The name has an invalid escape or character, or does not end (line 1, column 2)."),
            ("{\"a\": [1 2]}", "A comma or a closing bracket is missing (line 1, column 10)."),
            ("{} /* x", "There is text after the end of the value (line 1, column 4)."),
        ])
    func problems(text: String, expected: String) { #expect(problem(text) == expected) }

    @Test("Bytes that are not UTF-8 are a problem at their place, also in comments and strings")
    func encoding() {
        #expect(
            problem(Data("{\n\"a\": \"".utf8) + [0xFF] + Data("\"}".utf8))
                == "The text is not in UTF-8 (line 2, column 7).")
        #expect(problem(Data("{} // é".utf8) + [0xC3]) == "The text is not in UTF-8 (line 1, column 8).")
        #expect(problem(Data("{}".utf16.flatMap { [UInt8($0 & 0xFF), 0] })) != nil)
    }

    @Test("512 levels are read, and one more is a problem, whatever the levels are", arguments: [false, true])
    func depth(isArray: Bool) throws {
        func text(_ levels: Int) -> String {
            isArray
                ? #"{"a":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
                    + "}"
                : String(repeating: #"{"a":"#, count: levels - 1) + "{}" + String(repeating: "}", count: levels - 1)
        }
        #expect(try read(text(512)).first == "a=" + String(text(512).dropFirst(5).dropLast()))
        #expect(problem(text(513))?.contains("nested") == true)
        #expect(problem(text(100_000))?.contains("nested") == true)
        #expect(problem(#"{"a":"# + String(repeating: "{\"a\":[", count: 100_000))?.contains("nested") == true)
    }
}
