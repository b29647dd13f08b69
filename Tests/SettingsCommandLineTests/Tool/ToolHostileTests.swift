import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import settings

@Suite("The tool on missing, foreign, damaged, enormous and hostile stores", .ownThreads)
struct ToolHostileTests {
    private static let readings = [
        ["list"], ["list", "--json"], ["get", "a"], ["get", "a", "--json"], ["explain", "a"],
        ["watch", "--count", "1"],
        ["delete", "a"], ["delete", "--all"],
    ]

    /// The names and the contents of everything in a directory.
    private static func picture(of directory: String) throws -> [String: Data] {
        var picture: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            picture[path] = FileManager.default.contents(atPath: "\(directory)/\(path)") ?? Data()
        }
        return picture
    }

    /// Runs subcommands that must fail with a message, and change nothing.
    private func expectFailures(
        _ kind: StoreKind, in directory: String, saying word: String? = nil, _ subcommands: [[String]] = readings
    ) throws {
        let before = try Self.picture(of: directory)
        for arguments in subcommands {
            let result = ToolBench(kind, in: directory).run(arguments)
            #expect(result.code == 1 && !result.errors.isEmpty, "\(arguments): \(result)")
            // A path that is longer than a line is broken.
            let message = result.errors.filter { !$0.isWhitespace }
            if let word { #expect(message.contains(word), "\(arguments): \(result.errors)") }
            #expect(try Self.picture(of: directory) == before, "\(arguments)")
        }
    }

    @Test("A missing store is a failure that names it, and is not created", arguments: StoreKind.allCases)
    func missing(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            try expectFailures(kind, in: directory, saying: kind.file(in: directory))
        }
    }

    @Test(
        "A directory in the place of a file, or a file in the place of a directory, is a failure",
        arguments: StoreKind.allCases)
    func wrongKindOfFile(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let path = kind.file(in: directory)
            if kind == .shared {
                try Data("text".utf8).write(to: URL(fileURLWithPath: path))
            } else {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try expectFailures(kind, in: directory)
            #expect(ToolBench(kind, in: directory).run("set", "a", "1").code == 1)
        }
    }

    @Test(
        "A store that cannot be read is a failure", .enabled(if: getuid() != 0, "root reads everything"),
        arguments: StoreKind.allCases)
    func unreadable(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            #expect(bench.run("set", "a", "1").code == 0)
            let path = kind.file(in: directory)
            #expect(chmod(path, 0) == 0)
            defer { chmod(path, 0o700) }
            #expect(ToolBench(kind, in: directory).run("list").code == 1)
        }
    }

    @Test("Another program's database is a failure, and is not changed")
    func foreignDatabases() throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.sqlite.file(in: directory)
            try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: path))
            try expectFailures(.sqlite, in: directory, saying: "notADatabase")
        }
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: StoreKind.sqlite.file(in: directory))
            try SQLiteStore(at: url, table: "other").set(.init("a", scope: .defaults), to: Data("1".utf8))
            let result = ToolBench(.sqlite, in: directory).run("list")
            #expect(result.code == 1 && result.message.contains("There is no table settings"), "\(result)")
            #expect(ToolBench.run(["list", "sqlite:\(url.path)?table=other"]).output == "a  integer  1\n")
        }
    }

    @Test("A property list that is taken for a database keeps its log")
    func propertyListAsDatabase() throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.sqlite.file(in: directory)
            #expect(ToolBench.run(["set", path, "a", "1"]) == .init(0))
            #expect(FileManager.default.fileExists(atPath: "\(path)-log"))
            try expectFailures(.sqlite, in: directory, saying: "notADatabase", Self.readings + [["set", "a", "2"]])
            #expect(ToolBench.run(["get", path, "a"]) == .init(0, "1\n"))
        }
    }

    @Test(
        "A property list that is none is damaged, and stays as it is",
        arguments: ["", "text", "<plist><array/></plist>", "bplist00"])
    func foreignPropertyList(text: String) throws {
        try withTemporaryDirectory { directory in
            try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
            let before = try Self.picture(of: directory)
            let result = ToolBench(in: directory).run("list")
            #expect(result.code == 1 && result.message.contains("damaged") || text.isEmpty, "\(result)")
            #expect(ToolBench(in: directory).run("get", "a").code == 1)
            #expect(try Self.picture(of: directory) == before)
        }
    }

    @Test("A shared directory that is missing is not created, whatever is to be stored in it")
    func mistypedDirectory() throws {
        try withTemporaryDirectory { directory in
            let store = "shared:\(directory)/Snyc?state=\(directory)/state"
            for arguments in [["set", "a", "1"], ["import", "-"]] {
                let result = ToolBench.run([arguments[0], store] + arguments.dropFirst(), input: "{\"a\": 1}")
                #expect(result.code == 1 && result.message.contains("Snyc"), "\(result)")
                let files = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(files.isEmpty)
            }
        }
    }

    /// Subcommands that change a store, but for the options that name it.
    private static let writings = [
        ["set", "a", "1"], ["import", "-"], ["import", "-", "--replace"], ["delete", "a"], ["delete", "--all"],
    ]

    @Test(
        "What never was a property list is neither moved nor changed, unless that is forced",
        arguments: [
            "Dear reader,\n", "#!/bin/sh\nexit 0\n", "<html><body>a</body></html>", "<svg xmlns=\"x\"/>",
            "<?xml version=\"1.0\"?>\n<project><a/></project>", "<plist><array/></plist>", "A=1\nB=2\n", "\u{1}\u{2}",
        ])
    func neverAPropertyList(text: String) throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let before = try Self.picture(of: directory)
            for arguments in Self.writings {
                let result = ToolBench(in: directory).run(arguments, input: "{\"a\": 1}")
                #expect(result.code == 1, "\(arguments): \(result)")
                #expect(try Self.picture(of: directory) == before, "\(arguments): \(result)")
            }
            try withTemporaryDirectory { other in
                #expect(ToolBench(in: other).run("set", "a", "1").code == 0)
                let result = ToolBench(in: other).run("copy", path)
                let after = try Self.picture(of: directory)
                #expect(result.code == 1 && result.message.contains("--force"), "\(result)")
                #expect(after == before, "\(result)")
            }
            let forced = ToolBench(in: directory).run("set", "a", "1", "--force")
            #expect(forced.code == 0, "\(forced)")
            #expect(ToolBench(in: directory).run("get", "a") == .init(0, "1\n"))
            let aside = try Self.picture(of: directory).filter { $0.key.contains(".damaged-") }.map(\.value)
            #expect(aside == [Data(text.utf8)])
        }
    }

    @Test("A file of another recognized format is refused, forced or not", arguments: ["sqlite", "json", "zip"])
    func otherFormats(kind: String) throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            switch kind {
            // In a process that has ended: a store of this one may still close its database.
            case "sqlite": #expect(try ToolProcess.bash("settings set sqlite:\(path) b 2", in: directory) == .init(0))
            case "json": try Data("{\n  \"b\": 2\n}\n".utf8).write(to: URL(fileURLWithPath: path))
            default: try (Data("PK\u{3}\u{4}".utf8) + Data(count: 60)).write(to: URL(fileURLWithPath: path))
            }
            let before = try Self.picture(of: directory)
            for arguments in Self.writings + Self.readings + [["set", "a", "1", "--force"]] {
                let result = ToolBench(in: directory).run(arguments, input: "{\"a\": 1}")
                #expect(result.code == 1, "\(arguments): \(result)")
                #expect(try Self.picture(of: directory) == before, "\(arguments): \(result)")
            }
        }
    }

    @Test("A mistyped property list, and one with a log beside it, are repaired as before")
    func mistypedPropertyLists() throws {
        for text in ["<plist version=\"1.0\"><dict><key>a</key><integer>1</integer>", "<dict><key>a</key", ""] {
            try withTemporaryDirectory { directory in
                try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
                #expect(ToolBench(in: directory).run("set", "b", "2").code == 0, "\(text)")
                #expect(ToolBench(in: directory).run("get", "b") == .init(0, "2\n"), "\(text)")
            }
        }
        for text in ["gibberish", "{\"a\": 1}"] {
            try withTemporaryDirectory { directory in
                #expect(ToolBench(in: directory).run("set", "a", "1").code == 0)
                try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
                #expect(ToolBench(in: directory).run("set", "b", "2").code == 0, "\(text)")
                #expect(ToolBench(in: directory).run("list").output == "a  integer  1\nb  integer  2\n", "\(text)")
            }
        }
    }

    @Test(
        "A property list that was removed, and whose log is still there, is not taken for an empty one",
        arguments: [
            ["list"], ["list", "--json"], ["get", "a"], ["export"], ["copy", "x.plist", "--dry-run"],
        ])
    func removedPropertyList(arguments: [String]) throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            // In a process that has ended: a store of this one would write the file again.
            #expect(try ToolProcess.bash("settings set \(path) a 1", in: directory) == .init(0))
            try FileManager.default.removeItem(atPath: path)
            let before = try Self.picture(of: directory)
            let result = ToolBench(in: directory).run(arguments)
            #expect(result.code == 1 && result.message.contains("was removed"), "\(result)")
            let doctor = ToolBench(in: directory).run("doctor")
            #expect(doctor.code == 3 && doctor.output.contains("was removed"), "\(doctor)")
            #expect(try Self.picture(of: directory) == before)
        }
    }

    @Test("A property list that was never written yet is read from its log, without a message")
    func notYetWritten() throws {
        try withTemporaryDirectory { directory in
            let path = StoreKind.file.file(in: directory)
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            try store.set(.init("a", scope: .defaults), to: Data("1".utf8))
            #expect(ToolBench(in: directory).run("list") == .init(0, "a  integer  1\n"))
            #expect(ToolBench(in: directory).run("doctor").code == 0)
            withExtendedLifetime(store) {}
        }
    }

    @Test("A damaged property list is named, nothing of it is shown, and the exit code is 1")
    func damaged() throws {
        try withTemporaryDirectory { directory in
            let text = "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><string>x"
            try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
            let result = ToolBench(in: directory).run("list")
            #expect(
                result.code == 1 && !result.output.contains("integer") && result.message.contains("damaged"),
                "\(result)")
            // In another process: the store of this one may still be open, and reports a problem once.
            let value = try ToolProcess.bash("settings get Settings.plist a", in: directory)
            #expect(value.code == 1 && value.output.isEmpty && value.message.contains("damaged"), "\(value)")
        }
    }

    @Test("100,000 nested arrays are damage, and no crash", arguments: ["array", "dict"])
    func nested(element: String) throws {
        try withTemporaryDirectory { directory in
            let opening = element == "array" ? "<array>" : "<dict><key>a</key>"
            let text = "<plist version=\"1.0\"><dict><key>a</key>" + String(repeating: opening, count: 100_000)
            try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
            let result = ToolBench(in: directory).run("list")
            #expect(result.code == 1 && result.message.contains("damaged"), "\(result.errors)")
        }
    }

    @Test("A value of 100,000 nested arrays in JSON is data", arguments: StoreKind.allCases)
    func nestedJSON(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            let json = Data(
                (String(repeating: "[", count: 100_000) + "\n" + String(repeating: "]", count: 100_000)).utf8)
            #expect(bench.run("set", "deep", json.base64EncodedString(), "--data") == .init(0))
            #expect(bench.run("list").output == "deep  data  data, 200001 bytes\n")
            #expect(bench.run("get", "deep").output.hasPrefix("W1tb"))
        }
    }

    /// Characters that control a terminal: C0, DEL, C1, overrides of the direction, a hyperlink, a title.
    private static let controls =
        "\u{1B}[2J\u{1B}]0;title\u{7}\u{1B}]8;;http://x\u{1B}\\ \u{9B}31m\u{8}\u{7F}\u{85}\u{202E}\u{2066}\r\u{0B}\u{90}q"

    /// Whether a text could disturb a terminal. Line breaks and tabs are the layout's.
    private static func disturbs(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 != "\n" && $0 != "\t" && $0.disturbsOutput }
    }

    @Test("Control sequences in names and values never reach the output", arguments: StoreKind.allCases)
    func controlSequences(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            let name = "a\nb\tc\(Self.controls)é"
            #expect(bench.run("set", name, "--string", "x\n\(Self.controls)") == .init(0))
            #expect(bench.run("set", "array", "--json", #"["\u001b[31m","\u202e"]"#) == .init(0))
            for arguments in [
                ["list"], ["list", "--json"], ["get", name], ["get", name, "--json"], ["get", "array"],
                ["explain", name],
                ["explain", name, "--json"], ["get", name + "?"], ["delete", name + "?"],
                ["set", name, "--int", "\u{1B}"],
                ["list", "\u{1B}[2J"], [name],
            ] {
                let result = bench.run(arguments)
                #expect(!result.output.isEmpty || !result.errors.isEmpty)
                #expect(!Self.disturbs(result.output) && !Self.disturbs(result.errors), "\(arguments)")
            }
            // The exact value is there in JSON, and the exact name as an argument.
            #expect(bench.run("get", name, "--json").json == .string("x\n\(Self.controls)"))
            #expect(bench.run("list").output.contains("a\\nb\\tc\\u{1B}[2J"))
            #expect(bench.run("delete", name) == .init(0) && bench.run("get", name).code == 1)
        }
    }

    @Test("100,000 settings are listed in bounded time", .timeLimit(Rounds.timeLimit))
    func enormous() throws {
        try withTemporaryDirectory { directory in
            let entries = (0..<100_000).map { "<key>setting-\($0)</key><string>value \($0)</string>" }.joined()
            let text = "<plist version=\"1.0\"><dict>\(entries)</dict></plist>"
            try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
            let result = ToolBench(in: directory).run("list")
            #expect(result.code == 0 && result.output.split(separator: "\n").count == 100_000)
            #expect(ToolBench(in: directory).run("get", "setting-99999").output == "value 99999\n")
            #expect(ToolBench(in: directory).run("get", "seting-7").code == 1)
        }
    }

    @Test("A value of many bytes is one line in a list")
    func longValue() throws {
        try withTemporaryDirectory { directory in
            let bench = ToolBench(in: directory)
            #expect(
                bench.run("set", "long", "--stdin", "--string", input: String(repeating: "é\n", count: 500_000))
                    == .init(0))
            let result = bench.run("list")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 1 && TextLayout.columns(String(lines[0])) <= 80 && lines[0].hasSuffix("…"))
        }
    }

    @Test("Looking at a shared directory begins no replica", arguments: [true, false])
    func noReplica(hasState: Bool) throws {
        try withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(.shared, in: directory)
            // In a process that has ended: a store of this one may still export.
            let store = StoreKind.shared.store(in: directory)
            #expect(try ToolProcess.bash("settings set \(store) theme dark", in: directory) == .init(0))
            if !hasState {
                try FileManager.default.removeItem(atPath: "\(directory)/state")
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/state", withIntermediateDirectories: false)
            }
            let before = try Self.picture(of: directory)
            #expect(bench.run("get", "theme") == .init(0, "dark\n"))
            #expect(bench.run("list").output == "theme  text  dark\n")
            let explained = bench.run("explain", "theme").output
            #expect(explained.contains("this device") == hasState, "\(explained)")
            #expect(try Self.picture(of: directory) == before)
        }
    }
}
