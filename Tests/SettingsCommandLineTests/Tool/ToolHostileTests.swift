import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import settings

@Suite("The tool on missing, foreign, damaged, enormous and hostile stores", .ownThreads)
struct ToolHostileTests {
    @Test("A missing store is a failure that names it, and is not created", arguments: StoreKind.allCases)
    func missing(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            // A property list and a database are made by a subcommand that stores.
            let storing = kind == .shared ? [["set", "a", "1"], ["import", "-"]] : []
            for arguments in [
                ["list"], ["get", "a"], ["explain", "a"], ["watch", "--count", "1"], ["delete", "a"],
                ["delete", "--all"], ["doctor"],
            ] + storing {
                let result = ToolBench(kind, in: directory).run(arguments, input: "{\"a\": 1}")
                // A path that is longer than a line is broken.
                let message = result.errors.filter { !$0.isWhitespace }
                #expect(result.code == 1 && message.contains(kind.file(in: directory)), "\(arguments): \(result)")
                let files = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(files.isEmpty, "\(arguments)")
            }
        }
    }

    @Test("A table of a database is named with its path")
    func tables() throws {
        try withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: StoreKind.sqlite.file(in: directory))
            try SQLiteStore(at: url, table: "other").set(.init("a", scope: .defaults), to: Data("1".utf8))
            let result = ToolBench(.sqlite, in: directory).run("list")
            #expect(result.code == 1 && result.message.contains("There is no table settings"), "\(result)")
            #expect(ToolBench.run(["list", "sqlite:\(url.path)?table=other"]).output == "a  number  1\n")
        }
    }

    @Test("A damaged property list is named, nothing of it is shown, and the exit code is 1")
    func damaged() throws {
        try withTemporaryDirectory { directory in
            let text = "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer><key>b</key><string>x"
            try write(text, to: StoreKind.file.file(in: directory))
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
            let before = try picture(of: directory)
            #expect(bench.run("get", "theme") == .init(0, "dark\n"))
            #expect(bench.run("list").output == "theme  text  dark\n")
            let explained = bench.run("explain", "theme").output
            #expect(explained.contains("this device") == hasState, "\(explained)")
            #expect(try picture(of: directory) == before)
        }
    }
}
