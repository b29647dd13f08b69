import Foundation
import SettingsTestSupport
import Testing

/// The view in a terminal that others have written.
@Suite("The terminal view in tmux", .ownThreads, .enabled(if: Tmux.isInstalled, "tmux is not installed"))
struct TmuxTests {
    @Test("tmux shows the picture, an edit, and the shell unchanged after that")
    func picture() async throws {
        try await withTemporaryDirectory { home in
            let player = PlayerProcess(home)
            try player.run("set", "volume", "0.75")
            let tmux = Tmux(home)
            defer { tmux.run("kill-server") }
            let program = try PlayerProcess.path(of: "Player")
            tmux.run("new-session", "-d", "-x", "80", "-y", "24", "env HOME=\(home) LANG=C.UTF-8 sh")
            // The terminal would show keys that are sent before the shell's prompt in front of it.
            try #require(try await eventually { tmux.text.contains { !$0.isWhitespace } })
            tmux.run("send-keys", "echo before; \(program) settings browse", "Enter")
            try await tmux.waitFor("? help")
            #expect(
                tmux.rows[0...3] == [
                    " Player                                                              3 settings", " Sound",
                    "   volume   0.75                                            store",
                    "   muted    false                                           default",
                ])
            tmux.run("send-keys", "Down", "Space")
            try await tmux.waitFor("muted: stored. u undoes it.")
            #expect(try player.run("get", "muted").output == "true\n")
            // A key of tmux's, and a stop by the shell's rules.
            tmux.run("send-keys", "C-z")
            try await tmux.waitFor("Stopped")
            #expect(tmux.text.contains("before") && !tmux.text.contains("? help"))
            tmux.run("send-keys", "fg", "Enter")
            try await tmux.waitFor("? help")
            tmux.run("resize-window", "-x", "40", "-y", "12")
            try await tmux.waitFor("True or false.")
            tmux.run("send-keys", "u")
            try await tmux.waitFor("muted: undone.")
            tmux.run("send-keys", "q")
            try #require(try await eventually { !tmux.text.contains("3 settings") && tmux.text.contains("fg") })
            tmux.run("send-keys", "echo after $?", "Enter")
            try await tmux.waitFor("after 0")
            // In the smaller window, long paths of programs may have moved it up.
            #expect(tmux.history.contains("\nbefore\n"))
            tmux.run("send-keys", "stty -a | grep -o ' [-]*echo '; printf 'wra%s\\n' pped", "Enter")
            try await tmux.waitFor("wrapped")
            #expect(tmux.rows.contains(" echo"))
        }
    }
}

/// A server of tmux for one test.
struct Tmux: Sendable {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy
        .map { "\($0)/tmux" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isInstalled: Bool { path != nil }

    private let socket: String

    init(_ directory: String) { socket = directory + "/tmux" }

    /// Runs a command of tmux.
    ///
    /// - Returns: What it has printed.
    @discardableResult
    func run(_ arguments: String...) -> String {
        let result = try? ProgramResult(
            of: Self.path ?? "", ["-u", "-S", socket, "-f", "/dev/null"] + arguments,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"],
            in: URL(fileURLWithPath: socket).deletingLastPathComponent())
        return result?.output ?? ""
    }

    var text: String { run("capture-pane", "-p") }

    /// The text, with the lines that have left the window.
    var history: String { run("capture-pane", "-p", "-S", "-") }

    var rows: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    func waitFor(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isShown = try await eventually(within: 20) { self.text.contains(text) }
        try #require(isShown, "\(text) is not shown, but\n\(self.text)", sourceLocation: sourceLocation)
    }
}
