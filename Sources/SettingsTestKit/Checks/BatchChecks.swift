import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// A batch is applied completely, or not at all.
    static let batches = [
        Check("batches.complete", "A batch sets and removes all its keys.") { store in
            try store.set(key("removed"), to: Data("1".utf8))
            let isApplied = try store.apply(
                .init(writes: [
                    .init(key: key("a"), data: Data("a".utf8)), .init(key: key("removed"), data: nil),
                    .init(key: key("b"), data: Data("b".utf8)),
                ]))
            try require(isApplied, "A batch without expectations was refused.")
            try require(try store.get(key("a")) == Data("a".utf8), "The first write is missing.")
            try require(try store.get(key("b")) == Data("b".utf8), "The last write is missing.")
            try require(try store.get(key("removed")) == nil, "The removal is missing.")
        },
        Check("batches.last", "Of two writes of a key in one batch, the later counts.") { store in
            _ = try store.apply(
                .init(writes: [
                    .init(key: key("a"), data: Data("1".utf8)), .init(key: key("a"), data: nil),
                    .init(key: key("a"), data: Data("2".utf8)),
                ]))
            try require(try store.get(key("a")) == Data("2".utf8), "The stored value is not that of the last write.")
        },
        Check("batches.accepted", "A batch whose expectations hold is applied.") { store in
            try store.set(key("a"), to: Data("1".utf8))
            let isApplied = try store.apply(
                .init(
                    writes: [.init(key: key("a"), data: Data("2".utf8))],
                    expectations: [
                        .init(key: key("a"), data: Data("1".utf8)), .init(key: key("absent"), data: nil),
                    ]))
            try require(isApplied, "The batch was refused.")
            try require(try store.get(key("a")) == Data("2".utf8), "The batch was not applied.")
        },
        Check("batches.refused", "A batch with an expectation that does not hold changes nothing.") { store in
            try store.set(key("a"), to: Data("1".utf8))
            for wrong in [Data("2".utf8), nil] {
                let isApplied = try store.apply(
                    .init(
                        writes: [.init(key: key("a"), data: Data("3".utf8)), .init(key: key("b"), data: Data())],
                        expectations: [.init(key: key("a"), data: wrong)]))
                try require(!isApplied, "The batch was not refused.")
                try require(try store.get(key("a")) == Data("1".utf8), "A refused batch changed a key.")
                try require(try store.get(key("b")) == nil, "A refused batch made a key.")
            }
        },
        Check("batches.question", "A batch without writes is accepted if its expectations hold, and changes nothing.") {
            store in
            try store.set(key("a"), to: Data("1".utf8))
            try store.set(key("b"), to: Data("2".utf8))
            for (a, b, isRight) in [("1", "2", true), ("1", "1", false), ("2", "2", false), ("1", nil, false)] {
                let entries: [SettingsStoreBatch.Entry] = [
                    .init(key: key("a"), data: Data(a.utf8)), .init(key: key("b"), data: b.map { Data($0.utf8) }),
                    .init(key: key("absent"), data: nil),
                ]
                let answer = try store.apply(.init(writes: [], expectations: entries))
                try require(answer == isRight, "It was \(answer ? "accepted" : "refused").")
            }
            try require(try store.get(key("a")) == Data("1".utf8), "A batch without writes changed a key.")
            try require(try store.get(key("b")) == Data("2".utf8), "A batch without writes changed a key.")
            try require(try store.get(key("absent")) == nil, "A batch without writes made a key.")
        },
        Check("batches.empty", "An empty batch is accepted.") { store in
            try require(try store.apply(.init(writes: [])), "It was refused.")
        },
    ]
}
