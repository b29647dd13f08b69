import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

/// The example `Player` with its settings in a directory of the test.
struct PlayerProcess {
    let home: String
    var environment: [String: String]

    init(_ home: String, adding added: [String: String] = [:]) {
        self.home = home
        environment = ["HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        // Swift's own report of a crash would wait for a key.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment.merge(added) { $1 }
    }

    /// Where an executable is that is built beside the tests.
    static func path(of name: String) throws -> String {
        let places = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
        let found = places.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent(name).path
        }
        return try #require(found.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(name) is not built")
    }

    func browse(columns: Int = 80, rows: Int = 24, errors: String? = nil) throws -> PseudoTerminal {
        try PseudoTerminal(
            Self.path(of: "Player"), ["settings", "browse"], environment: environment, columns: columns, rows: rows,
            errors: errors)
    }

    func browse(tool arguments: [String]) throws -> PseudoTerminal {
        try PseudoTerminal(Self.path(of: "settings"), ["browse"] + arguments, environment: environment)
    }

    /// Runs another subcommand, without a terminal.
    @discardableResult
    func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try run("Player", ["settings"] + arguments)
    }

    /// Runs a subcommand of the tool, which knows no types.
    @discardableResult
    func runTool(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try run("settings", arguments)
    }

    private func run(
        _ name: String, _ arguments: [String]
    ) throws -> (status: Int32, output: String, errors: String) {
        let result = try ProgramResult(
            of: Self.path(of: name), arguments, environment: environment, in: URL(fileURLWithPath: home))
        return (result.status, result.output, result.errors)
    }
}

