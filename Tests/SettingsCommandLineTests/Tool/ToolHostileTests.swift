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
        ["list"], ["get", "a"], ["explain", "a"], ["watch", "--count", "1"], ["delete", "a"], ["delete", "--all"],
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
            #expect(ToolBench.run(["list", "sqlite:\(url.path)?table=other"]).output == "a  number  1\n")
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
        "What never was a property list is neither moved nor changed",
        arguments: [
            "Dear reader,\n", "<?xml version=\"1.0\"?>\n<project><a/></project>", "<plist><array/></plist>",
            "\u{1}\u{2}",
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
            try withTemporaryDirectory { (other: String) throws in
                #expect(ToolBench(in: other).run("set", "a", "1").code == 0)
                #expect(ToolBench(in: other).run("copy", path).code == 1)
            }
            #expect(try Self.picture(of: directory) == before)
        }
    }

    @Test("A damaged property list is named, nothing of it is shown, and the exit code is 1")
    func damaged() throws {
        try withTemporaryDirectory { directory in
            let text = "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><string>x"
            try Data(text.utf8).write(to: URL(fileURLWithPath: StoreKind.file.file(in: directory)))
            let result = ToolBench(in: directory).run("list")
            #expect(
                result.code == 1 && !result.output.contains("number") && result.message.contains("damaged"),
                "\(result)")
            // In another process: the store of this one may still be open, and reports a problem once.
            let value = try ToolProcess.bash("settings get Settings.plist a", in: directory)
            #expect(value.code == 1 && value.output.isEmpty && value.message.contains("damaged"), "\(value)")
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
                ["explain", name], ["explain", name, "--json"], ["get", name + "?"], ["delete", name + "?"],
                ["set", name, "--data", "\u{1B}"], ["list", "\u{1B}[2J"], [name],
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
