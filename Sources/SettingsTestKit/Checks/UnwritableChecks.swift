import Foundation
import SettingsKitCore

extension Check {
    /// A call that throws must not change anything: otherwise a service reports that the old value is stored, which is wrong.
    ///
    /// - Parameter means: Without a closure that makes the medium refuse changes, the rules are skipped.
    static func unwritability(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("unwritable.set", "A set that throws has changed nothing.") { store in
                try checkRefusal(of: store, means) { contents in
                    for (name, text) in [("a", "new"), ("b", nil), ("absent", "new")] {
                        contents.attempt([name: text]) { try store.set(name, text) }
                        try contents.compare(store, "after a set threw", mayThrow: true)
                    }
                }
            },
            Check("unwritable.batch", "A batch that throws has changed none of its keys.") { store in
                try checkRefusal(of: store, means) { contents in
                    contents.attemptBatch(["absent": "new", "a": "new", "b": nil, "c": "new"], store)
                    try contents.compare(store, "after a batch threw", mayThrow: true)
                }
            },
            Check(
                "unwritable.question",
                "A batch without writes is answered while the medium can be read and refuses changes."
            ) { store in
                var contents = try KnownContents(in: store)
                try contents.whileUnwritable(store, means) { _ in
                    do {
                        _ = try store.get(key("a"))
                    } catch {
                        throw NotOffered(reason: "the store cannot read either while its medium is unwritable")
                    }
                    try require(store.apply([:], expecting: ["a": "old", "b": "old"]), "It was refused.")
                    try require(!store.apply([:], expecting: ["a": "old", "b": "other"]), "It was accepted.")
                }
            },
            Check("unwritable.remove-all", "If removeAll throws, it has removed nothing.") { store in
                _ = try store.names()
                try checkRefusal(of: store, means) { contents in
                    contents.attempt(["a": nil, "b": nil, "c": nil]) { try store.removeAll() }
                    try contents.compare(store, "after removeAll threw", mayThrow: true)
                }
            },
            Check("unwritable.feed", "A call that throws publishes nothing.") { store in
                var contents = try KnownContents(in: store)
                let recorder = try Recorder(store)
                try contents.whileUnwritable(store, means) { contents in
                    contents.attempt(["a": "new"]) { try store.set("a", "new") }
                    contents.attemptBatch(["b": "new", "absent": "new"], store)
                    try contents.requireRefusal()
                    for change in recorder.published.joined() where !contents.acknowledged.contains(change.name) {
                        try require(false, "A change of \"\(change.name)\" was published, but the call threw.")
                    }
                }
            },
            Check(
                "unwritable.acknowledged", "A change that a call has acknowledged is stored, also if the medium fails."
            ) { store in
                var contents = try KnownContents(in: store)
                var isSynchronized = false
                try contents.whileUnwritable(store, means) { contents in
                    contents.attempt(["a": "new"]) { try store.set("a", "new") }
                    contents.attemptBatch(["b": "new", "c": nil], store)
                    // A store that keeps changes until it can write them must throw here.
                    isSynchronized = (try? store.synchronize()) != nil
                    try contents.compare(store, "while the medium fails", mayThrow: true)
                }
                if isSynchronized, let reopen = means.reopen {
                    try contents.compare(reopen(store), "in a store that was opened after synchronize returned")
                }
                try WriterKeys.retrying { try store.synchronize() }
                try contents.compare(store, "after the medium was repaired")
            },
            Check("unwritable.repaired", "When the medium can be written again, the store writes again.") { store in
                var contents = try KnownContents(in: store)
                try contents.whileUnwritable(store, means) { contents in
                    contents.attempt(["a": "refused"]) { try store.set("a", "refused") }
                }
                try WriterKeys.retrying { try store.set("a", "new") }
                contents.attempt(["a": "new"]) {}
                try contents.compareWhenRepaired(store, means)
            },
        ]
    }

    /// Has a store try a change while its medium refuses changes. The refused change must not appear then, after the repair, or
    /// in a second store.
    private static func checkRefusal(
        of store: any SettingsStore, _ means: StoreConformance.Means, _ body: (inout KnownContents) throws -> Void
    ) throws {
        var contents = try KnownContents(in: store)
        try contents.whileUnwritable(store, means, body)
        try contents.requireRefusal()
        try contents.compareWhenRepaired(store, means)
    }
}

/// The contents of a store according to its acknowledged calls.
private struct KnownContents {
    private var expected: [String: String] = [:]
    /// The names of changes that were not refused.
    private(set) var acknowledged: Set<String> = []
    private var isRefused = false

    /// Stores three values.
    init(in store: any SettingsStore) throws {
        for name in ["a", "b", "c"] {
            try store.set(name, "old")
            expected[name] = "old"
        }
        try store.synchronize()
    }

    mutating func whileUnwritable(
        _ store: any SettingsStore, _ means: StoreConformance.Means, _ body: (inout Self) throws -> Void
    ) throws { try StoreConformance.Means.whileBroken(means.unwritable, "unwritable", store) { try body(&self) } }

    /// Calls a function that makes changes, and records whether it refuses them.
    mutating func attempt(_ changes: KeyValuePairs<String, String?>, _ body: () throws -> Void) {
        do {
            try body()
            for (name, text) in changes {
                expected[name] = text
                acknowledged.insert(name)
            }
        } catch {
            isRefused = true
        }
    }

    mutating func attemptBatch(_ changes: KeyValuePairs<String, String?>, _ store: any SettingsStore) {
        attempt(changes) { try require(store.apply(changes), "A batch without expectations was refused.") }
    }

    func requireRefusal() throws {
        if !isRefused { throw NotOffered(reason: "no call threw while the medium was unwritable") }
    }

    /// - Parameter mayThrow: Whether a store may throw when it reads, because its medium is broken.
    func compare(_ store: any SettingsStore, _ moment: String, mayThrow isBroken: Bool = false) throws {
        for name in ["a", "absent", "b", "c"] {
            let data: Data?
            do {
                data = try store.get(key(name))
            } catch  where isBroken {
                continue
            }
            let what = acknowledged.contains(name) ? "an acknowledged change" : "the value from before"
            let found = data == nil ? "nothing" : "something else"
            try require(
                data == expected[name].map { Data($0.utf8) },
                "\(found) is stored under \"\(name)\" \(moment), instead of \(what).")
        }
    }

    /// Compares after the repair: a refused change must not be written later.
    func compareWhenRepaired(_ store: any SettingsStore, _ means: StoreConformance.Means) throws {
        try WriterKeys.retrying { try store.synchronize() }
        try compare(store, "after the medium was repaired")
        if let reopen = means.reopen { try compare(reopen(store), "in a store that was opened afterwards") }
    }
}
