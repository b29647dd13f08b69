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
        "The times up to which entries are accepted let through what is at most a day ahead, and what is vouched for in its epoch or a later one"
    )
    func letThroughWhatIs() {
        let accepted = AcceptedTimes([1: Self.edge + 10])
        for epoch in [0, 1, 2] as [UInt32] {
            #expect(accepted.accepts(moment(Self.edge, order: .max, epoch: epoch), now: Self.now))
            #expect(accepted.accepts(moment(Self.edge + 10, order: .max, epoch: epoch), now: Self.now) == (epoch <= 1))
            #expect(!accepted.accepts(moment(Self.edge + 11, epoch: epoch), now: Self.now))
        }
    }

    @Test(
        "The times up to which entries are accepted are the later of two for each epoch, in whatever order they are joined"
    )
    func areTheLaterOf() {
        let tables = [[0: 9, 1: 5], [0: 7], [2: 1, 1: 3], [:]].map { times in
            AcceptedTimes(times.mapValues { Self.edge + Int64($0) })
        }
        let expected = AcceptedTimes([0: Self.edge + 9, 1: Self.edge + 5, 2: Self.edge + 1])
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 1, 2, 0, 3]] {
            var accepted = AcceptedTimes()
            for index in order { accepted.join(tables[index], now: Self.now, last: 9) }
            #expect(accepted == expected)
        }
    }

    @Test("The times up to which entries are accepted leave out a time if a later epoch has the same or a later one")
    func leaveOutATime() {
        let accepted = AcceptedTimes([0: 50, 1: 70, 3: 60, 7: 60, 9: 10].mapValues { Self.edge + $0 })
        #expect(accepted.times == [1: 70, 7: 60, 9: 10].mapValues { Self.edge + $0 })
        let year = (1...70).map { (UInt32($0), Self.now + Self.year + Int64($0) * 60_000) }
        #expect(AcceptedTimes(Dictionary(uniqueKeysWithValues: year)).times == [70: year[69].1])
    }

    @Test(
        "The times up to which entries are accepted are not taken over if they have passed, or belong to an epoch that no replica can have reached"
    )
    func areNotTakenOver() {
        var accepted = AcceptedTimes()
        let other = AcceptedTimes([9: Self.edge, 10: Self.edge - 1])
        accepted.join(other, now: Self.now, last: 9)
        for time in [Self.now, Self.now - 1, .min] { accepted.join(AcceptedTimes([0: time]), now: Self.now, last: 9) }
        #expect(accepted.times == [9: Self.edge])
    }

    @Test(
        "The times up to which entries are accepted are raised by entries that are more than a day ahead, and by no others"
    )
    func areRaisedByEntries() {
        var accepted = AcceptedTimes([4: Self.edge + 50])
        let latest: [UInt32: Int64] = [0: Self.edge, 1: Self.edge + 1, 2: Self.now + Self.year, 3: 0, 4: Self.edge + 9]
        accepted.vouch(for: latest.mapValues { Instant(milliseconds: $0, order: 7) }, now: Self.now)
        #expect(accepted.times == [2: Self.now + Self.year, 4: Self.edge + 50])
        for (epoch, time) in latest {
            #expect(accepted.accepts(moment(time, order: 7, epoch: epoch), now: Self.now))
        }
    }

    @Test("The times up to which entries are accepted go when they have passed, and not before")
    func goWhenTheyHave() {
        var accepted = AcceptedTimes([0: Self.now + 1, 1: Self.now])
        accepted.removePassed(now: Self.now)
        #expect(accepted == AcceptedTimes([0: Self.now + 1]))
        accepted.removePassed(now: Self.now + 1)
        #expect(accepted.isEmpty)
    }

    @Test(
        "The times up to which entries are accepted are those of a limited number of latest epochs, the first of which has the times of all before, in whatever order they are joined"
    )
    func areOfALimited() {
        // Each time is earlier than those of earlier epochs, so none can be left out.
        let many = (0..<UInt32(3 * DirectoryLimits.acceptedEpochs)).map { ($0, Self.edge + 1_000 - Int64($0)) }
        let latest = many.suffix(DirectoryLimits.acceptedEpochs)
        var expected = Dictionary(uniqueKeysWithValues: latest)
        expected[latest[latest.startIndex].0] = Self.edge + 1_000
        for order in [many, many.reversed(), many.shuffled()] {
            var (joined, vouched) = (AcceptedTimes(), AcceptedTimes())
            for (epoch, time) in order {
                joined.join(AcceptedTimes([epoch: time]), now: Self.now, last: .max)
                vouched.vouch(for: [epoch: Instant(milliseconds: time)], now: Self.now)
            }
            #expect(joined.times == expected)
            #expect(vouched == joined)
            for (epoch, time) in many { #expect(joined.accepts(moment(time, epoch: epoch), now: Self.now)) }
        }
        #expect(AcceptedTimes(Dictionary(uniqueKeysWithValues: many)).times == expected)
        #expect(
            AcceptedTimes([0: 9, .max: 5]).times == [.max - UInt32(DirectoryLimits.acceptedEpochs) + 1: 9, .max: 5])
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
        "The moments up to which a replica has heard others are not raised by what others say about the own changes, nor by what no replica can have reached or no file or record is known of"
    )
    func areNotRaisedBy() {
        var heard = HeardMoments([one: moment(2)])
        let (fourth, fifth) = (ReplicaID(4), ReplicaID(5))
        let file = HeardMoments([
            one: moment(5), other: moment(5), third: moment(5, epoch: 4), fourth: moment(5), fifth: moment(5),
        ])
        let known = HeardMoments([
            one: moment(9), other: moment(9), third: moment(9, epoch: 4), fifth: moment(3),
        ])
        heard.join(file, own: one, known: known, lastEpoch: 3)
        #expect(heard == HeardMoments([one: moment(2), other: moment(5), fifth: moment(3)]))
    }

    @Test(
        "The moments up to which a replica has heard others are of a limited number of replicas, the own one and those with the latest changes"
    )
    func areOfALimited() {
        let many = (1...UInt64(DirectoryLimits.heardReplicas + 10)).map { (ReplicaID($0), moment(Int64($0))) }
        var heard = HeardMoments(Dictionary(uniqueKeysWithValues: many))
        heard.limit(keeping: one)
        let newest = many.suffix(DirectoryLimits.heardReplicas - 1) + [many[0]]
        #expect(heard == HeardMoments(Dictionary(uniqueKeysWithValues: newest)))
        heard.limit(to: 1, keeping: other)
        #expect(heard.moments == [ReplicaID(UInt64(many.count)): many[many.count - 1].1])
    }

    @Test("The moments up to which a replica has heard others are lowered to what files and records show")
    func areLowered() {
        var heard = HeardMoments([one: moment(5), other: moment(5), third: moment(5), ReplicaID(4): moment(5)])
        heard.lower(to: HeardMoments([one: moment(1), other: moment(3), third: moment(9)]), own: one)
        #expect(heard == HeardMoments([one: moment(5), other: moment(3), third: moment(5)]))
    }

    @Test("The moments up to which a replica has heard others stay while the directory is not there")
    func stayWhileThe() {
        var memory = ReplicaMemory(replica: one)
        memory.heard = HeardMoments([one: moment(5), other: moment(5), third: moment(5)])
        memory.record(present: [one, other], now: Device.noon)
        memory.record(present: [], now: Device.noon)
        memory.lowerHeard(to: HeardMoments(), present: [])
        #expect(memory.heard == HeardMoments([one: moment(5), other: moment(5)]))
        memory.lowerHeard(to: HeardMoments([other: moment(3)]), present: [other])
        #expect(memory.heard == HeardMoments([one: moment(5), other: moment(3)]))
    }
}
