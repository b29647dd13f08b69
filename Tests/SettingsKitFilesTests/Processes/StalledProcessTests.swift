import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

/// What holds for each store is in the tests of all stores.
@Suite("A property list whose log another process keeps locked", .timeLimit(Rounds.timeLimit), .ownThreads)
struct StalledProcessTests {
    private static let a = Setting<Int>("a", in: .defaults, default: 0)
    private static let b = Setting<Int>("b", in: .defaults, default: 0)
    private static let patience = Duration.milliseconds(300)

    /// A store with a value in its log, and a process that has locked that and is stopped.
    private struct Stall {
        let path: String
        let store: PropertyListStore
        let service: SettingsService
        let holder: Worker

        init(in directory: String) async throws {
            path = directory + "/Settings.plist"
            store = try PropertyListStore(url: URL(fileURLWithPath: path), patience: StalledProcessTests.patience)
            service = SettingsService.over(store).service
            try service.save(StalledProcessTests.a, to: 1)
            try service.bringUpToDate()
            holder = try Worker("hold", path)
            await holder.wait(for: "locked")
            try await holder.hasStopped()
        }

        /// The stored value, as another process reads it.
        func stored(_ name: String) throws -> Data? {
            try PropertyListStore(path: path, fileSystem: POSIXFileSystem()).get(key(name))
        }
    }

    @Test("An edit of the file is read by a process that has written before, too, while another one has the lock")
    func editWithoutLock() async throws {
        try await withTemporaryDirectory { directory in
            let stall = try await Stall(in: directory)
            let log = Recorder<Int>()
            let subscription = stall.service.observe(Self.a) { log.append($0.newValue) }
            try write(xml("<key>a</key><integer>8</integer>"), to: stall.path)
            #expect(try await eventually { log.all == [8] })
            // And by everyone else after it has written again.
            stall.holder.send(SIGKILL)
            try stall.service.save(Self.b, to: 3)
            #expect(try stall.stored("a") == Data("8".utf8) && stall.service.get(Self.a) == 8)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("A wait has an end, although the log grows all the time")
    func growingLog() async throws {
        try await withPropertyList { path in
            let store = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400), patience: Self.patience)
            let service = SettingsService.over(store).service
            try service.save(Self.a, to: 1)
            let other = try PropertyListStore(
                path: path, fileSystem: POSIXFileSystem(), writingDelay: .seconds(86_400))
            // One that writes and never gives the lock back.
            let isDone = Atomic(false)
            let writer = onThread {
                try other.list.log.locked { _, append in
                    let line = LogLine.changes(LogChanges(changes: [LogChange(name: "b", data: Data("1".utf8))]))
                    while !isDone.load(ordering: .relaxed) { try append(line) }
                }
            }
            #expect(try await eventually { try bytes(of: path + "-log").count > 10_000 })
            #expect(throws: SettingsError.self) { try service.save(Self.a, to: 2) }
            isDone.store(true, ordering: .relaxed)
            #expect(try await eventually { writer.all == [true] })
            try service.save(Self.a, to: 3)
        }
    }
}
