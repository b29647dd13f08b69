import Foundation
import SettingsCommandLine
import SettingsKit
import SettingsSQLite
import SettingsTestSupport
import Testing

@testable import settings

@Suite("The executable settings", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolProcessTests {
    private static let hasStrace = ToolProcess.isInstalled("strace")
    private static let hasScript = ToolProcess.isInstalled("script")

    #if !canImport(Darwin)
        @Test("explain works for a program that has the administrator's files alone")
        func administratorAlone() throws {
            try withTemporaryDirectory { directory in
                let result = try ToolProcess.bash(
                    """
                    export XDG_CONFIG_HOME="$PWD/home" XDG_CONFIG_DIRS="$PWD/all"
                    mkdir -p home all/Desk && settings set all/Desk/Managed.plist volume 0.5 &&
                        settings explain app:Desk volume && settings explain app:Desk volume --json
                    """, in: directory)
                #expect(result.code == 0 && result.output.contains("managed"), "\(result)")
                #expect(result.output.contains("\"layer\": \"managed\""), "\(result)")
                let missing = try ToolProcess.bash(
                    """
                    export XDG_CONFIG_HOME="$PWD/home" XDG_CONFIG_DIRS="$PWD/all"
                    settings explain app:Chair volume || settings explain app:Desk color; ls home
                    """, in: directory)
                #expect(missing.output.isEmpty && missing.message.contains("has no settings here"), "\(missing)")
            }
        }

        @Test("explain of a program's settings names a file of the administrator that cannot be read, and the reason")
        func unreadableLayer() throws {
            try withTemporaryDirectory { directory in
                let result = try ToolProcess.bash(
                    """
                    export XDG_CONFIG_HOME="$PWD/home" XDG_CONFIG_DIRS="$PWD/all"
                    mkdir -p home all/Desk && settings set app:Desk volume 0.5 && settings explain app:Desk volume &&
                        echo garbage > all/Desk/Managed.plist && settings explain app:Desk volume &&
                        settings explain app:Desk volume --json
                    """, in: directory)
                let parts = result.output.components(separatedBy: "(cannot be read)")
                #expect(result.code == 0 && parts.count == 2, "\(result)")
                #expect(parts[0].split(separator: "\n").last?.split(separator: " ") == ["managed"], "\(result)")
                #expect(parts.last?.contains("damaged: The file is damaged") == true)
                #expect(parts.last?.contains("\"problem\"") == true && parts.last?.contains("aside") == false)
            }
        }
    #endif

    @Test("A pipe that is closed ends the tool without a message")
    func closedPipe() throws {
        try withTemporaryDirectory { directory in
            let entries = (0..<20_000).map { "<key>setting-\($0)</key><string>value \($0)</string>" }.joined()
            try write("<plist version=\"1.0\"><dict>\(entries)</dict></plist>", to: "\(directory)/S.plist")
            for arguments in ["list S.plist", "list S.plist --json", "--help"] {
                let result = try ToolProcess.bash(
                    "settings \(arguments) | true; echo ${PIPESTATUS[0]}", in: directory)
                #expect(result.errors.isEmpty && (result.output == "0\n"), "\(result)")
            }
        }
    }

    @Test(
        "Colors appear on a terminal only, and never against NO_COLOR",
        .enabled(if: hasScript, "script is not installed"))
    func colors() throws {
        try withTemporaryDirectory { directory in
            #expect(try ToolProcess.bash("settings set S.plist a 1", in: directory) == .init(0))
            func onTerminal(_ variables: String) throws -> String {
                try ToolProcess.bash(
                    "env -u NO_COLOR \(variables) script -qec 'settings list S.plist' /dev/null",
                    in: directory
                ).output
            }
            #expect(try onTerminal("TERM=xterm").contains("\u{1B}[1m"))
            for variables in ["TERM=xterm NO_COLOR=1", "TERM=dumb", "-u TERM"] {
                let output = try onTerminal(variables)
                #expect(output.contains("number") && !output.contains("\u{1B}"), "\(variables)")
            }
            #expect(try onTerminal("TERM=xterm NO_COLOR=").contains("\u{1B}[1m"))
            #expect(
                try ToolProcess.bash("TERM=xterm settings list S.plist", in: directory).output
                    == "a  number  1\n")
        }
    }

    // MARK: Reading writes nothing

    /// The system calls by which a file is changed, or a lock is taken that other processes feel.
    private static let writingCalls = [
        "creat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat",
        "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "fchownat",
        "lchown",
        "truncate", "ftruncate", "fallocate", "utimensat", "futimesat", "setxattr", "fsetxattr", "flock", "fsync",
        "fdatasync",
    ]

    @Test(
        "A subcommand that reads opens nothing for writing, and creates, renames, removes and locks nothing",
        .enabled(if: hasStrace, "strace is not installed"), arguments: StoreKind.allCases)
    func readingWritesNothing(kind: StoreKind) throws {
        try withTemporaryDirectory { directory in
            let store = try ToolBench.ready(kind, in: directory).kind.store(in: directory)
            #expect(try ToolProcess.bash("settings set \(store) theme dark", in: directory) == .init(0))
            for subcommand in [
                "list \(store)", "get \(store) theme", "explain \(store) theme", "get \(store) missing",
            ] {
                let trace = "\(directory)/trace"
                let calls = "open,openat,\(Self.writingCalls.joined(separator: ","))"
                _ = try ToolProcess.bash(
                    "timeout 120 strace -f -qq -y -o \(trace) -e trace=\(calls) settings \(subcommand)", in: directory)
                let traced = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
                #expect(traced.contains { $0.contains("openat(") }, "\(subcommand) was not traced")
                // Other lines are about processes and signals, or end a call whose beginning is a line of its own. A process
                // that ends while strace asks for its call is shown as `???()`.
                for call in traced {
                    guard let match = call.firstMatch(of: /^\d+ +(\w+)\(/) else { continue }
                    let isOpening = ["open", "openat"].contains(String(match.1))
                    let isReading = isOpening && !["O_WRONLY", "O_RDWR", "O_CREAT"].contains { call.contains($0) }
                    // Nothing that a process writes there remains.
                    let isHarmless = ["/dev/", "/proc/", "-shm", "-wal"].contains { call.contains($0) }
                    #expect(isReading || isHarmless, "\(subcommand): \(call)")
                }
                try removeAll(trace)
            }
        }
    }

    // MARK: Watching

    @Test("watch shows a change of another process within 50 ms, with time and origin", arguments: StoreKind.allCases)
    func watchLatency(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            #expect(bench.run("set", "moment", "0").code == 0)
            let watching = Process()
            watching.executableURL = URL(fileURLWithPath: try ToolProcess.path())
            watching.arguments = ["watch", kind.store(in: directory), "moment", "--json"]
            let pipe = Pipe()
            watching.standardOutput = pipe
            try watching.run()
            defer {
                // A child may have other signals blocked, as the thread had that started it.
                kill(watching.processIdentifier, SIGKILL)
                watching.waitUntilExit()
            }
            let lines = Recorder<String>()
            pipe.readLines { lines.append($0) }
            let store = try WritingStore(kind, in: directory)
            func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
            var written: Int64 = 0
            func write() throws {
                written = max(written + 1, now())
                try store.set("moment", "\(written)")
            }
            // The first changes may be made before it watches.
            try #require(
                try await eventually {
                    try write()
                    return lines.count > 0
                })
            var delays: [Int64] = []
            for _ in 0..<21 {
                try write()
                let expected = "\"value\":\(written),"
                try #require(try await eventually { lines.all.contains { $0.contains(expected) } }, "\(expected)")
                let line = try #require(lines.all.last { $0.contains(expected) })
                #expect(line.contains("\"origin\":\"external\"") && line.contains("\"name\":\"moment\""))
                delays.append(try Self.time(of: line) - written)
            }
            delays.sort()
            #expect(delays[delays.count / 2] <= 50, "\(kind): \(delays)")
        }
    }

    private static func time(of line: String) throws -> Int64 {
        guard case .object(let change) = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)),
            case .string(let time)? = change["time"],
            let date = Date(iso8601: time)
        else { throw CocoaError(.formatting) }
        return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }
}

/// A store that a test writes to, as a program does beside the tool.
private struct WritingStore {
    private let store: any SettingsStore

    init(_ kind: StoreKind, in directory: String) throws {
        let url = URL(fileURLWithPath: kind.file(in: directory))
        switch kind {
        case .file: store = try PropertyListStore(url: url)
        case .shared: store = try DirectoryStore(at: url, state: URL(fileURLWithPath: "\(directory)/state"))
        case .sqlite: store = try SQLiteStore(at: url)
        }
    }

    func set(_ name: String, _ json: String) throws {
        try store.set(.init(name, scope: .defaults), to: Data(json.utf8))
    }
}
