import Foundation
import Testing

@testable import SettingsFiles

@Suite struct `A hybrid clock` {
    private static let edges: [Int64] = [
        .min, -1, 0, 1, Device.noon - 1, Device.noon, Instant.latestMilliseconds, Instant.latestMilliseconds + 1, .max,
    ]

    @Test func `gives moments that follow each other, whatever the machine shows`() {
        for first in Self.edges {
            for second in Self.edges {
                for third in Self.edges {
                    var clock = HybridClock()
                    var last = Instant.earliest
                    for now in [first, first, second, third] {
                        let next = clock.next(now: now)
                        if next <= last || clock.last != next { Issue.record("\(first), \(second), \(third)") }
                        last = next
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `gives moments later than all it gave and saw, in any order of events`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var clock = HybridClock()
        var last = Instant.earliest
        var now = Device.noon
        for step in 0..<1_000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: now = Self.edges.randomElement(using: &generator) ?? 0
            case 1: now = Int64.random(in: 0...Instant.latestMilliseconds, using: &generator)
            case 2: now &-= Int64.random(in: 0...1_000, using: &generator)
            case 3: now &+= Int64.random(in: 0...1_000, using: &generator)
            case 4:
                let most = UInt64(Instant.latestMilliseconds) << 16 | 0xFFFF
                let seen = Instant(number: UInt64.random(in: 0...most, using: &generator))
                clock.observe(seen)
                last = max(last, seen)
            case 5: clock.observe(Instant(number: last.number - min(last.number, 5)))
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

    @Test func `shows the machine's time once that has moved on`() {
        var clock = HybridClock(last: Instant(milliseconds: Device.noon, order: 3))
        #expect(clock.next(now: Device.noon - 1) == Instant(milliseconds: Device.noon, order: 4))
        #expect(clock.next(now: Device.noon) == Instant(milliseconds: Device.noon, order: 5))
        #expect(clock.next(now: Device.noon + 1) == Instant(milliseconds: Device.noon + 1))
    }

    @Test(arguments: [0, Device.noon, Instant.latestMilliseconds, .max] as [Int64])
    func `moves on to the next millisecond when there were too many moments within one`(now: Int64) {
        var clock = HybridClock()
        var last = clock.next(now: now)
        let first = last
        for count in 1...70_000 {
            let next = clock.next(now: now)
            if next <= last { Issue.record("moment \(count)") }
            last = next
        }
        #expect(last.number == first.number + 70_000)
        #expect(last.milliseconds == first.milliseconds + 1)
        #expect(clock.next(now: first.milliseconds - 1) > last)
    }

    @Test func `never gives the moment that stands for before everything`() {
        for now in [.min, -1, 0] as [Int64] {
            var clock = HybridClock()
            #expect(clock.next(now: now) > .earliest)
        }
    }

    @Test func `is not moved by a moment that is past`() {
        let last = Instant(milliseconds: Device.noon, order: 9)
        var clock = HybridClock(last: last)
        for seen in [last, .earliest, Instant(milliseconds: Device.noon, order: 8)] { clock.observe(seen) }
        #expect(clock.last == last)
    }

    @Test(
        arguments: [
            (0, 0), (1, 1), (Device.noon, Device.noon), (Instant.latestMilliseconds, Instant.latestMilliseconds),
            // A machine that shows what cannot be is taken to show the nearest that can.
            (-1, 0), (.min, 0), (Instant.latestMilliseconds + 1, Instant.latestMilliseconds),
            (.max, Instant.latestMilliseconds),
        ] as [(Int64, Int64)])
    func `believes moments up to a day ahead, to the millisecond`(now: Int64, meant: Int64) {
        // Not `Instant(milliseconds:)`, which knows no later year.
        func instant(_ milliseconds: Int64, order: UInt64) -> Instant {
            Instant(number: UInt64(milliseconds) << 16 | order)
        }
        let last = instant(meant + Device.day, order: 65_535)
        let first = instant(meant + Device.day + 1, order: 0)
        #expect(HybridClock.tolerance == Device.day)
        #expect(!HybridClock.isAhead(.earliest, of: now))
        #expect(!HybridClock.isAhead(last, of: now))
        #expect(HybridClock.isAhead(first, of: now))
        #expect(!HybridClock(last: last).isAhead(of: now))
        #expect(HybridClock(last: first).isAhead(of: now))
    }
}
