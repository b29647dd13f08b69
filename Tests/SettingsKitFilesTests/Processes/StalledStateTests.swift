import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// What is so for each store, is in the tests of all stores.
@Suite("A shared directory whose state another process keeps locked", .timeLimit(Rounds.timeLimit), .ownThreads)
struct StalledStateTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)

    /// A store, and another process's over the same state, which can lock that and then write.
    private struct Device {
        let store: DirectoryStore
        let other: ReplicatedDirectory
        let service: SettingsService

        init(in directory: String, patience: Duration = .milliseconds(50)) throws {
            var options = DirectoryStore.Options()
            options.patience = patience
            let (shared, state) = (directory + "/shared", directory + "/state")
            store = try DirectoryStore(
                directory: shared, state: state, fileSystem: POSIXFileSystem(), options: options)
            other = try Self.openUnwatched(in: directory, options)
            service = SettingsService.over(store).service
            try service.save(StalledStateTests.a, to: 1)
            try store.export()
        }

        static func openUnwatched(
            in directory: String, _ options: DirectoryStore.Options, limits: PropertyListStoreLimits = .init()
        ) throws -> ReplicatedDirectory {
            try ReplicatedDirectory(
                at: DirectoryLocation(directory: directory + "/shared", state: directory + "/state"),
                fileSystem: POSIXFileSystem(), options: options, limits: limits, isWatching: false,
                now: ReplicatedDirectory.systemTime)
        }

        /// The files are free again after the other process's next change, or ``unlock()``.
        func lock() throws {
            try other.state.list.refresh(waiting: .zero)
            #expect(try other.state.list.files.withLock { try $0.lock.acquireOpen(in: POSIXFileSystem()) })
        }

        func unlock() { other.state.list.files.withLock { $0.lock.unlock(in: POSIXFileSystem()) } }
    }

    @Test("A pending value that the other process has written meanwhile is written no second time")
    func equal() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            try device.lock()
            device.service.set(Self.a, to: 2)
            try device.other.set(Data("2".utf8), for: key("a"))
            try device.service.bringUpToDate()
            let stamp = device.other.state.list.contents.withLock { $0.data(named: "a") }
            try device.other.state.list.refresh(waiting: .zero)
            #expect(device.other.state.list.contents.withLock { $0.data(named: "a") } == stamp)
            // The next change of the other process is heard: nothing hides it.
            try device.other.set(Data("5".utf8), for: key("a"))
            try device.service.bringUpToDate()
            #expect(device.service.get(Self.a) == 5)
        }
    }

    @Test("A value that does not fit beside the pending ones is refused, and those are written")
    func limit() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            var options = DirectoryStore.Options()
            options.patience = .milliseconds(50)
            var limits = PropertyListStoreLimits()
            limits.contents = 10_000
            let limited = try Device.openUnwatched(in: directory, options, limits: limits)
            let large = Data(repeating: UInt8(ascii: "1"), count: 4_000)
            try device.lock()
            try limited.set(large, for: key("b"))
            try limited.set(large, for: key("c"))
            // A value replaces the pending one of its name, and takes no more room.
            for _ in 0..<3 { try limited.set(Data("2".utf8), for: key("c")) }
            try limited.set(large, for: key("c"))
            let error = #expect(throws: SettingsError.self) { try limited.set(large, for: key("d")) }
            #expect(error?.code == .tooLarge && limited.state.value(named: "d") == nil)
            device.unlock()
            try limited.set(Data("3".utf8), for: key("e"))
            try device.other.state.list.refresh(waiting: .zero)
            #expect(["b", "c", "d", "e"].map { device.other.state.value(named: $0)?.count } == [4_000, 4_000, nil, 1])
        }
    }

    @Test("A value of another device that arrives while one is pending is earlier")
    func otherDevice() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            let elsewhere = try DirectoryStore(
                directory: directory + "/shared", state: directory + "/other state", fileSystem: POSIXFileSystem())
            try device.lock()
            device.service.set(Self.a, to: 2)
            try elsewhere.set(key("a"), to: Data("9".utf8))
            try elsewhere.export()
            device.unlock()
            try device.service.bringUpToDate()
            #expect(device.service.get(Self.a) == 2)
            try elsewhere.bringUpToDate()
            #expect(elsewhere.get(key("a")) == Data("2".utf8))
        }
    }
}
