import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Merging")
struct SharedMergeJoinTests {
    /// Two settings, and for each some entries: later and earlier, by several replicas, removals, equal stamps.
    private static let records =
        [
            sharedEntry("1", 1, by: 1), sharedEntry(nil, 2, by: 1), sharedEntry("2", 2, by: 2),
            sharedEntry("3", 2, by: 2),
        ].map { SharedRecord(name: "a", entry: $0) }
        + [
            sharedEntry("1", 1, by: 2), sharedEntry("1", 1, order: 1, by: 1), sharedEntry(nil, 1, order: 1, by: 1),
        ].map { SharedRecord(name: "b", entry: $0) }

    /// All that can be in a file: 128 sets.
    private static let files: [[SharedRecord]] = (0..<(1 << records.count)).map { set in
        records.indices.filter { set >> $0 & 1 == 1 }.map { records[$0] }
    }

    /// All that a replica can know: 20 states.
    private static let states = Set(files.map { Knowledge().merged(with: $0) }).sorted { "\($0)" < "\($1)" }

    /// What wins among records, found without merging.
    private static func latest(_ records: [SharedRecord]) -> Knowledge {
        Dictionary(grouping: records, by: \.name).mapValues { $0.map(\.entry).sorted().suffix(1) }.compactMapValues(
            \.last)
    }

    @Test("Merging gives for each setting the latest entry there is")
    func givesForEachSetting() {
        #expect(Self.states.count == 20)
        for file in Self.files {
            #expect(Knowledge().merged(with: file) == Self.latest(file))
        }
    }

    @Test("Merging two files gives the same in either order")
    func twoFilesGivesThe() {
        for one in Self.files {
            let first = Knowledge().merged(with: one)
            for other in Self.files {
                let both = first.merged(with: other)
                let reversed = Knowledge().merged(with: other).merged(with: one)
                if both != reversed || both != Self.latest(one + other) { Issue.record("\(one), \(other)") }
            }
        }
    }

    @Test("Merging three replicas gives the same whichever two are merged first")
    func threeReplicasGivesThe() {
        for one in Self.states {
            for other in Self.states {
                for third in Self.states {
                    let left = one.merged(with: other.records).merged(with: third.records)
                    let right = one.merged(with: other.merged(with: third.records).records)
                    if left != right { Issue.record("\(one), \(other), \(third)") }
                }
            }
        }
    }

    @Test("Merging what is known already changes nothing")
    func whatIsKnownAlready() {
        for file in Self.files {
            let known = Knowledge().merged(with: file)
            #expect(known.outcome(of: file).winners.isEmpty)
            #expect(known.outcome(of: known.records).winners.isEmpty)
            #expect(known.outcome(of: []).winners.isEmpty)
        }
    }

    @Test("Merging does not depend on the order of the records")
    func doesNotDependOnThe() {
        let expected = Self.latest(Self.records)
        forEachOrder(of: Self.records) { file in
            if Knowledge().merged(with: file) != expected { Issue.record("\(file)") }
        }
    }

    @Test("Merging from any state does not depend on the order of the records")
    func fromAnyStateDoes() {
        let file = Array(Self.records[1...2] + Self.records[4...5])
        for state in Self.states {
            let expected = state.merged(with: file)
            forEachOrder(of: file) { file in
                if state.merged(with: file) != expected { Issue.record("\(state), \(file)") }
            }
        }
    }

    @Test("Merging does not depend on how often a file has a record")
    func doesNotDependOn() {
        for state in Self.states {
            for file in Self.files {
                let once = state.outcome(of: file)
                let twice = state.outcome(of: file + file.reversed())
                if Set(once.winners) != Set(twice.winners) { Issue.record("\(state), \(file)") }
            }
        }
    }

    @Test("Merging gives one winner a setting, and only what changes something")
    func givesOneWinnerA() {
        for state in Self.states {
            for file in Self.files {
                let outcome = state.outcome(of: file)
                let names = Set(outcome.winners.map(\.name))
                let areNew = outcome.winners.allSatisfy { winner in
                    file.contains(winner) && state[winner.name].map { $0 < winner.entry } ?? true
                }
                if names.count != outcome.winners.count || !areNew { Issue.record("\(state), \(file)") }
                if !outcome.heldBack.isEmpty || !outcome.returning.isEmpty || outcome.hasForeignWritesOfOwn {
                    Issue.record("\(state), \(file)")
                }
            }
        }
    }

    @Test("Merging takes two spellings of a name for one setting")
    func takesTwoSpellingsOf() {
        let file = [
            SharedRecord(name: "caf\u{E9}", entry: sharedEntry("old", 1)),
            SharedRecord(name: "cafe\u{301}", entry: sharedEntry("new", 2)),
        ]
        for file in [file, file.reversed()] {
            let known = Knowledge().merged(with: file)
            #expect(known == ["caf\u{E9}": sharedEntry("new", 2)])
            #expect(known.merged(with: [SharedRecord(name: "CAFE\u{301}", entry: sharedEntry("other", 3))]).count == 2)
        }
    }

    private func forEachOrder(of records: [SharedRecord], _ body: ([SharedRecord]) -> Void) {
        // Heap's algorithm.
        func permute(_ count: Int, _ records: inout [SharedRecord]) {
            if count <= 1 { return body(records) }
            for index in 0..<count {
                permute(count - 1, &records)
                if index < count - 1 { records.swapAt(count.isMultiple(of: 2) ? index : 0, count - 1) }
            }
        }
        var records = records
        permute(records.count, &records)
    }
}
