import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The order of entries")
struct SharedEntryOrderTests {
    /// Everything by which two entries can differ, each in two forms at least.
    private static let entries: [SharedEntry] = [Device.noon, Device.noon + 1].flatMap { time in
        [1, 2].flatMap { replica in
            [nil, "", "a", "b"].flatMap { value in
                ["", #""new":1"#].map { sharedEntry(value, time, by: replica, unknown: $0) }
            }
        }
    }

    @Test("The order of entries tells any two that are not the same apart, and has no entry before itself")
    func tellsAnyTwoThat() {
        #expect(Self.entries.count == 32)
        for one in Self.entries {
            for other in Self.entries {
                let count = [one < other, one == other, other < one].count { $0 }
                if count != 1 { Issue.record("\(one) and \(other)") }
            }
        }
    }

    @Test("The order of entries is transitive")
    func isTransitive() {
        for one in Self.entries {
            for other in Self.entries where one < other {
                for third in Self.entries where other < third && !(one < third) {
                    Issue.record("\(one), \(other), \(third)")
                }
            }
        }
    }

    @Test("The order of entries has one winner of any two, whichever of them is known first")
    func hasOneWinnerOf() {
        for one in Self.entries {
            for other in Self.entries {
                let first = ["a": one].merged(with: [SharedRecord(name: "a", entry: other)])
                let second = ["a": other].merged(with: [SharedRecord(name: "a", entry: one)])
                if first != second || first["a"] != max(one, other) { Issue.record("\(one) and \(other)") }
            }
        }
    }

    @Test("The order of entries goes by the moment, then the replica, then the value, then what is not known")
    func goesByTheMoment() {
        let sorted = [
            sharedEntry("b", 1, by: 2, unknown: "x"), sharedEntry("b", 2, by: 1, unknown: "x"),
            sharedEntry(nil, 2, by: 2),
            sharedEntry(nil, 2, by: 2, unknown: "x"), sharedEntry("", 2, by: 2),
            sharedEntry("", 2, by: 2, unknown: "x"),
            sharedEntry("a", 2, by: 2), sharedEntry("a", 2, by: 2, unknown: "w"),
            sharedEntry("a", 2, by: 2, unknown: "x"),
            sharedEntry("aa", 2, by: 2), sharedEntry("b", 2, by: 2), sharedEntry("\u{E9}", 2, by: 2),
            sharedEntry(nil, 2, order: 1, by: 1),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }
}
