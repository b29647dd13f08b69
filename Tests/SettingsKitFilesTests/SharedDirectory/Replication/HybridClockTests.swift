import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("A hybrid clock", .ownThreads)
struct HybridClockTests {
    private static let edges: [Int64] = [
        .min, -1, 0, 1, Device.noon - 1, Device.noon, Instant.latestMilliseconds, Instant.latestMilliseconds + 1, .max,
    ]

    @Test("A hybrid clock gives moments that follow each other, whatever the machine shows")
    func givesMomentsThatFollow() {
        for first in Self.edges {
            for second in Self.edges {
                for third in Self.edges {
                    var clock = HybridClock()
                    var last = HybridMoment.earliest
                    for now in [first, first, second, third] {
                        let next = clock.next(now: now)
                        if next <= last || clock.last != next { Issue.record("\(first), \(second), \(third)") }
                        last = next
                    }
                }
            }
        }
    }

    @Test("A hybrid clock gives moments later than all it gave and saw, in any order of events")
    func givesMomentsLaterThan() {
        for seed in Rounds.seeds(0..<40) {
            var generator = SeededGenerator(seed: seed)
            var clock = HybridClock()
            var last = HybridMoment.earliest
            var now = Device.noon
            for step in 0..<1_000 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: now = Self.edges.randomElement(using: &generator) ?? 0
                case 1: now = Int64.random(in: 0...Instant.latestMilliseconds, using: &generator)
                case 2: now &-= Int64.random(in: 0...1_000, using: &generator)
                case 3: now &+= Int64.random(in: 0...1_000, using: &generator)
                case 4:
                    let most = UInt64(Instant.latestMilliseconds) << 16 | 0xFFFF
                    let instant = Instant(number: UInt64.random(in: 0...most, using: &generator))
                    let seen = HybridMoment(epoch: last.epoch + UInt32(step % 2), instant: instant)
                    clock.observe(seen)
                    last = max(last, seen)
                case 5:
                    let instant = Instant(number: last.instant.number - min(last.instant.number, 5))
                    clock.observe(HybridMoment(epoch: last.epoch, instant: instant))
                default: break
                }
                let next = clock.next(now: now)
                guard next > last else {
                    Issue.record("seed \(seed), step \(step)")
                    return
                }
                last = next
            }
        }
    }

    private static func moment(_ milliseconds: Int64, order: UInt16 = 0, epoch: UInt32 = 0) -> HybridMoment {
        HybridMoment(epoch: epoch, instant: Instant(milliseconds: milliseconds, order: order))
    }

    @Test("A hybrid clock shows the machine's time once that has moved on")
    func showsTheMachinesTime() {
        var clock = HybridClock(last: Self.moment(Device.noon, order: 3, epoch: 2))
        #expect(clock.next(now: Device.noon - 1) == Self.moment(Device.noon, order: 4, epoch: 2))
        #expect(clock.next(now: Device.noon) == Self.moment(Device.noon, order: 5, epoch: 2))
        #expect(clock.next(now: Device.noon + 1) == Self.moment(Device.noon + 1, epoch: 2))
    }

    @Test(
        "A hybrid clock moves on to the next millisecond when there were too many moments within one",
        arguments: [0, Device.noon, Instant.latestMilliseconds, .max] as [Int64])
    func movesOnToThe(now: Int64) {
        var clock = HybridClock()
        var last = clock.next(now: now)
        let first = last.instant
        for count in 1...70_000 {
            let next = clock.next(now: now)
            if next <= last { Issue.record("moment \(count)") }
            last = next
        }
        #expect(last.instant.number == first.number + 70_000)
        #expect(last.instant.milliseconds == first.milliseconds + 1)
        #expect(clock.next(now: first.milliseconds - 1) > last)
    }

    @Test("A hybrid clock never gives the moment that stands for before everything")
    func neverGivesTheMoment() {
        for now in [.min, -1, 0] as [Int64] {
            var clock = HybridClock()
            #expect(clock.next(now: now) > .earliest)
        }
    }

    @Test("A hybrid clock is not moved by a moment that is past")
    func isNotMovedBy() {
        let last = Self.moment(Device.noon, order: 9, epoch: 1)
        var clock = HybridClock(last: last)
        for seen in [last, .earliest, Self.moment(Device.noon, order: 8, epoch: 1), Self.moment(2 * Device.noon)] {
            clock.observe(seen)
        }
        #expect(clock.last == last)
    }

    @Test("A hybrid clock begins an epoch where the machine's time is more than a day behind what was given out")
    func beginsAnEpochWhere() {
        let last = Self.moment(Device.noon, order: 9, epoch: 4)
        var clock = HybridClock(last: last)
        #expect(clock.next(now: Device.noon - Device.day) == Self.moment(Device.noon, order: 10, epoch: 4))
        let corrected = Device.noon - Device.day - 1
        #expect(clock.next(now: corrected) == Self.moment(corrected, epoch: 5))
        #expect(clock.next(now: corrected) == Self.moment(corrected, order: 1, epoch: 5))
        // Whatever is seen of the epoch before.
        clock.observe(Self.moment(2 * Device.noon, epoch: 4))
        #expect(clock.next(now: corrected) == Self.moment(corrected, order: 2, epoch: 5))
    }

    @Test("A hybrid clock begins no epoch after the last")
    func beginsNoEpochAfter() {
        let last = HybridMoment(epoch: HybridMoment.lastEpoch, instant: Instant(milliseconds: Device.noon))
        var clock = HybridClock(last: last)
        #expect(clock.next(now: 0) == Self.moment(Device.noon, order: 1, epoch: HybridMoment.lastEpoch))
    }

    @Test(
        "A hybrid clock believes instants up to a day ahead, to the millisecond",
        arguments: [
            (0, 0), (1, 1), (Device.noon, Device.noon), (Instant.latestMilliseconds, Instant.latestMilliseconds),
            // A machine that shows an impossible time is taken to show the nearest possible one.
            (-1, 0), (.min, 0), (Instant.latestMilliseconds + 1, Instant.latestMilliseconds),
            (.max, Instant.latestMilliseconds),
        ] as [(Int64, Int64)])
    func believesInstantsUpTo(now: Int64, meant: Int64) {
        // Not `Instant(milliseconds:)`, which knows no later year.
        func instant(_ milliseconds: Int64, order: UInt64) -> Instant {
            Instant(number: UInt64(milliseconds) << 16 | order)
        }
        #expect(DirectoryTimings.clockTolerance == Device.day)
        #expect(!HybridClock.isAhead(.earliest, of: now))
        #expect(!HybridClock.isAhead(instant(meant + Device.day, order: 65_535), of: now))
        #expect(HybridClock.isAhead(instant(meant + Device.day + 1, order: 0), of: now))
    }
}
