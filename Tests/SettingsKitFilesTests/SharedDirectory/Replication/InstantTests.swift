import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("A moment")
struct InstantTests {
    private static let milliseconds: [Int64] = [
        0, 1, 65_535, 65_536, 978_307_200_000, Device.noon, Instant.latestMilliseconds - 1, Instant.latestMilliseconds,
    ]
    private static let orders: [UInt16] = [0, 1, 255, 256, 65_534, 65_535]

    @Test("A moment gives back its milliseconds and its counter")
    func givesBackItsMilliseconds() {
        for milliseconds in Self.milliseconds {
            for order in Self.orders {
                let instant = Instant(milliseconds: milliseconds, order: order)
                #expect(instant.milliseconds == milliseconds)
                #expect(instant.order == order)
                #expect(Instant(number: instant.number) == instant)
            }
        }
    }

    @Test("A moment comes before another by milliseconds first, and then by the counter")
    func comesBeforeAnotherBy() {
        let all = Self.milliseconds.flatMap { milliseconds in
            Self.orders.map { Instant(milliseconds: milliseconds, order: $0) }
        }
        for (index, one) in all.enumerated() {
            for (otherIndex, other) in all.enumerated() where (one < other) != (index < otherIndex) {
                Issue.record("\(one) and \(other)")
            }
        }
        #expect(Instant.earliest == all[0])
    }

    @Test(
        "A moment that no clock can sensibly show becomes the nearest one that it can",
        arguments: [
            (.min, 0), (-1, 0), (Instant.latestMilliseconds + 1, Instant.latestMilliseconds),
            (.max, Instant.latestMilliseconds),
        ] as [(Int64, Int64)])
    func thatNoClockCan(shown: Int64, nearest: Int64) {
        #expect(Instant(milliseconds: shown) == Instant(milliseconds: nearest))
        #expect(Instant(milliseconds: shown, order: 7).order == 7)
    }

    @Test("A moment is followed by one with the next number, in the next millisecond if the counter is full")
    func isFollowedByOne() {
        for milliseconds in Self.milliseconds {
            let first = Instant(milliseconds: milliseconds)
            #expect(first.next == Instant(milliseconds: milliseconds, order: 1))
            let last = Instant(milliseconds: milliseconds, order: 65_535)
            #expect(last.next > last)
            #expect(last.next.milliseconds == milliseconds + 1)
            #expect(last.next.order == 0)
        }
    }

    @Test("A moment decides between stamps, and of two at the same moment the replica does")
    func decidesBetweenStampsAnd() {
        let instants = [Instant.earliest, Instant(milliseconds: 0, order: 1), Instant(milliseconds: Device.noon)]
        // Those of a later epoch are later, whatever their instants.
        let stamps = [0, 1, 7].flatMap { epoch in
            instants.flatMap { instant in [0, 1, UInt64.max].map { Stamp(instant, epoch: epoch, replica: $0) } }
        }
        for (index, one) in stamps.enumerated() {
            for (otherIndex, other) in stamps.enumerated() {
                #expect((one < other) == (index < otherIndex))
                #expect((one == other) == (index == otherIndex))
            }
        }
    }
}
