import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A file at the journal's path that must not be trusted")
struct AFileAtTheJournalsPathThatMustNotBeTrustedTests {
    enum Trap: CaseIterable, Sendable {
        case symbolicLink, danglingLink, hardLink, otherUsersHardLink, openToAll, otherUser, directory, fifo

        /// Whether a test can set it here.
        var isPossible: Bool { ![.otherUser, .otherUsersHardLink].contains(self) || Program.isRoot }

        /// Sets it at the journal's path; `other` is a file of another program.
        func set(at journal: String, other: String) throws {
            switch self {
            case .symbolicLink: try #require(symlink(other, journal) == 0)
            case .danglingLink: try #require(symlink(other + "-missing", journal) == 0)
            // What is read from it could reach those who read the property list.
            case .hardLink: try #require(chmod(other, 0o600) == 0 && link(other, journal) == 0)
            case .otherUsersHardLink: try #require(chown(other, 65_534, 65_534) == 0 && link(other, journal) == 0)
            case .openToAll:
                try write("", to: journal)
                try #require(chmod(journal, 0o666) == 0)
            case .otherUser:
                try write("", to: journal)
                try #require(chmod(journal, 0o600) == 0 && chown(journal, 65_534, 65_534) == 0)
            case .directory: try #require(mkdir(journal, 0o700) == 0)
            case .fifo: try #require(mkfifo(journal, 0o600) == 0)
            }
        }
    }

    @Test(
        "A file at the journal's path that must not be trusted is refused in words, and it and what it leads to stay as they are",
        arguments: Trap.allCases.filter(\.isPossible))
    func isRefusedInWords(trap: Trap) throws {
        try withTemporaryDirectory { directory in
            let folder = directory + "/settings"
            try #require(mkdir(folder, 0o755) == 0)
            let (path, other) = (folder + "/Settings.plist", directory + "/other")
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try write(Data(count: 500), to: other)
            try trap.set(at: path + "-journal", other: other)
            func files() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix("-lock") }.sorted()
            }
            let before = try files()
            let (service, problems) = SettingsService.over(try open(path))
            let setting = Setting<Int>("a", in: .defaults, default: 0)
            #expect(service.get(setting) == 1)
            #expect(problems.codes == [.journalUnavailable])
            for _ in 1...2 {
                let error = #expect(throws: SettingsError.self) { try service.save(setting, to: 7_654_321) }
                #expect(error?.code == .journalUnavailable)
                #expect(error?.description.contains("journal") == true)
            }
            #expect(service.get(setting) == 1)
            #expect(try bytes(of: other) == Data(count: 500))
            #expect(access(other + "-missing", F_OK) == -1)
            #expect(try files() == before)
        }
    }

    @Test("A file of the same user whose second name is the journal's stays as it is, and a new journal takes the name")
    func staysAsItIs() throws {
        for contents in [Data(), Data(count: 500), Data("no journal".utf8)] {
            try withTemporaryDirectory { directory in
                let (path, other) = (directory + "/Settings.plist", directory + "/other")
                try write(xml("<key>a</key><integer>1</integer>"), to: path)
                try write(contents, to: other)
                try #require(link(other, path + "-journal") == 0)
                let store = try open(path)
                try store.set(key("b"), to: Data("2".utf8))
                #expect(try bytes(of: other) == contents)
                #expect(try permissions(of: other) == 0o644)
                let found = try quietly(path)
                #expect(found.get(key("a")) == Data("1".utf8))
                #expect(found.get(key("b")) == Data("2".utf8))
            }
        }
    }

    @Test(
        "A file at the journal's path that must not be trusted no longer keeps settings from being stored when it is gone"
    )
    func noLongerKeepsSettings() throws {
        try withPropertyList { path in
            try #require(symlink("/dev/null", path + "-journal") == 0)
            let store = try open(path)
            #expect(throws: SettingsError.self) { try store.set(key("a"), to: Data("1".utf8)) }
            try FileManager.default.removeItem(atPath: path + "-journal")
            try store.set(key("a"), to: Data("1".utf8))
            try store.bringUpToDate()
            #expect(try members(of: path) == ["a": .integer(1)])
        }
    }

    @Test(
        "A file at the journal's path that must not be trusted is replaced before anything is written into it when its property list is closed to others"
    )
    func isReplacedBeforeAnythingIs() throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            try store.set(key("a"), to: Data("2".utf8))
            #expect(try permissions(of: path + "-journal") == 0o644)
            try #require(chmod(path, 0o600) == 0)
            try store.refresh()
            try store.set(key("a"), to: Data("3".utf8))
            #expect(try permissions(of: path + "-journal") == 0o600)
            #expect(try quietly(path).get(key("a")) == Data("3".utf8))
        }
    }

    @Test(
        "A file at the journal's path that must not be trusted is replaced before anything is written, too, when no process was running as that happened"
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
            #expect(try permissions(of: path + "-journal") == 0o600)
            #expect(problems.codes == [])
            #expect(try quietly(path).get(key("a")) == Data("3".utf8))
        }
    }

    @Test(
        "A file at the journal's path that must not be trusted is not the journal of a property list that was deleted and written again"
    )
    func isNotTheJournal() throws {
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

    private func quietly(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
    }
}

