import Foundation
import Testing

@testable import SettingsFiles

@Suite struct `Setting entries from the future anew` {
    private static let own = ReplicaID(7)
    private static let year = 365 * Device.day

    private func restamp(_ state: inout Knowledge, _ clock: inout HybridClock, now: Int64 = Device.noon)
        -> [SharedRecord]
    {
        let outcome = Restamping(own: Self.own, now: now).outcome(of: state.records, clock: &clock)
        state.store(outcome)
        return outcome
    }

    @Test func `leaves what is not ahead as it is, and the clock behind it`() {
        let last = sharedEntry("2", Device.noon + Device.day, order: 65_535, by: 2)
        var state: Knowledge = ["a": sharedEntry("1", 5, by: 1), "b": last, "c": sharedEntry(nil, 0, by: 3)]
        var clock = HybridClock()
        #expect(restamp(&state, &clock).isEmpty)
        #expect(clock.last == last.stamp.instant)
        var empty = Knowledge()
        var otherClock = HybridClock(last: Instant(milliseconds: Device.noon))
        #expect(restamp(&empty, &otherClock).isEmpty)
        #expect(otherClock.last == Instant(milliseconds: Device.noon))
    }

    @Test func `gives what is ahead stamps of the present, in the old order, and nothing else`() {
        var state: Knowledge = [
            "first": sharedEntry("1", Device.noon + Self.year, order: 3, by: 7, unknown: #""x":1"#),
            "second": sharedEntry(nil, Device.noon + Self.year, order: 4, by: 7),
            "third": sharedEntry("3", Device.noon + 2 * Self.year, by: 7),
            "present": sharedEntry("4", Device.noon - 1, by: 2, unknown: #""y":2"#),
        ]
        let present = state["present"]
        var clock = HybridClock()
        let outcome = restamp(&state, &clock)
        #expect(outcome.map(\.name) == ["first", "second", "third"])
        #expect(
            outcome.map(\.entry) == [
                sharedEntry("1", Device.noon, by: 7, unknown: #""x":1"#),
                sharedEntry(nil, Device.noon, order: 1, by: 7),
                sharedEntry("3", Device.noon, order: 2, by: 7),
            ])
        #expect(state["present"] == present)
    }

    @Test func `counts on from an entry that is ahead by less than a day`() {
        let last = sharedEntry("1", Device.noon + Device.day / 2, order: 9, by: 2)
        var state: Knowledge = ["a": last, "b": sharedEntry("2", Device.noon + Self.year, by: 7)]
        var clock = HybridClock()
        let outcome = restamp(&state, &clock)
        #expect(outcome.map(\.entry.stamp.instant) == [last.stamp.instant.next])
    }

    /// Entries around some time, a day around it, and far from it.
    private func randomState(seed: UInt64) -> (state: Knowledge, now: Int64) {
        var generator = SeededGenerator(seed: seed)
        let times: [Int64] = [Device.noon, 0, Instant.latestMilliseconds / 2]
        let reaches: [Int64] = [10, Device.day, 40 * Self.year]
        let now = times.randomElement(using: &generator) ?? 0
        var state = Knowledge()
        for index in 0..<Int.random(in: 0...40, using: &generator) {
            let reach = reaches.randomElement(using: &generator) ?? 0
            let time = max(0, now + Int64.random(in: -reach...reach, using: &generator))
            let value = Bool.random(using: &generator) ? "\(index)" : nil
            // Others' are not set anew, so none of them is ahead.
            let replica = HybridClock.isAhead(time, of: now) ? Self.own.number : .random(in: 5...9, using: &generator)
            state["\(index)"] = sharedEntry(value, time, by: replica, unknown: #""x":\#(index)"#)
        }
        return (state, now)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `keeps all values, and the order of those that were ahead behind all others`(seed: UInt64) {
        let (before, now) = randomState(seed: seed)
        let future = before.filter { HybridClock.isAhead($0.value.stamp.instant, of: now) }
        let order = future.sorted { $0.value < $1.value }.map(\.key)
        var state = before
        var clock = HybridClock()
        #expect(restamp(&state, &clock, now: now).map(\.name) == order, "seed \(seed)")
        let names = state.records.sorted { $0.entry < $1.entry }.map(\.name)
        #expect(names.suffix(order.count).elementsEqual(order), "seed \(seed)")
        for (name, old) in before {
            var expected = old
            if future[name] != nil, let instant = state[name]?.stamp.instant {
                expected.stamp = Stamp(instant: instant, replica: Self.own)
                #expect(!HybridClock.isAhead(instant, of: now), "seed \(seed), \(name)")
            }
            #expect(state[name] == expected, "seed \(seed), \(name)")
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `is done after one time, with the clock behind all entries`(seed: UInt64) {
        var (state, now) = randomState(seed: seed)
        var clock = HybridClock()
        _ = restamp(&state, &clock, now: now)
        let latest = state.values.map(\.stamp.instant).max() ?? .earliest
        var next = clock
        #expect(next.next(now: now - Device.day) > latest, "seed \(seed)")
        let done = state
        #expect(restamp(&state, &clock, now: now).isEmpty, "seed \(seed)")
        #expect(state == done, "seed \(seed)")
        #expect(clock.last == latest, "seed \(seed)")
    }

    @Test func `is contradicted by what others have set that is as far ahead`() {
        let restamping = Restamping(own: Self.own, now: Device.noon)
        let own = SharedRecord(name: "a", entry: sharedEntry("1", Device.noon + Self.year, by: 7))
        let present = SharedRecord(name: "b", entry: sharedEntry("1", Device.noon + Device.day, by: 2))
        let future = SharedRecord(name: "c", entry: sharedEntry("1", Device.noon + Device.day + 1, by: 2))
        #expect(!restamping.isContradicted(by: [own, present]))
        #expect(restamping.isContradicted(by: [own, future]))
        var clock = HybridClock()
        #expect(restamping.outcome(of: [own, future], clock: &clock).map(\.name) == ["a"])
    }

    @Test func `has a stamp for each, also for more than a millisecond has`() {
        var state = Knowledge()
        let count = 66_000
        for index in 0..<count {
            state["\(index)"] = sharedEntry("1", Device.noon + Self.year + Int64(index), by: 7)
        }
        var clock = HybridClock()
        let outcome = restamp(&state, &clock)
        #expect(outcome.lazy.map(\.name).elementsEqual((0..<count).lazy.map { "\($0)" }))
        #expect(zip(outcome, outcome.dropFirst()).allSatisfy { $0.entry.stamp < $1.entry.stamp })
        #expect(outcome.last?.entry.stamp.instant.milliseconds == Device.noon + 1)
    }

    @Test(arguments: [Int64.min, -1, 0])
    func `takes a clock before 1970 for one at its beginning`(now: Int64) {
        var state: Knowledge = ["a": sharedEntry("1", Device.noon, by: 7), "b": sharedEntry("2", Device.day, by: 7)]
        var clock = HybridClock()
        _ = restamp(&state, &clock, now: now)
        #expect(state["a"] == sharedEntry("1", Device.day, order: 1, by: 7))
        #expect(state["b"] == sharedEntry("2", Device.day, by: 7))
    }
}
