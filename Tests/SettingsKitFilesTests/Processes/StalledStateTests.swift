import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// Another process of this device keeps the state of a shared directory locked.
@Suite("A stalled process stalls no set in a shared directory", .timeLimit(.minutes(2)), .ownThreads)
struct StalledStateTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)

    /// A store, and another process's over the same state, which can lock that and then write.
    private struct Device {
        let store: DirectoryStore
        let other: ReplicatedDirectory
        let service: SettingsService
        let problems: Recorder<SettingsError>
        let log = Recorder<Int>()
        private let directory: String

        init(in directory: String, patience: Duration = .milliseconds(50)) throws {
            self.directory = directory
            var options = DirectoryStore.Options()
            options.patience = patience
            let (shared, state) = (directory + "/shared", directory + "/state")
            store = try DirectoryStore(
                directory: shared, state: state, fileSystem: POSIXFileSystem(), options: options)
            other = try Self.openUnwatched(in: directory, options)
            (service, problems) = SettingsService.over(store)
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
            try other.list.refresh(waiting: .zero)
            #expect(try other.list.files.withLock { try $0.lock.acquireOpen(in: POSIXFileSystem()) })
        }

        func unlock() { other.list.files.withLock { $0.lock.unlock(in: POSIXFileSystem()) } }

        /// What another device reads that has nothing yet.
        func readElsewhere(_ name: String) throws -> Data? {
            let device = try DirectoryStore(
                directory: directory + "/shared", state: directory + "/other state", fileSystem: POSIXFileSystem())
            return device.get(key(name))
        }
    }

    @Test("A set while another process has the state locked is in force, and reaches no file until it is stored")
    func kept() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            let (service, log) = (device.service, device.log)
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            try device.lock()
            service.set(Self.a, to: 2)
            service.set(Self.a, to: 3)
            service.set(Self.b, to: 7)
            #expect(service.get(Self.a) == 3 && service.get(Self.b) == 7)
            #expect(Set(service.keys(in: .defaults)) == ["a", "b"])
            service.reset(Self.b)
            #expect(!service.isSet(Self.b) && service.keys(in: .defaults) == ["a"])
            #expect(device.problems.all.map(\.code) == [.pending, .pending])
            let error = #expect(throws: SettingsError.self) { try service.save(Self.a, to: 9) }
            #expect(error?.code == .busy)
            #expect(throws: SettingsError.self) { try service.synchronize() }
            #expect(try device.readElsewhere("a") == Data("1".utf8))
            device.unlock()
            // The store writes pending values first.
            try service.save(Self.b, to: 8)
            try device.other.list.refresh(waiting: .zero)
            #expect(device.other.value(named: "a") == Data("3".utf8))
            try service.synchronize()
            #expect(try device.readElsewhere("a") == Data("3".utf8) && device.readElsewhere("b") == Data("8".utf8))
            #expect(log.all == [2, 3])
            #expect(device.problems.all.map(\.code) == [.pending, .pending, .recovered])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A pending value is later than what the other process writes, and hides its value for the same setting")
    func order() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            let (service, log) = (device.service, device.log)
            let subscription = service.observe(Self.a) { log.append($0.newValue) }
            try device.lock()
            service.set(Self.a, to: 2)
            // This releases the lock.
            try device.other.set(Data("9".utf8), for: key("a"))
            try service.synchronize()
            #expect(service.get(Self.a) == 2 && log.all == [2])
            #expect(try device.readElsewhere("a") == Data("2".utf8))
            try device.other.list.refresh(waiting: .zero)
            #expect(device.other.value(named: "a") == Data("2".utf8))
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A pending value that the other process has written meanwhile is written no second time")
    func equal() throws {
        try withTemporaryDirectory { directory in
            let device = try Device(in: directory)
            try device.lock()
            device.service.set(Self.a, to: 2)
            try device.other.set(Data("2".utf8), for: key("a"))
            try device.service.synchronize()
            let stamp = device.other.list.contents.withLock { $0.data(named: "a") }
            try device.other.list.refresh(waiting: .zero)
            #expect(device.other.list.contents.withLock { $0.data(named: "a") } == stamp)
            // The next change of the other process is heard: nothing hides it.
            try device.other.set(Data("5".utf8), for: key("a"))
            try device.service.synchronize()
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
            #expect(error?.code == .tooLarge && limited.value(named: "d") == nil)
            device.unlock()
            try limited.set(Data("3".utf8), for: key("e"))
            try device.other.list.refresh(waiting: .zero)
            #expect(["b", "c", "d", "e"].map { device.other.value(named: $0)?.count } == [4_000, 4_000, nil, 1])
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
            try device.service.synchronize()
            #expect(device.service.get(Self.a) == 2)
            try elsewhere.synchronize()
            #expect(elsewhere.get(key("a")) == Data("2".utf8))
        }
    }

    @Test(
        "The background writes and exports what is pending as soon as the other process lets go, or is killed",
        arguments: [SIGCONT, SIGKILL])
    func background(signal: Int32) async throws {
        try await withTemporaryDirectory { directory in
            var options = DirectoryStore.Options()
            options.patience = .milliseconds(50)
            let (shared, state) = (directory + "/shared", directory + "/state")
            let store = try DirectoryStore(
                at: URL(fileURLWithPath: shared), state: URL(fileURLWithPath: state), options: options)
            let (service, problems) = SettingsService.over(store)
            try service.save(Self.a, to: 1)
            try service.synchronize()
            let path = try DirectoryLocation(directory: shared, state: state).statePath
            let holder = try Worker("lock-until-continued", path)
            await holder.wait(for: "locked")
            service.set(Self.a, to: 2)
            #expect(service.get(Self.a) == 2)
            holder.send(signal)
            #expect(try await eventually { problems.all.map(\.code) == [.pending, .recovered] })
            let elsewhere = try DirectoryStore(
                directory: shared, state: directory + "/other state", fileSystem: POSIXFileSystem())
            #expect(
                try await eventually {
                    try elsewhere.refresh()
                    return elsewhere.get(key("a")) == Data("2".utf8)
                })
            holder.send(SIGKILL)
        }
    }

    @Test("A store opens while another process has its state locked, and reads what is stored")
    func opening() async throws {
        try await withTemporaryDirectory { directory in
            let (shared, state) = (directory + "/shared", directory + "/state")
            do {
                let store = try DirectoryStore(directory: shared, state: state, fileSystem: POSIXFileSystem())
                try store.set(key("a"), to: Data("1".utf8))
            }
            let holder = try Worker("lock", DirectoryLocation(directory: shared, state: state).statePath)
            await holder.wait(for: "locked")
            let store = try DirectoryStore(at: URL(fileURLWithPath: shared), state: URL(fileURLWithPath: state))
            #expect(store.get(key("a")) == Data("1".utf8))
            holder.send(SIGKILL)
            await holder.status()
            try store.set(key("a"), to: Data("2".utf8))
            try store.synchronize()
            let elsewhere = try DirectoryStore(
                directory: shared, state: directory + "/other state", fileSystem: POSIXFileSystem())
            #expect(elsewhere.get(key("a")) == Data("2".utf8))
        }
    }

    @Test(
        "A process that exits in order writes and exports what is pending; one that is killed loses it",
        arguments: [true, false])
    func end(isKilled: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let shared = directory + "/shared"
            let state = shared + "-state"
            let store = try DirectoryStore(directory: shared, state: state, fileSystem: POSIXFileSystem())
            try store.set(key("a"), to: Data("1".utf8))
            try store.export()
            let path = try DirectoryLocation(directory: shared, state: state).statePath
            let holder = try Worker("lock", path)
            await holder.wait(for: "locked")
            let worker = try Worker("keep", shared, "a", "2")
            await worker.wait(for: "problem pending")
            await worker.wait(for: "2")
            try await worker.hasStopped()
            holder.send(SIGKILL)
            await holder.status()
            worker.send(isKilled ? SIGKILL : SIGCONT)
            await worker.status()
            let elsewhere = try DirectoryStore(
                directory: shared, state: directory + "/other state", fileSystem: POSIXFileSystem())
            #expect(elsewhere.get(key("a")) == Data((isKilled ? "1" : "2").utf8))
            try store.refresh()
            #expect(store.get(key("a")) == Data((isKilled ? "1" : "2").utf8))
        }
    }
}
