import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@Suite("Writing that is awaited", .timeLimit(Rounds.timeLimit))
struct AsyncWritingTests {
    private static let count = Setting<Int>("count", in: .defaults, default: 0)

    private struct Refusal: Error {}

    @Test("What is awaited is stored, in order, its results and errors arrive, and a cancelled task stores nothing")
    func results() async throws {
        let settings = SettingsService(defaults: MemoryStore())
        try await settings.async.save(Self.count, to: 1)
        let old = await settings.async.update(Self.count) { value in
            defer { value += 1 }
            return value
        }
        #expect(old == 1 && settings.get(Self.count) == 2)
        let sum = await settings.async.transaction { $0.get(Self.count) + 1 }
        #expect(sum == 3)
        await #expect(throws: Refusal.self) {
            try await settings.async.update(Self.count) { value in
                value = 100
                throw Refusal()
            }
        }
        // The synchronous functions are still called without await here.
        try settings.save(Self.count, to: 5)
        try await settings.async.synchronize()
        try await settings.async.bringUpToDate()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await settings.async.save(Self.count, to: 6)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(settings.get(Self.count) == 5)
    }

    @Test("While many operations wait for another process, Swift's pool and the main thread are free")
    func pool() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try PropertyListStore(url: URL(fileURLWithPath: path), patience: .seconds(60))
            let settings = SettingsService(defaults: store)
            try settings.save(Self.count, to: 1)
            let lock = open(path + "-lock", O_RDWR | O_CLOEXEC)
            #expect(flock(lock, LOCK_EX) == 0)
            let waiting = ProcessInfo.processInfo.activeProcessorCount * 2 + 8
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<waiting {
                    group.addTask { await settings.async.update(Self.count) { $0 += number } }
                }
                group.addTask { try await settings.async.synchronize() }
                // A pool whose threads all wait would not get here before the lock is free.
                for _ in 0..<100 { await Task.detached {}.value }
                await MainActor.run {}
                #expect(settings.get(Self.count) == 1)
                flock(lock, LOCK_UN)
                try await group.waitForAll()
            }
            close(lock)
            #expect(settings.get(Self.count) == 1 + waiting * (waiting - 1) / 2)
        }
    }
}
