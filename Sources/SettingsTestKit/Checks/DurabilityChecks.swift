import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// Changes persist when the medium is opened again, even after another process was killed.
    static func durability(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("durability.reopened", "Synchronized values are there when the store is opened again.") { store in
                if means.reopen == nil { _ = try means.reopened(store) }
                for (number, sample) in Samples.data.enumerated() {
                    try store.set(key("value \(number)"), to: sample.1)
                }
                for name in Samples.names { try store.set(key(name), to: Data(name.utf8)) }
                try store.set(key("removed"), to: Data("1".utf8))
                try store.synchronize()
                try store.set(key("removed"), to: nil)
                try store.synchronize()
                let second = try means.reopened(store)
                for (number, sample) in Samples.data.enumerated() {
                    try require(
                        try second.get(key("value \(number)")) == sample.1, "\(sample.0) was lost or changed.")
                }
                for name in Samples.names {
                    try require(
                        try second.get(key(name)) == Data(name.utf8),
                        "The value under \(name.debugDescription.prefix(80)) was lost or changed.")
                }
                try require(try second.get(key("removed")) == nil, "A removed key had returned.")
            },
            Check("durability.killed", "Changes that a process has acknowledged are there after it was killed.") {
                store in
                try await afterKills(store, means) { second, acknowledged in
                    let number = try WriterKeys.number(in: second)
                    try require(
                        number >= acknowledged.last,
                        "Change \(acknowledged.last) was acknowledged, but \(number) is stored.")
                    if let most = acknowledged.most {
                        try require(number <= most, "\(number) is stored but was never set.")
                    }
                }
            },
            Check("durability.killed-batch", "A batch of a process that was killed is there completely, or not at all.")
            {
                store in
                guard store.feed != nil else {
                    throw NotOffered(reason: "a store without a feed makes the writes of a batch one by one")
                }
                try await afterKills(store, means) { second, acknowledged in
                    let numbers = try WriterKeys.batchNumbers(in: second)
                    try require(
                        Set(numbers).count == 1, "The keys of one batch have the numbers \(numbers).")
                    try require(
                        numbers.allSatisfy { $0 >= acknowledged.last },
                        "Batch \(acknowledged.last) was acknowledged, but \(numbers) are stored.")
                }
            },
            Check("durability.killed-usable", "After a process was killed, another one can write at once.") { store in
                try await afterKills(store, means) { second, acknowledged in
                    let data = Data("\(acknowledged.last)".utf8)
                    try WriterKeys.retrying { try second.set(key("after"), to: data) }
                    try second.synchronize()
                    try require(try second.get(key("after")) == data, "The value was not stored.")
                }
            },
        ]
    }

    /// Has a writer killed several times. After each kill, calls `body` with a newly opened store and the range of changes that
    /// may be stored.
    private static func afterKills(
        _ store: any SettingsStore, _ means: StoreConformance.Means,
        _ body: (any SettingsStore, _ acknowledged: (last: Int, most: Int?)) throws -> Void
    ) async throws {
        guard let killed = means.killed else { throw NotOffered(reason: "no `killed:` was passed to the suite") }
        if means.reopen == nil { _ = try means.reopened(store) }
        var last = 0
        for _ in 0..<4 {
            let acknowledged = try await killed(store)
            last = max(last, acknowledged)
            // A change that was not acknowledged yet may be stored or not.
            try body(try means.reopened(store), (last, acknowledged > 0 ? acknowledged + 1 : nil))
        }
    }
}
