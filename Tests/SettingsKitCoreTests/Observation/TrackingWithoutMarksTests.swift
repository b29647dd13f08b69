import Synchronization
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Tracking with and without marks", .timeLimit(Rounds.timeLimit), .ownThreads)
struct TrackingWithoutMarksTests {
    /// A number that several threads may add to.
    private final class Number: Sendable {
        let trackers: ValueTrackers
        private let number = Atomic(0)
        var stored: Int { number.load(ordering: .acquiring) }

        init(usesMarks: Bool) { trackers = ValueTrackers(usesMarks: usesMarks) }

        func read() -> Int {
            _ = trackers.recordRead()
            return stored
        }

        func increment() {
            number.add(1, ordering: .acquiringAndReleasing)
            trackers.notify()
        }
    }

    @Test(
        "Each of many trackers ends on the last of many threads' changes, whether or not marks are used",
        arguments: [true, false])
    func manyThreads(usesMarks: Bool) async throws {
        let rounds = Rounds.choose(50, full: 1_000)
        let seed = UInt64.random(in: 0 ... .max)
        print("Tracking, marks \(usesMarks): seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let number = Number(usesMarks: usesMarks)
        for _ in 1...rounds {
            let lengths = (0..<12).map { _ in Duration.microseconds(Int.random(in: 0...300, using: &random)) }
            let trackers = lengths.prefix(8).map { length in
                Tracker(rereading: { work(for: length) }, { number.read() })
            }
            defer { for tracker in trackers { tracker.stop() } }
            inParallel(12) { thread in
                if thread < trackers.count {
                    trackers[thread].track { work(for: lengths[thread]) }
                } else {
                    for _ in 0..<10 {
                        work(for: lengths[thread])
                        number.increment()
                    }
                }
            }
            try await until { trackers.allSatisfy { $0.seen.value == number.stored } }
        }
    }
}
