import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The report of a merge")
struct SharedMergeReportTests {
    private static let now = Device.noon
    private static let edge = now + Device.day

    private func outcome(
        known: SharedEntry?, _ entries: SharedEntry..., own: UInt64 = 1, collected: Int64? = nil
    ) -> SharedMerge.Outcome {
        let state: Knowledge = known.map { ["a": $0] } ?? [:]
        return state.outcome(
            of: entries.map { SharedRecord(name: "a", entry: $0) }, own: own, now: Self.now,
            collected: collected.map { .before($0) })
    }

    // MARK: Held back

    @Test("A merge holds back exactly the changes more than a day ahead, and none of them wins")
    func holdsBackExactlyWhat() {
        let times = [0, Self.now, Self.edge - 1, Self.edge, Self.edge + 1, Self.edge + 365 * Device.day]
        let records = times.flatMap { time in
            [0, 65_535].flatMap { order in
                ["1", nil].map { value in
                    SharedRecord(name: "\(time)", entry: sharedEntry(value, time, order: order, by: 2))
                }
            }
        }
        let state: Knowledge = ["\(Self.edge + 1)": sharedEntry("old", 1)]
        let outcome = state.outcome(of: records + records, now: Self.now)
        let ahead = records.filter { $0.entry.stamp.moment.instant.milliseconds > Self.edge }
        #expect(ahead.count == 8)
        #expect(outcome.heldBack == ahead + ahead)
        #expect(Set(outcome.winners.map(\.name)) == Set(times.prefix(4).map { "\($0)" }))
    }

    @Test("An entry that a merge holds back does not hide one that is due")
    func doesNotHideBehind() {
        let due = sharedEntry("1", Self.now, by: 2)
        let ahead = sharedEntry("2", Self.edge + 1, by: 2)
        for found in [outcome(known: nil, due, ahead), outcome(known: nil, ahead, due)] {
            #expect(found.winners == [SharedRecord(name: "a", entry: due)])
            #expect(found.heldBack == [SharedRecord(name: "a", entry: ahead)])
        }
    }

    @Test("A change that a merge has held back wins when it is due")
    func letsWhatWasHeld() {
        let record = SharedRecord(name: "a", entry: sharedEntry("1", Self.edge + 1, by: 2))
        let held = Knowledge().outcome(of: [record], now: Self.now).heldBack
        #expect(Knowledge().outcome(of: held, now: Self.now + 1).winners == [record])
    }

    @Test(
        "A merge takes an impossible time of the clock for the nearest possible one"
    )
    func judgesByAClock() {
        let record = SharedRecord(name: "a", entry: sharedEntry("1", Device.day, by: 2))
        let later = SharedRecord(name: "a", entry: sharedEntry("1", Device.day + 1, by: 2))
        let outcome = Knowledge().outcome(of: [record, later], now: .min)
        #expect(outcome.winners == [record])
        #expect(outcome.heldBack == [later])
        let last = SharedRecord(name: "a", entry: sharedEntry("1", Instant.latestMilliseconds, order: 65_535, by: 2))
        #expect(Knowledge().outcome(of: [last], now: .max).winners == [last])
    }

    // MARK: Written under the own ID

    @Test(
        "A merge reports changes made under the own ID by another replica",
        arguments: [
            // Nothing is known, or something earlier: this state has not made it.
            (nil, sharedEntry("1", 5)), (sharedEntry("1", 4, by: 1), sharedEntry("1", 5)),
            (sharedEntry("1", 4, by: 2), sharedEntry(nil, 5)),
            (sharedEntry("1", 5, by: 0), sharedEntry("1", 5)), (sharedEntry("1", 5), sharedEntry("1", 5, order: 1)),
            // Imported values have all the same moment.
            (nil, sharedEntry("1", 0)), (sharedEntry("1", 0), sharedEntry("2", 0)),
            // A stamp that was given twice.
            (sharedEntry(nil, 5), sharedEntry("1", 5)), (sharedEntry("1", 5), sharedEntry("2", 5)),
        ] as [(SharedEntry?, SharedEntry)])
    func noticesWhatWasSet(known: SharedEntry?, found: SharedEntry) {
        let outcome = outcome(known: known, found)
        #expect(outcome.hasForeignWritesOfOwn)
        // It counts all the same: both sides' writes stay.
        #expect(outcome.winners == [SharedRecord(name: "a", entry: found)])
    }

