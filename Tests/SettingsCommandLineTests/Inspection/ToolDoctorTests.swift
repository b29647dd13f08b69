import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

@Suite("settings doctor", .ownThreads, .timeLimit(Rounds.timeLimit))
struct ToolDoctorTests {
    /// A property list with its log, as processes leave them that have ended: a store of this process may still print.
    private static func fill(_ directory: String) throws -> String {
        let path = StoreKind.file.file(in: directory)
        let script = "settings set \(path) a 1 && settings set \(path) secret sesame"
        #expect(try ToolProcess.bash(script, in: directory) == .init(0))
        return path
    }

    /// The kinds of the findings.
    private func kinds(_ result: Desk.Result) -> Set<String?> {
        Set(result.json?.object?["findings"]?.array?.map { $0.object?["kind"]?.string } ?? ["no JSON"])
    }

    /// Inspects a store, and makes sure that nothing was written and no value was shown.
    private func inspect(_ bench: ToolBench, code: Int32, _ expected: Set<String?>) throws {
        let before = try picture(of: bench.directory)
        let (text, json) = (bench.run("doctor"), bench.run("doctor", "--json"))
        #expect(text.code == code && json.code == code, "\(text)")
        #expect(kinds(json) == expected, "\(text)")
        #expect(!text.output.contains("sesame") && !json.output.contains("sesame"))
        #expect((code == 0) == text.output.hasSuffix("No problems.\n"), "\(text)")
        #expect(try picture(of: bench.directory) == before)
    }

    @Test("A healthy store has no problems", arguments: StoreKind.allCases)
    func healthy(_ kind: StoreKind) throws {
        try withTemporaryDirectory { (directory: String) in
            let store = try ToolBench.ready(kind, in: directory).kind.store(in: directory)
            #expect(try ToolProcess.bash("settings set \(store) a 1", in: directory) == .init(0))
            try inspect(ToolBench(kind, in: directory), code: 0, [])
        }
    }

    @Test(
        "A list that is damaged or another program's, and what is no file, is reported",
        arguments: [
            ("<plist version=\"1.0\"><dict><key>a</key><string>sesame", "damaged"), ("", "damaged"),
            ("{\"a\": 1}", "foreignFile"), ("<plist><array/></plist>", "foreignFile"),
            ("SQLite format 3\0", "foreignFile"), ("pipe", "notAFile"), ("link", "danglingLink"), ("large", "tooLarge"),
        ])
    func lists(_ contents: String, _ kind: String) throws {
        try withTemporaryDirectory { (directory: String) in
            let path = "\(directory)/Settings.plist"
            switch contents {
            case "pipe": #expect(mkfifo(path, 0o600) == 0)
            case "link": try link(path, to: "\(directory)/none")
            case "large": try Self.makeLarge(path)
            default: try write(contents, to: path)
            }
            if contents == "large" {
                #expect(kinds(ToolBench(in: directory).run("doctor", "--json")) == [kind])
            } else {
                try inspect(ToolBench(in: directory), code: 3, [kind])
            }
        }
    }

    private static func makeLarge(_ path: String) throws {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 3 << 30)
        try file.close()
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

    @Test("A log that others may write or read, and one that is a link, is reported")
    func untrustedLog() throws {
        try withTemporaryDirectory { (directory: String) in
            let log = try Self.fill(directory) + "-log"
            #expect(chmod(log, 0o666) == 0)
            try inspect(ToolBench(in: directory), code: 3, ["logRefused"])
            #expect(chmod(log, 0o644) == 0)
            try inspect(ToolBench(in: directory), code: 3, ["logReadableByMore"])
            #expect(chmod(log, 0o600) == 0)
            try move(log, to: directory + "/elsewhere")
            try link(log, to: directory + "/elsewhere")
            try inspect(ToolBench(in: directory), code: 3, ["logRefused"])
        }
    }

    @Test("Files that crashes and syncers have left are reported")
    func strayFiles() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            for name in [
                path + ".damaged-2026-01-01T000000Z-abc", "\(directory)/Settings.sync-conflict-20260101-1.plist",
            ] {
                try Data("x".utf8).write(to: URL(filePath: name))
            }
            try inspect(ToolBench(in: directory), code: 0, ["keptAside", "conflictCopy"])
        }
    }

    @Test("Permissions and times that are wrong are reported")
    func unusualStatus() throws {
        try withTemporaryDirectory { (directory: String) in
            let path = try Self.fill(directory)
            try PropertyListStore(url: URL(filePath: path)).bringUpToDate()
            #expect(chmod(path, 0o606) == 0)
            let later = Date(timeIntervalSinceNow: 10 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
            let found = kinds(ToolBench(in: directory).run("doctor", "--json"))
            #expect(found.isSuperset(of: ["writableByOthers", "futureTime"]))
        }
    }
}
