import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A file at the log's path that must not be trusted")
struct UntrustedLogTests {
    enum Trap: CaseIterable, Sendable {
        case symbolicLink, danglingLink, otherUsersHardLink, openToAll, otherUser, directory, fifo

        /// Whether a test can set it here.
        var isPossible: Bool { ![.otherUser, .otherUsersHardLink].contains(self) || Program.isRoot }

        /// Sets it at the log's path; `other` is a file of another program.
        func set(at log: String, other: String) throws {
            switch self {
            case .symbolicLink: try #require(symlink(other, log) == 0)
            case .danglingLink: try #require(symlink(other + "-missing", log) == 0)
            case .otherUsersHardLink: try #require(chown(other, 65_534, 65_534) == 0 && link(other, log) == 0)
            case .openToAll:
                try write("", to: log)
                try #require(chmod(log, 0o666) == 0)
            case .otherUser:
                try write("", to: log)
                try #require(chmod(log, 0o600) == 0 && chown(log, 65_534, 65_534) == 0)
            case .directory: try #require(mkdir(log, 0o700) == 0)
            case .fifo: try #require(mkfifo(log, 0o600) == 0)
            }
        }
    }

    @Test(
        "A file at the log's path that must not be trusted is refused in words, and it and what it leads to stay as they are",
        arguments: Trap.allCases.filter(\.isPossible))
    func isRefusedInWords(trap: Trap) throws {
        try withTemporaryDirectory { directory in
            let folder = directory + "/settings"
            try #require(mkdir(folder, 0o755) == 0)
            let (path, other) = (folder + "/Settings.plist", directory + "/other")
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try write(Data(count: 500), to: other)
            try trap.set(at: path + "-log", other: other)
            func files() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix("-lock") }.sorted()
            }
            let before = try files()
            let (service, problems) = SettingsService.over(try open(path))
            let setting = Setting<Int>("a", in: .defaults, default: 0)
            #expect(service.get(setting) == 1)
            #expect(problems.codes == [.logUnavailable])
            for _ in 1...2 {
                let error = #expect(throws: SettingsError.self) { try service.save(setting, to: 7_654_321) }
                #expect(error?.code == .logUnavailable)
                #expect(error?.description.contains("log") == true)
            }
            #expect(service.get(setting) == 1)
            #expect(try bytes(of: other) == Data(count: 500))
            #expect(access(other + "-missing", F_OK) == -1)
            #expect(try files() == before)
        }
    }

    @Test(
        "A file at the log's path that must not be trusted is replaced before anything is written into it when its property list is closed to others"
    )
    func isReplacedBeforeAnythingIs() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("2".utf8))
            #expect(try permissions(of: path + "-log") == 0o644)
            try #require(chmod(path, 0o600) == 0)
            try store.refresh()
            try store.set(key("a"), to: Data("3".utf8))
            #expect(try permissions(of: path + "-log") == 0o600)
            #expect(try quietly(path).get(key("a")) == Data("3".utf8))
        }
    }

    @Test(
        "A file at the log's path that must not be trusted is replaced before anything is written, too, when no process was running as that happened"
    )
    func isReplacedBeforeAnything() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            var store: PropertyListStore? = try quietly(path)
            try store?.set(key("a"), to: Data("2".utf8))
            store = nil
            try #require(chmod(path, 0o600) == 0)
            let (service, problems) = SettingsService.over(try quietly(path))
            let setting = Setting<Int>("a", in: .defaults, default: 0)
            #expect(service.get(setting) == 2)
            try service.save(setting, to: 3)
            #expect(try permissions(of: path + "-log") == 0o600)
            #expect(problems.codes == [])
            #expect(try quietly(path).get(key("a")) == Data("3".utf8))
        }
    }

    @Test(
        "A file at the log's path that must not be trusted is not the log of a property list that was deleted and written again"
    )
    func isNotTheLog() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            let store = try quietly(path)
            try store.set(key("a"), to: Data("2".utf8))
            try store.bringUpToDate()
            try FileManager.default.removeItem(atPath: path)
            try store.refresh()
            try store.bringUpToDate()
            #expect(try permissions(of: path) == 0o644)
            let other = try quietly(path)
            try other.set(key("a"), to: Data("3".utf8))
            #expect(try quietly(path).get(key("a")) == Data("3".utf8))
        }
    }

    @Test(
        "Only users who may write the property list can open its lock file, also after its mode has changed",
        arguments: [(0o600, 0o600), (0o644, 0o600), (0o664, 0o660)] as [(mode_t, mode_t)])
    func lockFile(list: mode_t, expected: mode_t) throws {
        try withPropertyList { path in
            for number in 1...2 {
                if number == 1 { try write(xml("<key>a</key><integer>0</integer>"), to: path) }
                try #require(chmod(path, number == 1 ? 0o640 : list) == 0)
                try quietly(path).set(key("a"), to: Data("\(number)".utf8))
                #expect(try permissions(of: path + "-lock") == (number == 1 ? 0o600 : expected))
            }
        }
    }

    private func quietly(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
    }
}

