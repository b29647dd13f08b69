import SettingsKitCore

extension Check {
    /// Every name works, and names do not affect each other.
    static let names = [
        Check("names.any", "Any name works that is not empty and has no NUL.") { store in
            for name in Samples.names {
                try store.set(name, name)
                try require(store.has(name, name), "The value under \(Samples.short(name)) did not come back.")
            }
            for name in Samples.names {
                try require(
                    store.has(name, name), "The value under \(Samples.short(name)) was changed by setting another.")
            }
        },
        Check("names.independent", "Setting or removing one key does not change the others.") { store in
            let names = ["a", "b", "a.b", "a:b", "ab", "a b", "aa"]
            for name in names { try store.set(name, name) }
            try store.set("a", "changed")
            try store.set("b", nil)
            for name in names.dropFirst(2) {
                try require(store.has(name, name), "\"\(name)\" was changed by setting another.")
            }
        },
        Check("names.equivalent", "Names that are canonically equivalent are one key.") { store in
            try store.set("caf\u{E9}", "composed")
            try require(
                store.has("cafe\u{301}", "composed"),
                "A value stored under a composed name was not found under the decomposed one.")
            try store.set("cafe\u{301}", "decomposed")
            try require(
                store.has("caf\u{E9}", "decomposed"),
                "A value stored under a decomposed name was not found under the composed one.")
            try store.set("caf\u{E9}", nil)
            try require(store.has("cafe\u{301}", nil), "Removing the composed name left the decomposed one.")
        },
        Check("names.case", "Names that differ in case are two keys.") { store in
            try store.set("name", "lower")
            try store.set("NAME", "upper")
            try require(store.has("name", "lower"), "The upper-case name replaced the other.")
        },
    ]

    /// A store's keys are exactly the stored ones.
    static let enumeration = [
        Check("keys.exact", "keys lists the stored keys, and no others.") { store in
            let before = Set(try store.names())
            for name in Samples.names { try store.set(name, "1") }
            try store.set("removed", "1")
            try store.set("removed", nil)
            let names = try store.names()
            let listed = Set(names)
            try require(listed.count == names.count, "A name is listed more than once.")
            let missing = Set(Samples.names).subtracting(listed)
            try require(missing.isEmpty, "It lacks \(missing.map(\.debugDescription)).")
            let surplus = listed.subtracting(before).subtracting(Samples.names)
            try require(surplus.isEmpty, "It has \(surplus.map(\.debugDescription)) too.")
        },
        Check("keys.remove-all", "removeAll removes every key that was set.") { store in
            _ = try store.names()
            for name in Samples.names { try store.set(name, "1") }
            try store.removeAll()
            for name in Samples.names { try require(store.has(name, nil), "\(Samples.short(name)) was still there.") }
            try store.set("after", "1")
            try require(store.has("after", "1"), "The store did not work afterwards.")
        },
    ]
}
