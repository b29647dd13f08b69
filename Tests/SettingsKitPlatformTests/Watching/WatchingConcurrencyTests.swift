import Foundation
import Testing

@testable import SettingsKitPlatform

@Suite("Watching on many threads (concurrency)", .timeLimit(Rounds.timeLimit))
struct WatchingConcurrencyTests {
    @Test("Watches come and go while the directory does, and one that stays learns of all")
    func comeAndGo() async throws {
        try await withTemporaryDirectory { base in
            let directory = "\(base)/directory"
            let watcher = DirectoryWatcher()
            let events = WatchedEvents()
            let watch = try watcher.watch(directory, events)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<200 {
                            let passing = watcher.watch(directory, names: ["a"]) { _ in }
                            #expect(passing?.isWorking == true)
                            await Task.yield()
                            passing?.cancel()
                            #expect(passing?.isWorking == false)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        try makeDirectory(directory)
                        try write("1", to: "\(directory)/a")
                        try removeAll(directory)
                        await Task.yield()
                    }
                }
                try await group.waitForAll()
            }
            #expect(watch.isWorking)
            try makeDirectory(directory)
            try await events.settle(directory)
            #expect(watch.isWorking)
        }
    }

    @Test("Handlers are called one after the other")
    func oneAfterTheOther() async throws {
        try await withTemporaryDirectory { directory in
            let watcher = DirectoryWatcher()
            let running = Recorder<Int>()
            let events = WatchedEvents()
            let watches = (0..<8).compactMap { number in
                watcher.watch(directory, names: ["a", "end"]) { event in
                    running.append(number)
                    sched_yield()
                    running.append(number)
                    if number == 7 { events.append(event) }
                }
            }
            #expect(watches.count == 8)
            for _ in 0..<100 { try write("1", to: "\(directory)/a") }
            try write("1", to: "\(directory)/end")
            await events.wait(for: .changed(name: "end"))
            for watch in watches { watch.cancel() }
            // What is under way ends before another handler is called.
            let later = WatchedEvents()
            let watch = try watcher.watch(directory, later)
            try await later.settle(directory)
            watch.cancel()
            let calls = running.all
            #expect(stride(from: 0, to: calls.count, by: 2).allSatisfy { calls[$0] == calls[$0 + 1] })
        }
    }
}
