import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Files of variables")
struct VariableFileTests {
    private func read(_ text: String) throws -> [String] {
        try VariableFile.read(Data(text.utf8)).variables.map { "\($0.name)=\($0.text)" }
    }

    @Test(
        "Each line is a variable",
        arguments: [
            ("", []), ("\n\n  \r\n", []), ("# A=1\n  # B=2", []), ("A=1\nB=2", ["A=1", "B=2"]),
            ("\u{FEFF}A=1\r\nB=2\r\n", ["A=1", "B=2"]), ("export A=1\nexport\tB=2", ["A=1", "B=2"]),
            ("export=1", ["export=1"]), ("  A = 1  \t", ["A=1"]), ("A=", ["A="]), ("A= # none", ["A="]),
            ("A=a b  # comment", ["A=a b"]), ("A=a#b", ["A=a#b"]), ("A=#b", ["A=#b"]),
            ("A= #b", ["A="]), ("A=\t#b", ["A="]), ("A=a\t#b", ["A=a"]), ("A=$HOME/${B}", ["A=$HOME/${B}"]),
            ("A=a\\nb", ["A=a\\nb"]), ("A=it's", ["A=it's"]), ("A='a # $b \\n \"'", ["A=a # $b \\n \""]),
            (#"A="a\n\t\r\"\\\$ \q'" # c"#, ["A=a\n\t\r\"\\$ \\q'"]), ("A=\"1\n2\"\nB=3", ["A=1\n2", "B=3"]),
            ("A='1\r\n2'\r\n", ["A=1\n2"]), ("A=\"1\r\n\\r\r\n2\r3\"\r\n", ["A=1\n\r\n2\r3"]),
            ("A=\"\"", ["A="]), ("A=1\nA=2", ["A=1", "A=2"]),
            ("http.timeout=3\nhttp-timeout=4\na:b=5\nß=6", ["http.timeout=3", "http-timeout=4", "a:b=5", "ß=6"]),
            ("A=a=b", ["A=a=b"]), ("A=[\"x\"]", ["A=[\"x\"]"]),
        ])
    func values(text: String, expected: [String]) throws { #expect(try read(text) == expected) }

    @Test(
        "A line that is no variable is a problem with its place",
        arguments: [
            ("A=1\nB", "An equals sign is missing (line 2, column 2)."),
            ("A B=1", "An equals sign is missing (line 1, column 3)."), ("=1", "A name is missing (line 1, column 1)."),
            ("export =1", "A name is missing (line 1, column 8)."),
            ("\nA='x", "The quotation mark at the end of the value is missing (line 2, column 3)."),
            ("A=\"x\" y", "There is text after the quotation mark at the end of the value (line 1, column 7)."),
            ("A='x'#y", "There is text after the quotation mark at the end of the value (line 1, column 6)."),
            ("A=\0", "The value has a NUL (line 1, column 1)."), ("A='\0'", "The value has a NUL (line 1, column 1)."),
            ("$A=1", "A name is missing (line 1, column 1)."),
        ])
    func problems(text: String, expected: String) {
        #expect(throws: SettingsFileProblem.self) { try read(text) }
        do { _ = try read(text) } catch { #expect("\(error)" == expected) }
    }

    @Test("Any bytes end with variables or a problem")
    func anyBytes() {
        let pieces =
            ["A", "=", "'", "\"", "\\", "\n", "\r", "#", " ", "export ", "é", "$", "\0"].map { Array($0.utf8) } + [
                [0xFF]
            ]
        for seed in Rounds.seeds(0..<50_000, part: 2_000) {
            var generator = SeededGenerator(seed: seed)
            var bytes: [UInt8] = []
            for _ in 0..<12 { bytes += pieces.randomElement(using: &generator) ?? [] }
            _ = try? VariableFile.read(Data(bytes))
        }
    }
}
