import Foundation
import SettingsKitCore
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("A process that only reads")
struct HarmlessReaderTests {
    private static let readingCalls: Set<FaultyFileSystem.Call> = [
        .status, .statusOfFile, .destination, .openForReading, .read, .readAt,
    ]

    @Test(
        "A process that only reads never makes a call that writes, locks or lists, even if the files change",
        arguments: [PropertyListStore.Access.readWrite, .readOnly])
    func makesNoCallThat(
        access: PropertyListStore.Access
    ) throws {
        try withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            let fileSystem = FaultyFileSystem()
            var reader: PropertyListStore? = try PropertyListStore(path: path, fileSystem: fileSystem, access: access)
            #expect(reader?.get(key("a")) == Data("1".utf8))
            try write(xml("<key>a</key><integer>22</integer>"), to: path)
            try reader?.refresh()
            #expect(reader?.get(key("a")) == Data("22".utf8))
            try open(path).set(key("b"), to: Data("3".utf8))
            try reader?.refresh()
            #expect(reader?.get(key("b")) == Data("3".utf8))
            try write("no property list", to: path)
            try reader?.refresh()
            if access == .readOnly { try reader?.bringUpToDate() }
            reader = nil
            // A log is opened so that it can be appended to.
            let opening: Set<FaultyFileSystem.Call> = access == .readWrite ? [.openForAppending] : []
            #expect(Set(fileSystem.calls).subtracting(Self.readingCalls) == opening)
        }
    }

    @Test(
        "A process that only reads leaves a dead process's log as it is, and the next process that writes prints it")
    func leavesADeadProcesss() throws {
        let (disk, _) = try Start.unprintedLog.prepare()
        let before = disk.contents(of: Start.path + "-log")
        do {
            let reader = try quietStore(disk.process())
            #expect(reader.values["kept"] == Data("1".utf8))
        }
        #expect(disk.contents(of: Start.path + "-log") == before)
        #expect(try disk.storedValues()?["kept"] == nil)
        try quietStore(disk.process()).set(key("new"), to: Data("2".utf8))
        #expect(try disk.storedValues()?["kept"] == Data("1".utf8))
    }

    @Test("A process that only reads never sees an earlier value again while another prints and goes on")
    func neverSeesAnEarlier() throws {
        let disk = SimulatedDisk()
        try disk.makeDirectory("/home")
        try disk.makeDirectory(Start.directory)
        let writer = try quietStore(disk.process())
        let reader = try quietStore(disk.process())
        let seen = Recorder<Int>()
        let (service, _) = SettingsService.over(reader)
        let subscription = service.observe(Setting<Int>("n", in: .defaults, default: 0)) { seen.append($0.newValue) }
        for number in 1...40 {
            try writer.set(key("n"), to: Data("\(number)".utf8))
            if number % 3 == 0 { try writer.bringUpToDate() }
            if number % 4 == 0 { try reader.refresh() }
        }
        try reader.refresh()
        #expect(seen.all == seen.all.sorted())
        #expect(seen.all.last == 40)
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "A process that only reads as root locks out no other user, and each hears the edit",
        .enabled(if: Program.isRoot))
    func asRootLocksOut() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            let root = try open(path)
            let heard = Recorder<Int>()
            let (service, _) = SettingsService.over(root)
            let subscription = service.observe(Setting<Int>("a", in: .defaults, default: 0)) {
                heard.append($0.newValue)
            }
            try write(xml("<key>a</key><integer>2</integer>"), to: path)
            try #require(try await eventually { heard.all == [2] })
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["Settings.plist"])
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                let store = try PropertyListStore(url: URL(fileURLWithPath: path))
                Foundation.exit(store.get(.init("a", scope: .defaults)) == Data("2".utf8) ? 0 : 3)
            }
            withExtendedLifetime(subscription) {}
        }
    }

    @Test(
        "A process that only reads uses the property list if the log is unreadable, and reports it once",
        .enabled(if: Program.isRoot))
    func isServedTheProperty() async throws {
        try await withPropertyList { path in
            try write(xml("<key>a</key><integer>1</integer>"), to: path)
            try #require(chmod(path, 0o644) == 0)
            try write("", to: path + "-log")
            try #require(chmod(path + "-log", 0o600) == 0)
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
                let (service, problems) = SettingsService.over(store)
                let setting = Setting<Int>("a", in: .defaults, default: 0)
                guard service.get(setting) == 1 else { Foundation.exit(3) }
                try store.refresh()
                try store.refresh()
                guard problems.codes == [.logUnavailable] else { Foundation.exit(4) }
                do {
                    try service.save(setting, to: 5)
                    Foundation.exit(5)
                } catch {
                    Foundation.exit(service.get(setting) == 1 ? 0 : 6)
                }
            }
        }
    }

    @Test(
        "A store is not opened as empty if its only file is a log that the process may not read",
        .enabled(if: Program.isRoot))
    func logAlone() async throws {
        try await withPropertyList { path in
            try write("", to: path + "-log")
            try #require(chmod(path + "-log", 0o600) == 0)
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                do {
                    _ = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
                    Foundation.exit(3)
                } catch let error as SettingsError {
                    Foundation.exit(error.code == .storeUnavailable && "\(error)".contains(path + "-log") ? 0 : 4)
                }
            }
        }
    }

    @Test(
        "A process that may only read and has changed nothing can synchronize, beside a log of others",
        .enabled(if: Program.isRoot))
    func synchronizesNothing() async throws {
        try await withPropertyList { path in
            let other = try open(path)
            try other.set(key("a"), to: Data("1".utf8))
            try other.bringUpToDate()
            for suffix in ["", "-log"] { try #require(chmod(path + suffix, 0o644) == 0) }
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                let store = try PropertyListStore(path: path, fileSystem: POSIXFileSystem())
                try store.synchronize()
                Foundation.exit(store.get(key("a")) == Data("1".utf8) ? 0 : 3)
            }
        }
    }
}
