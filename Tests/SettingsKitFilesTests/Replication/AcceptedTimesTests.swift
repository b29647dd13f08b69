import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The times up to which entries are accepted")
struct TheTimesUpToWhichEntriesAreAcceptedTests {
    private static let now = Device.noon
    private static let edge = now + Device.day
    private static let year = 365 * Device.day

    private func moment(_ milliseconds: Int64, order: UInt16 = 0, epoch: UInt32 = 0) -> HybridMoment {
        HybridMoment(epoch: epoch, instant: Instant(milliseconds: milliseconds, order: order))
    }

    @Test(
        "The times up to which entries are accepted let through what is at most a day ahead, and what is vouched for in its epoch"
    )
    func letThroughWhatIs() {
        let accepted = AcceptedTimes([1: Self.edge + 10])
        for epoch in [0, 1, 2] as [UInt32] {
            #expect(accepted.accepts(moment(Self.edge, order: .max, epoch: epoch), now: Self.now))
            #expect(accepted.accepts(moment(Self.edge + 10, order: .max, epoch: epoch), now: Self.now) == (epoch == 1))
            #expect(!accepted.accepts(moment(Self.edge + 11, epoch: epoch), now: Self.now))
        }
    }

    @Test(
        "The times up to which entries are accepted are the later of two for each epoch, in whatever order they are joined"
    )
    func areTheLaterOf() {
        let tables = [[0: 5, 1: 9], [0: 7], [2: 1, 1: 3], [:]].map { times in
            AcceptedTimes(times.mapValues { Self.edge + Int64($0) })
        }
        let expected = AcceptedTimes([0: Self.edge + 7, 1: Self.edge + 9, 2: Self.edge + 1])
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 1, 2, 0, 3]] {
            var accepted = AcceptedTimes()
            for index in order { accepted.join(tables[index], now: Self.now, last: 9) }
            #expect(accepted == expected)
        }
    }

    @Test(
        "The times up to which entries are accepted are not taken over if they have passed, or belong to an epoch that no replica can have reached"
    )
    func areNotTakenOver() {
        var accepted = AcceptedTimes()
        let other = AcceptedTimes([0: Self.now, 1: Self.now - 1, 2: .min, 3: Self.edge, 10: Self.edge])
        accepted.join(other, now: Self.now, last: 9)
        #expect(accepted == AcceptedTimes([3: Self.edge]))
    }

    @Test(
        "The times up to which entries are accepted are raised by entries that are more than a day ahead, and by no others"
    )
    func areRaisedByEntries() {
        var accepted = AcceptedTimes([4: Self.edge + 50])
        let latest: [UInt32: Int64] = [0: Self.edge, 1: Self.edge + 1, 2: Self.now + Self.year, 3: 0, 4: Self.edge + 9]
        accepted.vouch(for: latest.mapValues { Instant(milliseconds: $0, order: 7) }, now: Self.now)
        #expect(accepted == AcceptedTimes([1: Self.edge + 1, 2: Self.now + Self.year, 4: Self.edge + 50]))
        for (epoch, time) in latest {
            #expect(accepted.accepts(moment(time, order: 7, epoch: epoch), now: Self.now))
        }
    }

    @Test("The times up to which entries are accepted go when they have passed, and not before")
    func goWhenTheyHave() {
        var accepted = AcceptedTimes([0: Self.now, 1: Self.now + 1])
        accepted.removePassed(now: Self.now)
        #expect(accepted == AcceptedTimes([1: Self.now + 1]))
        accepted.removePassed(now: Self.now + 1)
        #expect(accepted.isEmpty)
    }

    @Test("The times up to which entries are accepted are of a limited number of epochs, those that are there first")
    func areOfALimited() {
        let many = (0..<UInt32(2 * AcceptedTimes.limit)).map { ($0, Self.edge + Int64($0)) }
        var accepted = AcceptedTimes([7: Self.edge])
        accepted.join(AcceptedTimes(Dictionary(uniqueKeysWithValues: many)), now: Self.now, last: .max)
        #expect(accepted.times.count == AcceptedTimes.limit)
        #expect(accepted.times[7] == Self.edge + 7)
    }

    @Test(
        "The times up to which entries are accepted are right whatever the machine's clock shows",
        arguments: [Int64.min, 0, .max])
    func areRightWhateverThe(now: Int64) {
        var accepted = AcceptedTimes([0: .max, 1: .min])
        accepted.join(AcceptedTimes([2: .max, 3: .min]), now: now, last: .max)
        accepted.vouch(for: [4: Instant(number: .max), 5: .earliest], now: now)
        accepted.removePassed(now: now)
        #expect(accepted.accepts(moment(0), now: now))
    }
}

@Suite("The moments up to which a replica has heard others")
struct TheMomentsUpToWhichAReplicaHasHeardOthersTests {
    private let one = ReplicaID(1)
    private let other = ReplicaID(2)
    private let third = ReplicaID(3)

    private func moment(_ milliseconds: Int64, epoch: UInt32 = 0) -> HybridMoment {
        HybridMoment(epoch: epoch, instant: Instant(milliseconds: milliseconds))
    }

    @Test("The moments up to which a replica has heard others cover the changes up to them, of the same replica")
    func coverTheChangesUp() {
        let heard = HeardMoments([one: moment(5, epoch: 1)])
        for (stamp, isCovered) in [
            (Stamp(moment(5, epoch: 1), by: one), true), (Stamp(moment(9), by: one), true),
            (Stamp(moment(6, epoch: 1), by: one), false), (Stamp(moment(1, epoch: 2), by: one), false),
            (Stamp(moment(1), by: other), false), (Stamp(.earliest, by: other), false),
        ] {
            #expect(heard.covers(stamp) == isCovered, "\(stamp)")
        }
    }

    @Test("The moments up to which a replica has heard others never become less")
    func neverBecomeLess() {
        var heard = HeardMoments([one: moment(5), other: moment(5)])
        heard.join(HeardMoments([one: moment(4), other: moment(6), third: moment(1)]))
        #expect(heard == HeardMoments([one: moment(5), other: moment(6), third: moment(1)]))
        heard.raise(one, to: moment(1))
        #expect(heard.covers(HeardMoments([one: moment(5), other: moment(6)])))
        #expect(!heard.covers(HeardMoments([one: moment(7)])))
    }

    @Test(
        "The moments up to which a replica has heard others are not raised by what others say about the own changes, nor by what no replica can have reached"
    )
    func areNotRaisedBy() {
        var heard = HeardMoments([one: moment(2)])
        let file = HeardMoments([one: moment(5), other: moment(5), third: moment(5, epoch: 4)])
        heard.join(file, own: one, lastEpoch: 3)
        #expect(heard == HeardMoments([one: moment(2), other: moment(5)]))
    }
}
