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

    #if !canImport(Darwin)
        @Test(
            "The administrator's files alone are a program's settings; one that cannot be read is named, with the reason"
        )
        func administrator() throws {
            try withTemporaryDirectory { directory in
                let result = try ToolProcess.bash(
                    """
                    export XDG_CONFIG_HOME="$PWD/home" XDG_CONFIG_DIRS="$PWD/all"
                    mkdir -p home all/Desk && settings set all/Desk/Managed.plist volume 0.5 &&
                        settings explain app:Desk volume && settings explain app:Chair volume || ls home &&
                        echo garbage > all/Desk/Managed.json && settings explain app:Desk volume
                    """, in: directory)
                let parts = result.output.components(separatedBy: "(cannot be read)")
                #expect(result.code == 0 && parts.count == 2 && parts[0].contains("managed"), "\(result)")
                #expect(parts[0].split(separator: "\n").last?.split(separator: " ") == ["managed-json"], "\(result)")
                #expect(result.message.contains("has no settings here"), "\(result)")
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

    // MARK: Reading writes nothing

    /// The system calls by which a file is changed, or a lock is taken that other processes feel.
    private static let writingCalls = [
        "creat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat",
        "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "fchownat",
        "lchown", "truncate", "ftruncate", "fallocate", "utimensat", "futimesat", "setxattr", "fsetxattr", "flock",
        "fsync",
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

    @Test("watch shows a change of another process, with its origin", arguments: StoreKind.allCases)
    func watching(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try ToolBench.ready(kind, in: directory)
            #expect(bench.run("set", "number", "0").code == 0)
            let pipe = Pipe()
            let watching = try Program(
                ToolProcess.path(), ["watch", kind.store(in: directory), "number", "--json"],
                pipe: pipe.fileHandleForWriting)
            try pipe.fileHandleForWriting.close()
            let lines = Recorder<String>()
            pipe.readLines { lines.append($0) }
            let store = try kind.open(in: directory)
            var number = 0
            // The first changes may be made before it watches.
            try #require(
                try await eventually {
                    number += 1
                    try store.set(key("number"), to: Data("\(number)".utf8))
                    return lines.count > 0
                })
            try await until { lines.all.contains { $0.contains("\"value\":\(number),") } }
            #expect(
                lines.all.allSatisfy { $0.contains("\"origin\":\"external\"") && $0.contains("\"name\":\"number\"") })
            watching.end()
        }
    }
}
