import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("settings doctor", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolDoctorTests {
    /// A property list with its log, as a process leaves them that was killed.
    private static func fill(_ directory: String) throws -> String {
        try StoreKind.file.fill(directory, with: ["a": Data("1".utf8), "secret": Data("\"sesame\"".utf8)])
        return StoreKind.file.file(in: directory)
    }

    /// The names and contents of all files in a directory, but for those of SQLite.
    private static func snapshot(_ directory: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            if name.hasSuffix("-wal") || name.hasSuffix("-shm") { continue }
            files[name] = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
        }
        return files
    }

    private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        body(&data)
        try data.write(to: URL(filePath: path))
    }

    /// The kinds of the findings.
    private func kinds(_ result: Desk.Result) -> Set<String> {
        guard case .object(let members)? = result.json, case .array(let findings)? = members["findings"] else {
            return ["no JSON"]
        }
        return Set(
            findings.compactMap { finding in
                guard case .object(let members) = finding, case .string(let kind)? = members["kind"] else { return nil }
                return kind
            })
    }

    /// Inspects a store, and makes sure that nothing was written and no value was shown.
    private func inspect(_ bench: ToolBench, code: Int32, _ expected: Set<String>) throws {
        let before = try Self.snapshot(bench.directory)
        let (text, json) = (bench.run("doctor"), bench.run("doctor", "--json"))
        #expect(text.code == code && json.code == code, "\(text)")
        #expect(kinds(json) == expected, "\(text)")
        #expect(!text.output.contains("sesame") && !json.output.contains("sesame"))
        #expect((code == 0) == text.output.hasSuffix("No problems.\n"), "\(text)")
        #expect(try Self.snapshot(bench.directory) == before)
    }

    @Test("A healthy store has no problems", arguments: StoreKind.allCases)
    func healthy(_ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            // In a process that has ended: a store of this one may still export.
            let store = try ToolBench.ready(kind, in: directory).kind.store(in: directory)
            #expect(try ToolProcess.bash("settings set \(store) a 1", in: directory) == .init(0))
            try inspect(ToolBench(kind, in: directory), code: 0, [])
        }
    }

    @Test("A missing store is a failure that says so", arguments: StoreKind.allCases)
    func missing(_ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            let result = ToolBench(kind, in: directory).run("doctor")
            #expect(result.code == 1 && result.errors.contains("missing"), "\(result)")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.isEmpty)
        }
    }

    @Test(
        "A damaged property list is reported",
        arguments: ["cut", "empty", "deep"])
    func damagedList(_ damage: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            try Self.change(path) { data in
                switch damage {
                case "cut": data = data.prefix(data.count / 2)
                case "empty": data = Data()
                default: data = Data(("<plist><dict><key>a</key>" + String(repeating: "<array>", count: 100_000)).utf8)
                }
            }
            try inspect(ToolBench(in: directory), code: 3, ["damaged"])
        }
    }

    @Test(
        "Another program's file is reported",
        arguments: ["{\"a\": 1}", "#!/bin/sh\n", "<plist><array/></plist>", "SQLite format 3\0"])
    func foreignFile(_ contents: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = "\(directory)/Settings.plist"
            try Data(contents.utf8).write(to: URL(filePath: path))
            try inspect(ToolBench(in: directory), code: 3, ["foreignFile"])
        }
    }

    @Test(
        "A damaged log, one with a torn end, and a newer one are reported",
        arguments: [
            ("damage", "logDamaged"), ("torn", "logTornEnd"), ("newer", "logNewer"),
        ])
    func logs(_ damage: String, _ kind: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            // A program that was killed leaves lines that are not printed.
            let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(3_600))
            try store.set(key("b"), to: Data("2".utf8))
            try store.set(key("c"), to: Data("3".utf8))
            let log = path + "-log"
            let bytes = try Data(contentsOf: URL(filePath: log))
            let copy = "\(directory)/copy"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: path, toPath: "\(copy)/Settings.plist")
            var changed = bytes
            switch damage {
            case "damage": for index in (bytes.count - 90)..<(bytes.count - 60) { changed[index] ^= 0x55 }
            case "torn": changed = bytes.prefix(bytes.count - 3)
            default:
                changed = Data(#"{"settings":"log","version":9,"log":"00000000000000aa","crc":"ddce6401"}"#.utf8) + [10]
            }
            #expect(
                FileManager.default.createFile(
                    atPath: "\(copy)/Settings.plist-log", contents: changed, attributes: [.posixPermissions: 0o600])
            )
            try inspect(ToolBench(in: copy), code: 3, [kind])
            // It would print the list when it ends.
            withExtendedLifetime(store) {}
        }
    }

    @Test("A log that others may write or read is reported")
    func openLog() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            #expect(chmod(path + "-log", 0o666) == 0)
            try inspect(ToolBench(in: directory), code: 3, ["logRefused"])
            #expect(chmod(path + "-log", 0o644) == 0)
            try inspect(ToolBench(in: directory), code: 3, ["logReadableByMore"])
        }
    }

    enum LinkedLog: CaseIterable, Sendable {
        case symbolicLink, hardLink, hardLinkOfAnotherUser

        /// Whether a test can make it here.
        static var possible: [Self] { getuid() == 0 ? allCases : [.symbolicLink, .hardLink] }
    }

    @Test(
        "A log that is a link, or another user's with a second name, is reported",
        arguments: LinkedLog.possible)
    func linkedLog(_ kind: LinkedLog) throws {
        try withTemporaryDirectory { (directory: String) in
            let (log, elsewhere) = (try Self.fill(directory) + "-log", directory + "/elsewhere")
            try FileManager.default.moveItem(atPath: log, toPath: elsewhere)
            if kind == .symbolicLink {
                try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: elsewhere)
            } else {
                try FileManager.default.linkItem(atPath: elsewhere, toPath: log)
            }
            if kind == .hardLinkOfAnotherUser { try #require(chown(elsewhere, 65_534, 65_534) == 0) }
            // The user's own is read, and the next process that writes begins a new one.
            let isRefused = kind != .hardLink
            try inspect(ToolBench(in: directory), code: isRefused ? 3 : 0, isRefused ? ["logRefused"] : [])
        }
    }

    @Test("Files that crashes and syncers have left are reported")
    func strayFiles() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            let temporary = WholeFile.temporaryPath(for: path)
            for name in [
                temporary, path + ".damaged-2026-01-01T000000Z-abc",
                "\(directory)/Settings.sync-conflict-20260101-1.plist",
            ] {
                try Data("x".utf8).write(to: URL(filePath: name))
            }
            let now = Int64(Date().timeIntervalSince1970)
            let findings = try #require(try PropertyListStore.findings(path: path, now: now + 3_600))
            #expect(Set(findings.map(\.kind)) == [.temporary, .keptAside, .conflictCopy])
            // One that is being written is none.
            try inspect(ToolBench(in: directory), code: 0, ["keptAside", "conflictCopy"])
        }
    }

    @Test("Keys that are repeated in a property list are reported by their number, at any level")
    func repeatedKeys() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = StoreKind.file.file(in: directory)
            let members = "<key>a</key><integer>1</integer><key>a</key><integer>2</integer>"
            try Data("<plist><dict>\(members)<key>b</key><dict>\(members)</dict></dict></plist>".utf8)
                .write(to: URL(filePath: path))
            try inspect(ToolBench(in: directory), code: 3, ["repeatedNames"])
            #expect(ToolBench(in: directory).run("doctor").output.contains("2 of its keys"))
        }
    }

    /// Whether a file of a temporary directory can be made immutable.
    private static let canMakeImmutable: Bool = {
        let result = try? withTemporaryDirectory { (directory: String) in
            try ToolProcess.bash("touch a && chattr +i a && chattr -i a", in: directory)
        }
        return result?.code == 0
    }()

    @Test("An immutable file is reported", .enabled(if: canMakeImmutable), arguments: ["", "-log"])
    func immutable(_ suffix: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory) + suffix
            #expect(try ToolProcess.bash("chattr +i \(path)", in: directory).code == 0)
            defer { _ = try? ToolProcess.bash("chattr -i \(path)", in: directory) }
            try inspect(ToolBench(in: directory), code: 3, ["immutable"])
            #expect(ToolBench(in: directory).run("doctor").output.contains(path))
        }
    }

    #if os(Linux)
        @Test(
            "A log that a process keeps locked is reported with the process",
            .enabled(if: ToolProcess.isInstalled("flock")))
        func locked() throws {
            try withTemporaryDirectory { (directory: String) in
                _ = try Self.fill(directory)
                let result = try ToolProcess.bash(
                    """
                    flock -ox Settings.plist-lock settings doctor Settings.plist & wait $!
                    echo "exit code $?, process $!"
                    """, in: directory)
                let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let process = try #require(text.split(separator: " ").last)
                #expect(text.contains("exit code 3") && text.contains("process \(process) (flock)"), "\(result)")
                try inspect(ToolBench(in: directory), code: 0, [])
            }
        }
    #endif

    @Test("What is not a file at the path is reported", arguments: ["directory", "pipe", "link"])
    func notAFile(_ what: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = "\(directory)/Settings.plist"
            switch what {
            case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case "pipe": #expect(mkfifo(path, 0o600) == 0)
            default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(directory)/none")
            }
            let result = ToolBench(in: directory).run("doctor", "--json")
            #expect(result.code == 3 && kinds(result) == [what == "link" ? "danglingLink" : "notAFile"], "\(result)")
        }
    }

    @Test("An enormous file, and permissions and times that are wrong, are reported")
    func unusualStatus() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            #expect(chmod(path, 0o606) == 0)
            let later = Date(timeIntervalSinceNow: 10 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
            #expect(
                kinds(ToolBench(in: directory).run("doctor", "--json")).isSuperset(of: [
                    "writableByOthers", "futureTime",
                ]))
            let large = "\(directory)/large.plist"
            #expect(FileManager.default.createFile(atPath: large, contents: nil))
            let file = try FileHandle(forWritingTo: URL(filePath: large))
            try file.truncate(atOffset: 3 << 30)
            try file.close()
            let result = ToolBench.run(["doctor", large, "--json"])
            #expect(result.code == 3 && kinds(result) == ["tooLarge"], "\(result)")
        }
    }

    @Test("An unreadable property list is reported", .enabled(if: geteuid() != 0))
    func unreadable() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            #expect(chmod(path, 0) == 0)
            #expect(kinds(ToolBench(in: directory).run("doctor", "--json")).contains("unreadable"))
        }
    }

    // MARK: Databases

    @Test(
        "A damaged, foreign or newer database is reported and not touched",
        arguments: [
            ("foreign", "notADatabase"), ("cut", "corruptDatabase"), ("table", "unexpectedTable"),
        ])
    func databases(_ damage: String, _ kind: String) async throws {
        try await withTemporaryDirectory { (directory: String) in
            let path = StoreKind.sqlite.file(in: directory)
            var arguments = ["doctor", "sqlite:\(path)", "--json"]
            switch damage {
            case "foreign":
                try Data("this is sesame and no database, whatever its name says".utf8).write(to: URL(filePath: path))
            default:
                let settings = (0..<2_000).map {
                    ("setting \($0)", Data("\"a value that takes some room: \($0)\"".utf8))
                }
                try StoreKind.sqlite.fill(directory, with: Dictionary(uniqueKeysWithValues: settings))
                // The log is in the database once the last connection has closed: a moment later, if the store was just looking.
                try await until { !FileManager.default.fileExists(atPath: path + "-wal") }
                if damage == "table" { arguments[1] += "?table=other" }
                if damage == "cut" {
                    try Self.change(path) { data in
                        #expect(data.count > 40_000)
                        for index in 8_192..<min(32_768, data.count) { data[index] = 0x41 }
                    }
                }
            }
            let before = try Self.snapshot(directory)
            let result = ToolBench.run(arguments)
            #expect(result.code == 3 && kinds(result).contains(kind), "\(result)")
            #expect(!result.output.contains("sesame"))
            #expect(try Self.snapshot(directory) == before)
        }
    }
}
