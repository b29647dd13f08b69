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
}