@Suite("The terminal view in a process", .ownThreads)
struct BrowserProcessTests {
    @Test("A person looks, edits, undoes and quits, and finds the terminal unchanged")
    func session() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home, adding: ["PLAYER_QUALITY": "high"])
            try player.run("set", "volume", "0.7")
            let terminal = try player.browse()
            try await terminal.waitFor("? help")
            #expect(terminal.isRaw && terminal.shown.isAlternate && !terminal.shown.showsCursor)
            #expect(
                terminal.shown.rows[0...4] == [
                    " Player                                                              3 settings", " Sound",
                    "   volume   0.7                                             store",
                    "   muted    false                                           default",
                    "   quality  high                                            environment, locked",
                ])
            // An edit that is refused, then one that is not.
            terminal.type("\r\u{15}2\r")
            try await terminal.waitFor("volume: Not stored. Expected a number from 0 to 1.")
            #expect(terminal.shown.showsCursor)
            terminal.type("\u{15}0.25\r")
            try await terminal.waitFor("volume: stored. u undoes it.")
            #expect(try player.run("get", "volume").output == "0.25\n")
            // Undo.
            terminal.type("u")
            try await terminal.waitFor("volume: undone.")
            #expect(try player.run("get", "volume").output == "0.7\n")
            // A locked setting names its layer.
            terminal.type("jj\r")
            try await terminal.waitFor("quality is locked by the layer environment (PLAYER_QUALITY).")
            terminal.type("q")
            #expect(try await terminal.status() == 0)
            #expect(try await eventually { terminal.isRestored })
            #expect(terminal.shown.problems == [])
        }
    }

    @Test("A change of another process appears, and is not overwritten without a question")
    func liveChange() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            let terminal = try player.browse()
            try await terminal.waitFor("? help")
            try player.run("set", "volume", "0.125")
            try await terminal.waitFor("volume: changed outside of this view.")
            #expect(terminal.shown.rows[2].hasPrefix("*  volume   0.125"))
            terminal.type("\r\u{15}0.875")
            try await terminal.waitFor("Tab next value", isShown: false)
            try player.run("set", "volume", "0.375")
            try await terminal.waitFor("volume: changed outside of this view. Enter asks")
            terminal.type("\r")
            try await terminal.waitFor("Overwrite it? (y/n)")
            #expect(try player.run("get", "volume").output == "0.375\n")
            terminal.type("y")
            try await terminal.waitFor("volume: stored.")
            #expect(try player.run("get", "volume").output == "0.875\n")
            terminal.type("u")
            try await terminal.waitFor("volume: undone.")
            #expect(try player.run("get", "volume").output == "0.375\n")
        }
    }

    @Test(
        "The terminal is restored when a signal ends the process, and the process dies of it",
        arguments: [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE,
        ])
    func signals(_ signal: Int32) async throws {
        try await withTemporaryDirectory { home in
            let terminal = try PlayerProcess(home).browse()
            try await terminal.waitFor("? help")
            terminal.send(signal)
            #expect(try await terminal.status() == -signal)
            #expect(try await eventually { terminal.isRestored })
        }
    }

    @Test("Ctrl-C ends the view in the middle of an edit, and changes nothing")
    func interrupt() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            let terminal = try player.browse()
            try await terminal.waitFor("? help")
            terminal.type("\r1")
            try await terminal.waitFor("Enter store")
            terminal.type("\u{3}")
            #expect(try await terminal.status() == -SIGINT)
            #expect(try await eventually { terminal.isRestored })
            #expect(try player.run("get", "volume").output == "0.5\n")
        }
    }

    @Test("A view that is stopped gives the terminal back, and draws it again when it goes on")
    func stopping() async throws {
        try await withTemporaryDirectory { home in
            let terminal = try PlayerProcess(home).browse()
            try await terminal.waitFor("? help")
            // The system does not stop the only process of a session by SIGTSTP. The view goes on by itself then.
            terminal.send(SIGTSTP)
            #expect(try await eventually { terminal.written.components(separatedBy: "\u{1B}[?1049h").count == 3 })
            try await terminal.waitFor("? help")
            #expect(terminal.isRaw)
            terminal.send(SIGSTOP)
            try await terminal.untilStopped()
            let length = terminal.written.count
            terminal.send(SIGCONT)
            #expect(try await eventually { terminal.written.count > length + 200 })
            terminal.type("q")
            #expect(try await terminal.status() == 0)
            #expect(try await eventually { terminal.isRestored })
        }
    }

    @Test("The view follows the size of the terminal, down to twenty columns and five rows")
    func resizing() async throws {
        try await withTemporaryDirectory { home in
            let terminal = try PlayerProcess(home).browse()
            try await terminal.waitFor("? help")
            for (columns, rows) in [(20, 5), (132, 50), (1, 1), (40, 12)] {
                terminal.resize(columns: columns, rows: rows)
                if columns >= 20 { try await terminal.waitFor("volume") }
            }
            try await terminal.waitFor("Number from 0 to 1.")
            terminal.type("q")
            #expect(try await terminal.status() == 0)
        }
    }

    @Test("Without a terminal, the view says so with the exit code 2")
    func noTerminal() async throws {
        try await withTemporaryDirectory { home in
            let result = try PlayerProcess(home).run("browse")
            #expect(result.status == 2)
            #expect(result.errors.contains("browse needs a terminal on standard input and standard output."))
            #expect(result.output == "")
            let dumb = try PlayerProcess(home, adding: ["TERM": "dumb"]).browse()
            #expect(try await dumb.status() == 2)
            #expect(try await eventually { dumb.shown.normalText.contains("TERM names none") })
            #expect(!dumb.written.contains("\u{1B}"))
        }
    }

    @Test("With NO_COLOR, no colors are sent")
    func noColor() async throws {
        try await withTemporaryDirectory { home in
            let terminal = try PlayerProcess(home, adding: ["NO_COLOR": "1", "PLAYER_QUALITY": "low"]).browse()
            try await terminal.waitFor("? help")
            terminal.type("\rx\r")
            try await terminal.waitFor("Not stored.")
            #expect(!terminal.written.contains(/;[349][0-9]/) && terminal.written.contains("\u{1B}[0;7m"))
        }
    }

    @Test("Only differences are sent: a key costs less than a hundred bytes")
    func slowLine() async throws {
        try await withTemporaryDirectory { home in
            let terminal = try PlayerProcess(home).browse()
            try await terminal.waitFor("? help")
            terminal.type("/")
            try await terminal.waitFor("Search:")
            let length = terminal.written.utf8.count
            terminal.type("v")
            try await terminal.waitFor("Search: v")
            terminal.type("o")
            try await terminal.waitFor("1 of 3")
            let cost = terminal.written.utf8.count - length
            print("Two keys of a search that hides two lines: \(cost) bytes")
            #expect(cost < 300)
        }
    }

    @Test("What the process writes to standard error is shown in the view, and is not lost")
    func standardError() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            try player.run("set", "volume", "0.5")
            let terminal = try player.browse()
            try await terminal.waitFor("? help")
            // A value from outside that the setting does not accept is diagnosed.
            try player.runTool("set", "volume", "loud", "--string", "--app", "Player")
            try await terminal.waitFor("!  volume")
            try await terminal.waitFor("decodingFailed")
            terminal.type("q")
            #expect(try await terminal.status() == 0)
            #expect(try await eventually { terminal.isRestored })
            #expect(try await eventually { terminal.shown.normalText.contains("decodingFailed") })
            #expect(terminal.shown.problems == [])
        }
    }
}