    @Test(
        "A merge does not report own changes, or others under other IDs, as foreign writes under the own ID",
        arguments: [
            // The own writes, in the own file or another's, also older ones.
            (sharedEntry("1", 5), sharedEntry("1", 5)), (sharedEntry("2", 6), sharedEntry("1", 5)),
            (sharedEntry("2", 6, by: 2), sharedEntry("1", 5)),
            (sharedEntry("2", 5, by: 2), sharedEntry("1", 5)), (sharedEntry("1", 5), sharedEntry(nil, 5)),
            // To which a newer version has added something.
            (sharedEntry("1", 5), sharedEntry("1", 5, unknown: #""x":1"#)),
            // Others' writes.
            (nil, sharedEntry("1", 5, by: 2)), (sharedEntry("1", 4), sharedEntry("1", 5, by: 2)),
            (sharedEntry("1", 5), sharedEntry("1", 4, by: 0)),
            // From the future: the own clock was ahead, and the change of that time has another stamp now.
            (sharedEntry("1", 5), sharedEntry("1", Device.noon + Device.day + 1)),
        ] as [(SharedEntry?, SharedEntry)])
    func isNotMisledBy(
        known: SharedEntry?, found: SharedEntry
    ) {
        #expect(!outcome(known: known, found).hasForeignWritesOfOwn)
    }

    @Test(
        "A merge reports no foreign write under the own ID if the own write may have been forgotten")
    func cannotKnowWhoSet() {
        let collected = Self.now - Device.day
        #expect(!outcome(known: nil, sharedEntry("1", collected - 1), collected: collected).hasForeignWritesOfOwn)
        #expect(!outcome(known: nil, sharedEntry(nil, collected - 1), collected: collected).hasForeignWritesOfOwn)
        #expect(!outcome(known: nil, sharedEntry("1", 0), collected: collected).hasForeignWritesOfOwn)
        #expect(outcome(known: nil, sharedEntry("1", collected), collected: collected).hasForeignWritesOfOwn)
    }

    @Test(
        "A merge reports a foreign write under the own ID among others' writes of the same setting"
    )
    func noticesAForeignWrite() {
        let own = sharedEntry("1", 5, by: 1)
        let other = sharedEntry("2", 6, by: 2)
        #expect(outcome(known: nil, own, other).hasForeignWritesOfOwn)
        #expect(outcome(known: nil, other, own).hasForeignWritesOfOwn)
    }

    // MARK: Returning

    @Test(
        "A merge sets apart values from before the remembered removals",
        arguments: [
            (sharedEntry("1", 99, by: 2), true), (sharedEntry("", 1, by: 2), true),
            (sharedEntry("1", 99, order: 65_535, by: 1), true),
            (sharedEntry("1", 0, order: 1, by: 2), true),
            // From when removals are remembered.
            (sharedEntry("1", 100, by: 2), false), (sharedEntry("1", Device.noon, by: 2), false),
            // Imported: it may have been removed since all the same.
            (sharedEntry("1", 0, by: 2), true),
        ])
    func setsApartValuesFrom(found: SharedEntry, isReturning: Bool) {
        let record = SharedRecord(name: "a", entry: found)
        let outcome = outcome(known: nil, found, collected: 100)
        #expect(outcome.returning == (isReturning ? [record] : []))
        #expect(outcome.winners == (isReturning ? [] : [record]))
    }

    @Test(
        "A merge does not remember again a removal that may have been forgotten",
        arguments: [sharedEntry(nil, 99, by: 2), sharedEntry(nil, 0, by: 2), sharedEntry(nil, 99, by: 1)])
    func doesNotRememberAgain(found: SharedEntry) {
        let outcome = outcome(known: nil, found, collected: 100)
        #expect(outcome.winners.isEmpty && outcome.returning.isEmpty && !outcome.hasForeignWritesOfOwn)
        #expect(!self.outcome(known: nil, found, collected: nil).winners.isEmpty)
    }

    @Test(
        "A merge takes an old value if an older entry is known",
        arguments: [sharedEntry("0", 1, by: 2), sharedEntry(nil, 1, by: 2), sharedEntry("0", 0, by: 2)])
    func takesAnOldValue(known: SharedEntry) {
        let found = sharedEntry("1", 50, by: 2)
        let outcome = outcome(known: known, found, collected: 100)
        #expect(outcome.returning.isEmpty)
        #expect(outcome.winners == [SharedRecord(name: "a", entry: found)])
    }

    @Test("A merge takes no old value if a newer entry is known")
    func takesNoOldValue() {
        let outcome = outcome(known: sharedEntry(nil, 60, by: 2), sharedEntry("1", 50, by: 2), collected: 100)
        #expect(outcome.returning.isEmpty)
        #expect(outcome.winners.isEmpty)
    }

    @Test(
        "A merge sets apart an old value beside a newer one or an old removal of the same file"
    )
    func setsApartAnOld() {
        let old = sharedEntry("1", 50, by: 2)
        for winner in [sharedEntry("2", 200, by: 2), sharedEntry(nil, 60, by: 2), sharedEntry(nil, 40, by: 2)] {
            for found in [
                outcome(known: nil, old, winner, collected: 100), outcome(known: nil, winner, old, collected: 100),
            ] {
                #expect(found.returning == [SharedRecord(name: "a", entry: old)])
                let isOld = winner.stamp.moment.instant.milliseconds < 100
                #expect(found.winners == (isOld ? [] : [SharedRecord(name: "a", entry: winner)]))
            }
        }
    }
}
