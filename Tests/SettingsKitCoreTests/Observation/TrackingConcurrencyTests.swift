import SettingsKitCore
import Testing

@Suite("Tracking on several threads", .timeLimit(Rounds.timeLimit), .ownThreads)
struct TrackingConcurrencyTests {
    @Test(
        "A reader that tracks at each call ends on the stored value, whenever a writer changes it",
        arguments: TrackedHandle.allCases)
    func readerAndWriter(handle: TrackedHandle) async throws {
        let rounds = Rounds.choose(300, full: 10_000)
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
            let tracker = Tracker(rereading: body, try handle.reader(in: settings))
            defer { tracker.stop() }
            inParallel(2) { thread in
                if thread == 0 {
                    tracker.track(afterReading: body)
                } else {
                    for (number, pause) in pauses.enumerated() {
                        work(for: pause)
                        settings.set(handle.number, to: round * 10 + number)
                    }
                }
            }
            let stored = settings.get(number)
            #expect(stored == round * 10 + pauses.count - 1)
            try await until { tracker.seen.value == stored }
        }
    }

    @Test(
        "Trackers on several threads end on the stored value when others set it at the same time",
        arguments: TrackedHandle.allCases)
    func manyTrackers(handle: TrackedHandle) async throws {
        let (settings, number) = (SettingsService.over(MemoryStore()), handle.number)
        for round in 1...20 {
            let read = try handle.reader(in: settings)
            let trackers = (0..<4).map { _ in Tracker(read) }
            defer { for tracker in trackers { tracker.stop() } }
            inParallel(6) { thread in
                if thread < trackers.count {
                    trackers[thread].track { work(for: .microseconds(20 * thread)) }
                } else {
                    for value in 0..<25 { settings.set(number, to: round * 100 + thread * 1_000_000 + value) }
                }
            }
            let stored = settings.get(number)
            try await until { trackers.allSatisfy { $0.seen.value == stored } }
        }
    }
}
