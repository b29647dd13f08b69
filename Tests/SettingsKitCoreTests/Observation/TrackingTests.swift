import Foundation
import Observation
import Testing

@testable import SettingsKitCore

/// A tracker is installed only when its closure returns; what changes in between must reach it all the same.
@Suite("Tracking a value, a property and a record", .timeLimit(Rounds.timeLimit))
struct TrackingTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test(
        "A change by another thread while a tracker reads reaches the tracker",
        arguments: TrackedHandle.allCases,
        [(2_000, Duration.microseconds(20)), (50, .milliseconds(5)), (3, .milliseconds(200))])
    func changeWhileReading(handle: TrackedHandle, length: (rounds: Int, body: Duration)) async throws {
        let rounds = Rounds.choose(min(length.rounds, 200), full: length.rounds)
        let (settings, number, body) = (SettingsService.over(MemoryStore()), handle.number, length.body)
        for round in 1...rounds {
            let tracker = Tracker(try handle.reader(in: settings))
            defer { tracker.stop() }
            let first = tracker.track {
                onAnotherThread { settings.set(number, to: round) }
                work(for: body)
            }
            #expect(first == round - 1)
            try await until { tracker.seen.value == round }
        }
    }

    @Test("An external change while a tracker reads reaches the tracker", arguments: TrackedHandle.allCases)
    func externalChangeWhileReading(handle: TrackedHandle) async throws {
        let store = FeedStore()
        let tracker = Tracker(try handle.reader(in: SettingsService.over(store)))
        tracker.track {
            onAnotherThread { store.changeFromOutside([("counters:number", "5")]) }
        }
        try await until { tracker.seen.value == 5 }
    }

    @Test(
        "A tracker is notified of a change at most once, and receives each change that it reads before",
        arguments: TrackedHandle.allCases)
    func onceForEachTracking(handle: TrackedHandle) throws {
        let settings = SettingsService.over(MemoryStore())
        let (read, number) = (try handle.reader(in: settings), handle.number)
        let seen = Recorder<Int>()
        // Reading outside of a tracker comes first, and is no tracking.
        #expect(read() == 0)
        for first in [10, 20, 30] {
            withObservationTracking {
                _ = read()
            } onChange: {
                seen.append(read())
            }
            settings.set(number, to: first)
            settings.set(number, to: first + 1)
        }
        #expect(seen.all == [10, 20, 30])
    }

    @Test("Reading outside of a tracker leaves writing without a listener", arguments: TrackedHandle.allCases)
    func readingAlone(handle: TrackedHandle) throws {
        let settings = SettingsService.over(MemoryStore())
        let (read, number) = (try handle.reader(in: settings), handle.number)
        #expect(read() == 0)
        #expect(!settings.hasListeners(to: number))
        let notified = Box(0)
        withObservationTracking {
            _ = read()
        } onChange: {
            notified.value += 1
        }
        #expect(settings.hasListeners(to: number))
        settings.set(number, to: 1)
        #expect(notified.value == 1)
    }

    @Test("All handles over one setting share their trackers")
    func sharedTrackers() throws {
        let settings = SettingsService.over(MemoryStore())
        let number = TrackedHandle.value.number
        let (live, wrapper) = (settings.value(number), Persisted(number, in: settings))
        let notified = Box(0)
        withObservationTracking {
            _ = live.value + wrapper.wrappedValue
        } onChange: {
            notified.value += 1
        }
        settings.set(number, to: 1)
        settings.set(number, to: 2)
        #expect(notified.value == 1)
    }

    @Test("A tracker of a record is notified once of fields that are changed together")
    func severalFields() throws {
        struct Point: SettingsRecord {
            var (x, y) = (0, 0)
            static let empty = Point()
        }
        let record = try SettingsStorage<Point>(name: "point", in: MemoryStore())
        let seen = Recorder<[Int]>()
        withObservationTracking {
            _ = record.x
        } onChange: {
            seen.append([record.x, record.y])
        }
        record.update { ($0.x, $0.y) = (1, 2) }
        #expect(seen.all == [[1, 2]])
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

    @Test("A tracker in a sequence of observations ends on the stored value", arguments: TrackedHandle.allCases)
    func sequence(handle: TrackedHandle) async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let settings = SettingsService.over(MemoryStore())
        let (read, number) = (try handle.reader(in: settings), handle.number)
        let isFirst = Box(true)
        var seen: [Int] = []
        for await value in Observations({
            let value = read()
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

extension SettingsService {
    /// Whether anything listens to the changes of a stored value.
    fileprivate func hasListeners(to setting: SettingDefinition) -> Bool {
        connection(for: setting.key).state.withLock { state in
            state.settings.all(named: setting.key.name).contains { !$0.listeners.isEmpty }
        }
    }
}
