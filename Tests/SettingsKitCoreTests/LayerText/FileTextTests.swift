import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Names in files of settings")
struct FileTextTests {
    private func text(_ json: String) throws -> FileText {
        try SettingsFileFormat.json.text(of: Data(json.utf8), path: "/player.json")
    }

    private func value(_ name: String, _ text: FileText) -> String? {
        text.candidate(for: SpelledName(name)).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test(
        "One level of a file is a point or a colon of a name, and a name that is written out wins",
        arguments: [
            (#"{"a.b": 1}"#, "a.b", "1"), (#"{"a": {"b": 1}}"#, "a.b", "1"), (#"{"a": {"b": 1}}"#, "a:b", "1"),
            (#"{"a": {"b": 1}, "a.b": 2}"#, "a.b", "2"), (#"{"a.b": 2, "a": {"b": 1}}"#, "a:b", "1"),
            (#"{"a": {"b": {"c": 1}}}"#, "a.b:c", "1"), (#"{"a": {"b.c": 1}}"#, "a.b.c", "1"),
            (#"{"a.b": {"c": 1}}"#, "a.b.c", "1"), (#"{"a": {"b": {"c": 1}, "b.c": 2}}"#, "a.b.c", "2"),
            (#"{"a": {"b": 1}}"#, "a", #"{"b":1}"#), (#"{"a": 1}"#, "a.b", nil), (#"{"a": {}}"#, "a.b", nil),
            (#"{"a": [{"b": 1}]}"#, "a.b", nil), (#"{"a": {"": 1}}"#, "a.", "1"), (#"{"": {"a": 1}}"#, ".a", "1"),
            (#"{"a-b": 1}"#, "a.b", nil), (#"{"A": {"B": 1}}"#, "a.b", nil),
        ] as [(String, String, String?)])
    func nested(json: String, name: String, expected: String?) throws {
        #expect(value(name, try text(json)) == expected)
    }

    @Test("A candidate has the path, the line and the column of its value")
    func location() throws {
        let text = try text("{\n  \"http\": {\n    \"port\": 80\n}}")
        #expect(text.candidate(for: SpelledName("http.port"))?.location == "/player.json, line 3, column 13")
        #expect(text.candidate(for: SpelledName("http.port"))?.form == .json)
    }

    @Test(
        "A spelled name is the setting's, an option's or a variable's",
        arguments: [
            ("http.timeOut", "a"), ("http-time-out", "b"), ("httpTimeOut", "c"), ("HTTP_TIME_OUT", "d"),
        ])
    func spelled(name: String, value: String) throws {
        let text = try SettingsFileFormat.environment().text(of: Data("\(name)=\(value)".utf8), path: "/.env")
        #expect(self.value("http.timeOut", text) == value)
        #expect(text.candidate(for: SpelledName("http.timeOut"))?.location == "/.env, line 1, column 1")
        #expect(self.value("http", text) == nil)
    }

    @Test("A prefix is part of each variable's name, and other variables are ignored")
    func prefix() throws {
        let data = Data("PLAYER_PORT=1\nPORT=2\nHOME=/\nPLAYER_PROT=3".utf8)
        let text = try SettingsFileFormat.environment(prefix: "PLAYER_").text(of: data, path: "/.env")
        #expect(value("port", text) == "1")
        #expect(
            text.findings(for: ["port"]) == [
                .init(
                    "PLAYER_PROT", similarName: "PLAYER_PORT",
                    location: "/.env, line 4, column 1")
            ])
    }

    private func findings(_ json: String, _ names: [String]) throws -> [String] {
        try text(json).findings(for: names).map { finding in
            "\(finding.name)\(finding.similarName.map { " like \($0)" } ?? "")"
                + " at \("\(finding)".split(separator: "column ").last?.prefix { $0 != ")" } ?? "")"
        }
    }

    @Test("Names that no setting has are found")
    func found() throws {
        let names = ["port", "http.timeout", "http.hosts", "theme"]
        #expect(try findings(#"{"port": 1, "$schema": "x", "http": {"timeout": 1, "hosts": []}}"#, names) == [])
        #expect(try findings(#"{"prot": 1}"#, names) == ["prot like port at 10"])
        #expect(
            try findings(#"{"http": {"tiemout": 1}}"#, names) == ["http.tiemout like http.timeout at 22"])
        #expect(
            try findings(#"{"other": {"a": {"b": 1}, "c": {}}}"#, names) == [
                "other.a.b at 23"
            ])
        #expect(try findings(#"{"theme": {"a": 1, "b": {"c": 2}}}"#, names) == [])
        // What an editor, an export or the library writes.
        #expect(try findings(#"{"$comment": "", "SettingsKit:version": 1, "http": {}}"#, names) == [])
    }

    @Test("A name that a file has in many cuts is found in a moment, and the one with the fewest levels counts")
    func hostileNames() throws {
        // Each level is there under two names, so that the twelve parts of the name have hundreds of cuts.
        var json = "0"
        for level in 1...12 { json = #"{"a": \#(json), "a.a": \#(level == 1 ? "1" : #"{"a": 2}"#)}"# }
        let text = try text(json)
        #expect(value(Array(repeating: "a", count: 12).joined(separator: "."), text) == #"{"a":2}"#)
        #expect(value(Array(repeating: "a", count: 13).joined(separator: "."), text) == "1")
        #expect(value("a.a", text) == #"{"a":2}"#)
    }

    @Test("A file with names without end has a bounded number of findings")
    func bounded() throws {
        let names = (0..<1_000).map { "\"\($0)\": 1" }.joined(separator: ",")
        #expect(try text("{\(names)}").findings(for: []).count == 100)
    }

    // MARK: Formats of the program

    @Test("A format of the program has entries of text and of JSON, and its problems have their places")
    func ownFormat() throws {
        // Lines such as "port: 8080".
        let format = SettingsFileFormat { data in
            try String(decoding: data, as: UTF8.self).split(separator: "\n").enumerated().map { index, line in
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw SettingsFileProblem("A colon is missing", line: index + 1) }
                return .init(parts[0], .json(parts[1]), line: index + 1)
            }
        }
        let text = try format.text(of: Data("port: 8080\nhttp: {\"timeout\": 5}".utf8), path: "/a.yaml")
        #expect(value("port", text) == "8080")
        #expect(value("http.timeout", text) == "5")
        #expect(text.candidate(for: SpelledName("http.timeout"))?.location == "/a.yaml, line 2")
        func problem(_ text: String) -> String {
            do {
                _ = try format.text(of: Data(text.utf8), path: "")
                return ""
            } catch { return "\(error)" }
        }
        #expect(problem("a: 1\nb") == "A colon is missing (line 2).")
        #expect(problem("a: 1\nb: [") == "The text ends too early (line 2).")
    }
}