@Suite("Whether a log may be used")
struct TrustedLogTests {
    private let list = FilePermissions(owner: 7, group: 70, mode: 0o644)

    private func problem(
        _ permissions: FilePermissions, list: FilePermissions?,
        directory: FilePermissions = .init(owner: 8, group: 80, mode: 0o755)
    ) -> LogProblem? {
        var status = sampleStatus
        (status.kind, status.permissions) = (.file, permissions)
        return LogFile.problem(with: status, list: list, directory: directory, user: 1_000)
    }

    @Test(
        "Whether a log may be used depends on its owner",
        arguments: [(0, true), (7, true), (8, true), (1_000, true), (9, false)] as [(UInt32, Bool)])
    func owner(owner: UInt32, isTrusted: Bool) {
        #expect(problem(.init(owner: owner, group: 70, mode: 0o600), list: list) == (isTrusted ? nil : .foreignOwner))
    }

    @Test(
        "Users who may not write the property list may not write the log",
        arguments: [
            (0o644, 70, 0o644, nil), (0o646, 70, 0o644, .tooOpen), (0o660, 70, 0o640, .tooOpen),
            (0o660, 70, 0o660, nil),
            (0o660, 71, 0o660, .tooOpen), (0o666, 70, 0o600, .tooOpen),
        ] as [(UInt16, UInt32, UInt16, LogProblem?)])
    func writers(mode: UInt16, group: UInt32, list: UInt16, expected: LogProblem?) {
        let list = FilePermissions(owner: 7, group: 70, mode: list)
        #expect(problem(.init(owner: 7, group: group, mode: mode), list: list) == expected)
    }

    @Test("Without a property list, users who may not write the directory may not write the log")
    func withoutList() {
        #expect(problem(.init(owner: 1_000, group: 70, mode: 0o644), list: nil) == nil)
        #expect(problem(.init(owner: 1_000, group: 70, mode: 0o666), list: nil) == .tooOpen)
        #expect(problem(.init(owner: 1_000, group: 70, mode: 0o664), list: nil) == .tooOpen)
        #expect(problem(.init(owner: 9, group: 70, mode: 0o600), list: nil) == .foreignOwner)
        let shared = FilePermissions(owner: 8, group: 70, mode: 0o775)
        #expect(problem(.init(owner: 1_000, group: 70, mode: 0o664), list: nil, directory: shared) == nil)
    }

    @Test(
        "A log is a file", arguments: [(.link, .symbolicLink), (.other, .notAFile)] as [(FileStatus.Kind, LogProblem)])
    func kind(kind: FileStatus.Kind, expected: LogProblem) {
        var status = sampleStatus
        status.kind = kind
        #expect(LogFile.problem(with: status, list: list, directory: list, user: 7) == expected)
    }
}

private let sampleStatus = FileStatus(
    kind: .file, device: 1, inode: 2, size: 3, modified: .init(seconds: 4, nanoseconds: 5),
    changed: .init(seconds: 6, nanoseconds: 7), linkCount: 1, permissions: .init(owner: 7, group: 70, mode: 0o600))