@Suite("Whether a journal may be used")
struct WhetherAJournalMayBeUsedTests {
    private let list = FilePermissions(owner: 7, group: 70, mode: 0o644)

    private func problem(
        _ permissions: FilePermissions, links: UInt64 = 1, kind: FileStatus.Kind = .file, list: FilePermissions?,
        directory: FilePermissions = .init(owner: 8, group: 80, mode: 0o755)
    ) throws -> JournalProblem? {
        var status = sampleStatus
        (status.kind, status.linkCount, status.permissions) = (kind, links, permissions)
        return try JournalProtection(list: list, user: 1_000).problem(with: status) { () throws(SystemError) in
            directory
        }
    }

    @Test(
        "Whether a journal may be used depends on its owner",
        arguments: [(0, true), (7, true), (8, true), (1_000, true), (9, false)] as [(UInt32, Bool)])
    func dependsOnItsOwner(owner: UInt32, isTrusted: Bool) throws {
        let found = try problem(.init(owner: owner, group: 70, mode: 0o600), list: list)
        #expect(found == (isTrusted ? nil : .foreignOwner))
    }

    @Test(
        "Whether a journal may be used of another user depends on the group that shares the property list",
        arguments: [
            (0o664, 0o775, 70, 70, true), (0o644, 0o775, 70, 70, false), (0o664, 0o755, 70, 70, false),
            (0o664, 0o775, 71, 70, false), (0o664, 0o775, 70, 71, true),
        ] as [(UInt16, UInt16, UInt32, UInt32, Bool)])
    func ofAnotherUserDepends(
        list: UInt16, directory: UInt16, group: UInt32, directoryGroup: UInt32, isTrusted: Bool
    ) throws {
        let found = try problem(
            .init(owner: 9, group: group, mode: 0o600), list: .init(owner: 7, group: 70, mode: list),
            directory: .init(owner: 8, group: directoryGroup, mode: directory))
        #expect(found == (isTrusted ? nil : .foreignOwner))
    }

    @Test(
        "Whether a journal may be used depends on who can write it, and whether it is appended to on who can read it",
        arguments: [
            (0o644, 70, 0o644, nil, false), (0o600, 70, 0o644, nil, false), (0o646, 70, 0o644, .tooOpen, true),
            (0o644, 70, 0o640, nil, true), (0o640, 70, 0o640, nil, false), (0o640, 71, 0o640, nil, true),
            (0o640, 71, 0o644, nil, false), (0o660, 70, 0o640, .tooOpen, true), (0o666, 70, 0o600, .tooOpen, true),
        ] as [(UInt16, UInt32, UInt16, JournalProblem?, Bool)])
    func dependsOnWhoCan(
        mode: UInt16, group: UInt32, list: UInt16, expected: JournalProblem?, isReadByMore: Bool
    ) throws {
        let permissions = FilePermissions(owner: 7, group: group, mode: mode)
        let list = FilePermissions(owner: 7, group: 70, mode: list)
        #expect(try problem(permissions, list: list) == expected)
        #expect(JournalProtection(list: list, user: 1_000).isReadByMore(permissions) == isReadByMore)
    }

    @Test("Whether a journal may be used without a property list depends on who can write it")
    func withoutAPropertyList() throws {
        #expect(try problem(.init(owner: 1_000, group: 70, mode: 0o600), list: nil) == nil)
        #expect(try problem(.init(owner: 1_000, group: 70, mode: 0o644), list: nil) == nil)
        #expect(try problem(.init(owner: 1_000, group: 70, mode: 0o666), list: nil) == .tooOpen)
        #expect(try problem(.init(owner: 1_000, group: 70, mode: 0o664), list: nil) == .tooOpen)
        #expect(try problem(.init(owner: 9, group: 70, mode: 0o600), list: nil) == .foreignOwner)
        let shared = FilePermissions(owner: 8, group: 70, mode: 0o775)
        #expect(try problem(.init(owner: 1_000, group: 70, mode: 0o664), list: nil, directory: shared) == nil)
    }

    @Test("Whether a journal may be used depends on its being a file, of one name unless all of it is this user's")
    func dependsOnItsBeing() throws {
        let own = FilePermissions(owner: 7, group: 70, mode: 0o600)
        #expect(try problem(own, links: 2, list: list) == .hardLink)
        let (mine, directory) = (FilePermissions(owner: 1_000, group: 70, mode: 0o640), list)
        for (mode, expected) in [(0o644, .hardLink), (0o640, nil)] as [(UInt16, JournalProblem?)] {
            #expect(try problem(mine, links: 2, list: .init(owner: 1_000, group: 70, mode: mode)) == expected)
        }
        #expect(try problem(mine, links: 2, list: .init(owner: 7, group: 70, mode: 0o600)) == .hardLink)
        #expect(try problem(mine, links: 2, list: nil, directory: mine) == nil)
        #expect(try problem(mine, links: 2, list: nil, directory: directory) == .hardLink)
        #expect(try problem(own, links: 0, list: list) == nil)
        #expect(try problem(own, kind: .other, list: list) == .notAFile)
    }
}
