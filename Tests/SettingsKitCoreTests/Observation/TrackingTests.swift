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
        [(200, Duration.microseconds(20)), (50, .milliseconds(5)), (5, .milliseconds(50))])
    func changeWhileReading(handle: TrackedHandle, length: (rounds: Int, body: Duration)) async throws {
        let rounds = Rounds.choose(5, full: length.rounds)
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

    @Test(
        "A tracker is notified of the next change once, before set returns, and reads the new value",
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

    @Test("Trackers are notified once more after a change, and not again")
    func onceMore() async throws {
        let settings = SettingsService.over(MemoryStore())
        let tracker = Tracker(settings.value(number))
        tracker.track()
        for (value, reads) in [(1, 3), (2, 5)] {
            settings.set(number, to: value)
            try await until { tracker.readCount.value >= reads }
            // A surplus notification after the first change counts at the second.
            #expect(tracker.readCount.value == reads && tracker.seen.value == value)
        }
    }
}
