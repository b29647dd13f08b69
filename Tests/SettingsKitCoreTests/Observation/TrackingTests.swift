import Foundation
import Observation
import SettingsKitCore
import Testing

/// A tracker is installed only when its closure returns; what changes in between must reach it all the same.
@Suite("Tracking a live value", .timeLimit(Rounds.timeLimit))
struct TrackingTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test(
        "A change by another thread while a tracker reads reaches the tracker",
        arguments: [(2_000, Duration.microseconds(20)), (50, .milliseconds(5)), (3, .milliseconds(200))])
    func changeWhileReading(allRounds: Int, body: Duration) async throws {
        let rounds = Rounds.choose(min(allRounds, 200), full: allRounds)
        let settings = SettingsService.over(MemoryStore())
        for round in 1...rounds {
            let tracker = Tracker(settings.value(number))
            defer { tracker.stop() }
            let first = tracker.track {
                onAnotherThread { settings.set(number, to: round) }
                work(for: body)
            }
            #expect(first == round - 1)
            try await until { tracker.seen.value == round }
        }
    }

    @Test("An external change while a tracker reads reaches the tracker")
    func externalChangeWhileReading() async throws {
        let store = FeedStore()
        let tracker = Tracker(SettingsService.over(store).value(number))
        tracker.track {
            onAnotherThread { store.changeFromOutside([("number", "5")]) }
        }
        try await until { tracker.seen.value == 5 }
    }

    @Test("A tracker whose closure takes five changes ends on the last one")
    func severalChangesWhileReading() async throws {
        let settings = SettingsService.over(MemoryStore())
        let live = settings.value(number)
        let tracker = Tracker(live)
        let other = Tracker(live)
        tracker.track {
            for value in 1...5 {
                // Another tracker that sees each value proves nothing about this one.
                other.track()
                onAnotherThread { settings.set(number, to: value) }
                work(for: .milliseconds(3))
            }
        }
        try await until { tracker.seen.value == 5 && other.seen.value == 5 }
    }

    @Test("A tracker in a sequence of observations ends on the stored value")
    func sequence() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let settings = SettingsService.over(MemoryStore())
        let live = settings.value(number)
        let isFirst = Box(true)
        var seen: [Int] = []
        for await value in Observations({
            let value = live.value
            if isFirst.take(replacingWith: false) { onAnotherThread { settings.set(number, to: 1) } }
            return value
        }) {
            seen.append(value)
            if value == 1 { break }
        }
        #expect(seen == [0, 1])
    }

    @Test("A tracker that has read the new value is not notified again")
    func noSurplus() async throws {
        let settings = SettingsService.over(MemoryStore())
        let live = settings.value(number)
        let tracker = Tracker(live)
        let late = Tracker(live)
        tracker.track()
        // The change is delivered again because of this tracker, and just as often to the others.
        late.track {
            onAnotherThread { settings.set(number, to: 1) }
            work(for: .milliseconds(100))
        }
        try await until { tracker.seen.value == 1 && late.seen.value == 1 }
        #expect(tracker.readCount.value == 2)
        #expect(late.readCount.value == 2)
    }

    @Test("A live value that was notified again is released with its last owner")
    func lifetime() async throws {
        let settings = SettingsService.over(MemoryStore())
        weak var trackers: SettingsService.Value<Int>?
        do {
            let live = settings.value(number)
            trackers = live
            #expect(live.value == 0)
            settings.set(number, to: 1)
        }
        #expect(trackers == nil)
    }
}