extension BrowserProcessTests {
    @Test("The tool browses a store of unknown types, keeps the kinds, and undoes")
    func tool() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            let file = home + "/Some.plist"
            for (name, text) in [("port", "8080"), ("theme", "dark"), ("hosts", "[1, 2]"), ("on", "true")] {
                try player.runTool("set", name, text, "--file", file)
            }
            let terminal = try player.browse(tool: ["--file", file])
            try await terminal.waitFor("? help")
            #expect(
                terminal.shown.rows[1...4] == [
                    " hosts  [1,2]                                               array",
                    " on     true                                                boolean",
                    " port   8080                                                integer",
                    " theme  dark                                                text",
                ])
            // A text that is not of the kind is refused, and stays.
            terminal.type("jj\rx\r")
            try await terminal.waitFor("port: Not stored.")
            terminal.type("\u{7F}1\r")
            try await terminal.waitFor("port: stored.")
            #expect(try player.runTool("get", "port", "--file", file).output == "80801\n")
            // Digits as text stay text.
            terminal.type("j\r\u{15}123\r")
            try await terminal.waitFor("theme: stored.")
            #expect(try player.runTool("get", "theme", "--json", "--file", file).output == "\"123\"\n")
            terminal.type("kk ")
            try await terminal.waitFor("on: stored.")
            terminal.type("dy")
            try await terminal.waitFor("on: deleted.")
            // A setting that another process adds, with a name that controls a terminal.
            try player.runTool("set", "a\u{1B}[31mb", "\u{1B}]0;x\u{7}", "--file", file)
            try await terminal.waitFor("*a\\u{1B}[31mb")
            terminal.type("uuuu")
            try await terminal.waitFor("port: undone.")
            terminal.type("q")
            #expect(try await terminal.status() == 0)
            #expect(terminal.shown.problems == [])
            #expect(try player.runTool("get", "port", "--file", file).output == "8080\n")
            #expect(try player.runTool("get", "theme", "--file", file).output == "dark\n")
            #expect(try player.runTool("get", "on", "--file", file).output == "true\n")
        }
    }

    @Test("The tool says what is missing: a terminal, or the store")
    func toolErrors() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            #expect(try player.runTool("browse", "--file", home + "/new/Some.plist").status == 2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [])
            let terminal = try player.browse(tool: ["--file", home + "/Missing.plist"])
            #expect(try await terminal.status() == 1)
            #expect(try await eventually { terminal.shown.normalText.contains("There is no property list") })
            #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [])
        }
    }
}

extension PseudoTerminal {
    /// Waits until a text is not shown.
    fileprivate func waitFor(_ text: String, isShown: Bool) async throws {
        try #require(try await eventually { shown.text.contains(text) == isShown })
    }
}
