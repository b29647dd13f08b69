import SettingsKitCore

extension Check {
    /// A batch is applied completely, or not at all.
    static let batches = [
        Check("batches.complete", "A batch sets and removes all its keys.") { store in
            try store.set("removed", "1")
            try require(store.apply(["a": "a", "removed": nil, "b": "b"]), "A batch without expectations was refused.")
            try require(store.has("a", "a"), "The first write is missing.")
            try require(store.has("b", "b"), "The last write is missing.")
            try require(store.has("removed", nil), "The removal is missing.")
        },
        Check("batches.last", "Of two writes of a key in one batch, the later counts.") { store in
            _ = try store.apply(["a": "1", "a": nil, "a": "2"])
            try require(store.has("a", "2"), "The stored value is not that of the last write.")
        },
        Check("batches.accepted", "A batch whose expectations hold is applied.") { store in
            try store.set("a", "1")
            try require(store.apply(["a": "2"], expecting: ["a": "1", "absent": nil]), "The batch was refused.")
            try require(store.has("a", "2"), "The batch was not applied.")
        },
        Check("batches.refused", "A batch with an expectation that does not hold changes nothing.") { store in
            try store.set("a", "1")
            for wrong in ["2", nil] {
                let isApplied = try store.apply(["a": "3", "b": ""], expecting: ["a": wrong])
                try require(!isApplied, "The batch was not refused.")
                try require(store.has("a", "1"), "A refused batch changed a key.")
                try require(store.has("b", nil), "A refused batch made a key.")
            }
        },
        Check("batches.question", "A batch without writes is accepted if its expectations hold, and changes nothing.") {
            store in
            try store.set("a", "1")
            try store.set("b", "2")
            for (a, b, isRight) in [("1", "2", true), ("1", "1", false), ("2", "2", false), ("1", nil, false)] {
                let answer = try store.apply([:], expecting: ["a": a, "b": b, "absent": nil])
                try require(answer == isRight, "It was \(answer ? "accepted" : "refused").")
            }
            try require(store.has("a", "1") && store.has("b", "2"), "A batch without writes changed a key.")
            try require(store.has("absent", nil), "A batch without writes made a key.")
        },
        Check("batches.empty", "An empty batch is accepted.") { store in
            try require(store.apply([:]), "It was refused.")
        },
    ]
}
