import Foundation
import SettingsKitCore

extension Check {
    /// Changes persist when the medium is opened again, even after another process was killed.
    static func durability(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("durability.reopened", "Synchronized values are there when the store is opened again.") { store in
                let reopen = try means.requireReopening()
                for (number, sample) in Samples.data.enumerated() {
                    try store.set(key("value \(number)"), to: sample.1)
                }
                for name in Samples.names { try store.set(name, name) }
                try store.set("removed", "1")
                try store.synchronize()
                try store.set("removed", nil)
                try store.synchronize()
                let second = try reopen(store)
                for (number, sample) in Samples.data.enumerated() {
                    try require(try second.get(key("value \(number)")) == sample.1, "\(sample.0) was lost or changed.")
                }
                for name in Samples.names {
                    try require(second.has(name, name), "The value under \(Samples.short(name)) was lost or changed.")
                }
                try require(second.has("removed", nil), "A removed key had returned.")
                try require(
                    second.has("caf\u{E9}", "cafe\u{301}"), "A canonically equivalent name had become another key.")
            },
            Check("durability.killed", "Changes that a process has acknowledged are there after it was killed.") {
                store in
                try await afterKills(store, means) { second, last, most in
                    let number = try WriterKeys.number(in: second)
                    try require(number >= last, "Change \(last) was acknowledged, but \(number) is stored.")
                    try require(number <= most, "\(number) is stored but was never set.")
                }
            },
            Check("durability.killed-batch", "A batch of a process that was killed is there completely, or not at all.")
            { store in
                // Without a feed, a store may have the batches that the protocol implements.
                if store.feed == nil { throw NotOffered(reason: "the store has no feed") }
                try await afterKills(store, means) { second, last, _ in
                    let numbers = try WriterKeys.batchNumbers(in: second)
                    try require(Set(numbers).count == 1, "The keys of one batch have the numbers \(numbers).")
                    try require(numbers[0] >= last, "Batch \(last) was acknowledged, but \(numbers) are stored.")
                }
            },
            Check("durability.killed-usable", "After a process was killed, another one can write at once.") { store in
                try await afterKills(store, means) { second, last, _ in
                    try WriterKeys.retrying { try second.set("after", "\(last)") }
                    try second.synchronize()
                    try require(second.has("after", "\(last)"), "The value was not stored.")
                }
            },
        ]
    }

    /// Has a writer killed several times. After each kill, calls `body` with a newly opened store, and the numbers of the first and
    /// the last change that may be stored.
    private static func afterKills(
        _ store: any SettingsStore, _ means: StoreConformance.Means,
        _ body: (any SettingsStore, _ last: Int, _ most: Int) throws -> Void
    ) async throws {
        guard let killed = means.killed else { throw NotOffered(reason: "no `killed:` was passed to the suite") }
        let reopen = try means.requireReopening()
        var last = 0
        for _ in 0..<4 {
            let acknowledged = try await killed(store)
            last = max(last, acknowledged)
            // A change that was not acknowledged yet may be stored or not.
            try body(try reopen(store), last, acknowledged > 0 ? acknowledged + 1 : .max)
        }
    }
}
