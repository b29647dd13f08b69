import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A file at the log's path that must not be trusted")
struct UntrustedLogTests {
    enum Trap: CaseIterable, Sendable {
        case symbolicLink, danglingLink, hardLink, openToAll, directory, fifo

        /// Sets it at the log's path; `other` is a file of another program.
        func set(at log: String, other: String) throws {
            switch self {
            case .symbolicLink: try link(log, to: other)
            case .danglingLink: try link(log, to: other + "-missing")
            case .hardLink:
                try #require(chmod(other, 0o666) == 0)
                try POSIXFileSystem().link(other, as: log)
            case .openToAll:
                try write("", to: log)
                try #require(chmod(log, 0o666) == 0)
            case .directory: try makeDirectory(log)
            case .fifo: try #require(mkfifo(log, 0o600) == 0)
            }
        }
    }

    @Test(
        "A file at the log's path that must not be trusted is refused in words, and it and what it leads to stay as they are",
        arguments: Trap.allCases)
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
    @Test(
        "A log is used if its owner may be trusted, and no user may write it who may not write the property list",
        arguments: [
            (0, 70, 0o600, 0o644, nil), (7, 70, 0o600, 0o644, nil), (8, 70, 0o600, 0o644, nil),
            (1_000, 70, 0o600, 0o644, nil), (9, 70, 0o600, 0o644, .foreignOwner), (7, 70, 0o646, 0o646, nil),
            (7, 70, 0o644, 0o646, nil), (7, 70, 0o646, 0o644, .tooOpen), (7, 70, 0o660, 0o640, .tooOpen),
            (7, 70, 0o660, 0o660, nil), (7, 71, 0o660, 0o660, .tooOpen), (7, 70, 0o666, 0o600, .tooOpen),
            (1_000, 70, 0o644, nil, nil), (1_000, 70, 0o664, nil, .tooOpen), (1_000, 80, 0o664, nil, nil),
        ] as [(UInt32, UInt32, UInt16, UInt16?, LogProblem?)])
    func problem(owner: UInt32, group: UInt32, mode: UInt16, list: UInt16?, expected: LogProblem?) {
        let status = FileStatus(
            kind: .file, device: 1, inode: 2, size: 3, modified: .init(seconds: 4, nanoseconds: 5),
            changed: .init(seconds: 6, nanoseconds: 7), linkCount: 1,
            permissions: .init(owner: owner, group: group, mode: mode))
        let found = LogFile.problem(
            with: status, list: list.map { FilePermissions(owner: 7, group: 70, mode: $0) },
            directory: .init(owner: 8, group: 80, mode: 0o775), user: 1_000)
        #expect(found == expected)
    }
}
