import SettingsKitCore
import SettingsTestSupport
import Testing

@Suite("Tracking on several threads", .timeLimit(Rounds.timeLimit), .ownThreads)
struct TrackingConcurrencyTests {
    @Test(
        "Trackers on several threads end on the stored value, whenever writers change it",
        arguments: TrackedHandle.allCases)
    func trackersAndWriters(handle: TrackedHandle) async throws {
        let rounds = Rounds.choose(40, full: 1_000)
        let seed = UInt64.random(in: 0 ... .max)
        print("Tracking \(handle): seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let (settings, number) = (SettingsService.over(MemoryStore()), handle.number)
        for round in 1...rounds {
            let lengths = (0..<8).map { _ in Duration.microseconds(Int.random(in: 0...200, using: &random)) }
            let pauses = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Duration.microseconds(Int.random(in: 0...150, using: &random))
            }
            let bodies = Box(0)
            let body: @Sendable () -> Void = {
                bodies.value += 1
                work(for: lengths[bodies.value % lengths.count])
            }
            // A handle that is new, over a value that trackers have read before except in the first round.
            let read = try handle.reader(in: settings)
            let trackers = (0..<3).map { _ in Tracker(rereading: body, read) }
            defer { for tracker in trackers { tracker.stop() } }
            inParallel(5) { thread in
                if thread < trackers.count {
                    trackers[thread].track(afterReading: body)
                } else {
                    for (value, pause) in pauses.enumerated() {
                        work(for: pause)
                        settings.set(number, to: round * 100 + thread * 10 + value)
                    }
                }
            }
            let stored = settings.get(number)
            try await until { trackers.allSatisfy { $0.seen.value == stored } }
        }
    }
}
