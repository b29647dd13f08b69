import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("The lock of a property list")
struct JournalLockTests {
    private let a = Setting<Int>("a", in: .defaults, default: 0)
    private let system = POSIXFileSystem()

    private func open(_ path: String) throws -> PropertyListStore {
        try PropertyListStore(
            path: path, fileSystem: system, writingDelay: .seconds(86_400), patience: .zero)
    }

    @Test(
        "Those who can write the property list can open its lock file, and no other user",
        arguments: [(0o644, 0o600), (0o600, 0o600), (0o664, 0o660), (0o666, 0o666), (0o640, 0o600), (0o444, 0o600)])
    func isOpenToWriters(list: Int, lock: Int) throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, mode_t(list)) == 0)
            let store = try open(path)
            try store.set(key("a"), to: Data("2".utf8))
            #expect(try permissions(of: path + "-lock") == mode_t(lock))
        }
    }

    @Test("The lock file follows the property list's permissions")
    func follows() throws {
        try withPropertyList { path in
            let store = try open(path)
            try store.set(key("a"), to: Data("2".utf8))
            try store.bringUpToDate()
            #expect(try permissions(of: path + "-lock") == 0o600)
            let file = try inode(of: path + "-lock")
            for (list, lock) in [(0o660, 0o660), (0o644, 0o600)] as [(mode_t, mode_t)] {
                try #require(chmod(path, list) == 0)
                try store.refresh()
                try store.set(key("a"), to: Data("\(list)".utf8))
                #expect(try permissions(of: path + "-lock") == lock)
            }
            #expect(try inode(of: path + "-lock") == file)
        }
    }

    @Test("A lock on what other users can read keeps no process from writing")
    func readers() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            let service = SettingsService.over(try open(path)).service
            try service.save(a, to: 2)
            try service.bringUpToDate()
            let readable = try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { try permissions(of: directory + "/" + $0) & 0o004 != 0 }
            #expect(readable.contains("Settings.plist-journal"))
            let locks = try readable.map { try system.openForReading(directory + "/" + $0, followingLink: false) }
            for lock in locks { #expect(try system.lock(lock)) }
            try service.save(a, to: 3)
            try service.bringUpToDate()
            try SettingsService.over(try open(path)).service.save(a, to: 4)
            for lock in locks { system.close(lock) }
        }
    }

    @Test(
        "A file at the path of the lock that must not be trusted is refused in words, and stays as it is",
        arguments: 0..<6)
    func isRefused(trap: Int) throws {
        try withTemporaryDirectory { directory in
            let (path, other) = (directory + "/Settings.plist", directory + "/other")
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try write("x", to: other)
            let lock = path + "-lock"
            switch trap {
            case 0: try #require(symlink(other, lock) == 0)
            case 1: try #require(symlink(other + "-missing", lock) == 0)
            case 2: try #require(mkdir(lock, 0o700) == 0)
            case 3: try #require(mkfifo(lock, 0o644) == 0)
            // Others can read it, and lock it.
            case 4: try #require(chmod(other, 0o644) == 0 && link(other, lock) == 0)
            default:
                if geteuid() != 0 { return }
                try write("", to: lock)
                try #require(chmod(lock, 0o600) == 0 && chown(lock, 65_534, 65_534) == 0)
            }
            let before = try permissions(of: lock)
            let service = SettingsService.over(try open(path)).service
            for _ in 1...2 {
                let error = #expect(throws: SettingsError.self) { try service.save(a, to: 7_654_321) }
                #expect(error?.code == .journalUnavailable)
                #expect(error?.description.contains("lock file") == true)
            }
            #expect(service.get(a) == 1)
            #expect(try permissions(of: lock) == before && permissions(of: other) == 0o644)
            #expect(try bytes(of: other) == Data("x".utf8))
            #expect(access(other + "-missing", F_OK) == -1)
            // When it is gone, values are stored again.
            try removeAll(lock)
            try service.save(a, to: 2)
        }
    }

    @Test("Processes whose lock file was removed lock the same new one")
    func removed() throws {
        try withPropertyList { path in
            let stores = try (0..<3).map { _ in try open(path) }
            for number in 0..<30 {
                try stores[number % 3].set(key("\(number)"), to: Data("\(number)".utf8))
                if number % 7 == 0 { try removeAll(path + "-lock") }
            }
            #expect(try open(path).keys().count == 30)
            for store in stores { try store.set(key("a"), to: Data("1".utf8)) }
            let numbers = stores.map { $0.list.files.withLock { $0.lock.isHeld } }
            #expect(numbers == [false, false, false])
            #expect(try stores[0].list.files.withLock { try $0.lock.acquireOpen(in: system) })
            for store in stores.dropFirst() {
                #expect(throws: SettingsError.self) { try SettingsService.over(store).service.save(a, to: 2) }
            }
            stores[0].list.files.withLock { $0.lock.unlock(in: system) }
        }
    }

    @Test("A process that had the lock for long leaves it to those that wait, and takes it at once if none waits")
    func fairness() throws {
        try withTemporaryDirectory { directory in
            let target = directory + "/Settings.plist"
            var one = JournalLock(beside: target, courtesy: .seconds(3_600))
            var other = JournalLock(beside: target)
            func holdLong() throws {
                #expect(try one.acquire(beside: nil, in: system))
                let tick = Deadline(after: .milliseconds(10))
                while !tick.hasPassed { ThreadPause.sleep(for: .milliseconds(1)) }
            }
            #expect(try other.acquire(beside: nil, in: system))
            other.unlock(in: system)
            for _ in 1...3 {
                try holdLong()
                one.unlock(in: system)
            }
            try holdLong()
            #expect(try !other.acquire(beside: nil, in: system))
            Journal.touch(other.path, in: system)
            one.unlock(in: system)
            #expect(try !one.acquire(beside: nil, in: system))
            #expect(try other.acquire(beside: nil, in: system))
            one.close(in: system)
            other.close(in: system)
        }
    }
}
