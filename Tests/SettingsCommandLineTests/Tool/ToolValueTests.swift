import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import settings

@Suite("The tool reads and changes values of every kind of store", .ownThreads)
struct ToolValueTests {
    @Test("list shows the kind of each value", arguments: StoreKind.allCases)
    func list(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            for (name, text) in [("volume", "0.8"), ("theme", "dark"), ("hosts", #"["a","b"]"#)] {
                #expect(bench.run("set", name, text) == .init(0))
            }
            #expect(
                bench.run("list")
                    == .init(0, "hosts   array   [\"a\",\"b\"]\ntheme   text    dark\nvolume  number  0.8\n"))
            let rows = bench.run("list", "--json").json?.array
            #expect(
                rows?.last == .object(["name": .string("volume"), "kind": .string("number"), "value": .number(0.8)]))
        }
    }

    @Test(
        "The kind of the stored value is kept, and another one changes nothing",
        arguments: [
            ("--string", "true", "null", "\"null\""), ("--json", "true", "false", "false"),
            ("--json", "5", "1e3", "1e3"), ("--json", #"{"a":1}"#, #"{"b": [2]}"#, #"{"b":[2]}"#),
            ("--json", "null", "text", "\"text\""), ("--json", "5", "x", nil), ("--json", "5", "true", nil),
            ("--json", "[1]", "{}", nil), ("--data", "/w==", "?", nil),
        ])
    func keptKind(option: String, first: String, second: String, json: String?) throws {
        try withTemporaryDirectory { directory in
            let bench = ToolBench(in: directory)
            #expect(bench.run("set", "x", first, option) == .init(0))
            let before = bench.run("get", "x", "--json").json
            let result = bench.run("set", "x", second)
            #expect(result.code == (json == nil ? 1 : 0) && result.message.contains("--string") == (json == nil))
            let expected = try json.map { try JSONDecoder().decode(JSONTree.self, from: Data($0.utf8)) } ?? before
            #expect(bench.run("get", "x", "--json").json == expected)
        }
    }

    @Test("Data is printed in base 64, and told apart from text in JSON")
    func data() throws {
        try withTemporaryDirectory { directory in
            let bench = ToolBench(in: directory)
            #expect(bench.run("set", "blob", "//79", "--data") == .init(0))
            #expect(bench.run("get", "blob") == .init(0, "//79\n"))
            #expect(bench.run("get", "blob", "--json").json == .object(["$data": .string("//79")]))
            #expect(bench.run("list") == .init(0, "blob  data  data, 3 bytes\n"))
            #expect(bench.run("set", "blob", "AA==") == .init(0) && bench.run("get", "blob").output == "AA==\n")
        }
    }

    @Test("A secret can be set from standard input")
    func standardInput() throws {
        try withTemporaryDirectory { directory in
            let bench = ToolBench(in: directory)
            #expect(bench.run("set", "token", "--stdin", input: "s3cret\n") == .init(0))
            #expect(bench.run("get", "token") == .init(0, "s3cret\n"))
            #expect(bench.run("set", "token", "x", "--stdin").code == 2)
        }
    }

    @Test("explain says where a value is", arguments: StoreKind.allCases)
    func explain(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            #expect(bench.run("set", "theme", "dark") == .init(0))
            let text = bench.run("explain", "theme")
            #expect(text.code == 0 && text.output.contains(directory), "\(text.output)")
            let json = try #require(bench.run("explain", "theme", "--json").json?.object)
            #expect(json["value"] == .string("dark") && json["size"] == .integer(6) && json["kind"] == .string("text"))
            switch kind {
            case .file: #expect(json["storedAs"] == .string("string") && json["line"] != nil)
            case .shared: #expect(json["changed"] != nil && text.output.contains("changed by"))
            case .sqlite: break
            }
            #expect(bench.run("explain", "thema").message.contains("Did you mean \"theme\"?"))
        }
    }

    @Test("explain says that a value is only in the log")
    func log() throws {
        try withTemporaryDirectory { directory in
            let store = try PropertyListStore(
                path: "\(directory)/Settings.plist", fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            try store.set(.init("theme", scope: .defaults), to: Data("\"dark\"".utf8))
            let result = ToolBench(in: directory).run("explain", "theme")
            #expect(result.code == 0 && result.output.contains("in the log"), "\(result)")
            #expect(ToolBench(in: directory).run("get", "theme") == .init(0, "dark\n"))
            withExtendedLifetime(store) {}
        }
    }

    @Test("Each subcommand needs its stores, of a kind that there is")
    func storeArguments() throws {
        #expect(ToolBench.run(["get", "x"]).message.hasPrefix("get needs STORE NAME."))
        #expect(ToolBench.run(["list", "sqlte:x"]).message.contains("names no store. Use PATH, app:NAME"))
        let wrong = [
            ["list"], ["list", "a", "app:b"], ["list", "app:"], ["list", "sqlite:?table=x"],
            ["list", "sqlite:x?table="], ["list", "sqlite:x?state=y"], ["list", "shared:x?table=y"], ["list", "a:b/c"],
            ["list", ""], ["get", "x", ""], ["copy", "x"], ["copy", "x", "x"], ["set", "shared:x", "a", "1"],
            ["set", "x", "x", "1", "--json", "--data"], ["set", "x", "x", "{", "--json"],
            ["set", "x", "x", "%", "--data"], ["completions", "tcsh"],
        ]
        for arguments in wrong {
            let result = ToolBench.run(arguments)
            #expect(result.code == 2 && result.output.isEmpty && !result.errors.isEmpty, "\(arguments)")
        }
    }

    @Test("A file with a colon in its name is named with a path")
    func colon() throws {
        try withTemporaryDirectory { directory in
            let result = try ToolProcess.bash(
                "settings set ./app:x a 1 && settings get ./app:x a && settings list $PWD/app:x && ls app:x",
                in: directory)
            #expect(result == .init(0, "1\na  number  1\napp:x\n"))
        }
    }
}
