import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Check {
    /// A call that throws must not change anything: otherwise a service reports that the old value is stored, which is wrong.
    ///
    /// - Parameter means: Without a closure that makes the medium refuse changes, the rules are skipped.
    static func unwritability(_ means: StoreConformance.Means) -> [Check] {
        [
            Check("unwritable.set", "A set that throws has changed nothing.") { store in
                try checkRefusal(of: store, means) { contents in
                    for (name, data) in [("a", Data("new".utf8)), ("b", nil), ("absent", Data("new".utf8))] {
                        contents.attempt("set", [(name, data)]) { try store.set(key(name), to: data) }
                        try contents.compare(store, "after a set threw", mayThrow: true)
                    }
                }
            },
            Check("unwritable.batch", "A batch that throws has changed none of its keys.") { store in
                try checkRefusal(of: store, means) { contents in
                    let writes: [(String, Data?)] = [
                        ("absent", Data("new".utf8)), ("a", Data("new".utf8)), ("b", nil), ("c", Data("new".utf8)),
                    ]
                    contents.attempt("a batch", writes) {
                        try require(
                            try store.apply(.init(writes: writes.map { .init(key: key($0.0), data: $0.1) })),
                            "A batch without expectations was refused.")
                    }
                    try contents.compare(store, "after a batch threw", mayThrow: true)
                }
            },
            Check("unwritable.question", "A batch without writes is answered also while the medium refuses changes.") {
                store in
                try prepare(store)
                try whileUnwritable(store, means) {
                    for (name, isRight) in [("b", true), ("a", false)] {
                        let entries = ["a", name].map { name in
                            SettingsStoreBatch.Entry(key: key(name), data: isRight ? old[name] : Data("other".utf8))
                        }
                        let answer = try store.apply(.init(writes: [], expectations: entries))
                        try require(answer == isRight, "It was \(answer ? "accepted" : "refused").")
                    }
                }
            },
            Check("unwritable.remove-all", "If removeAll throws, it has removed nothing.") { store in
                do {
                    _ = try store.keys()
                } catch SettingsError.Code.unsupported {
                    throw NotOffered(reason: "the store does not list its keys")
                }
                try checkRefusal(of: store, means) { contents in
                    contents.attempt("removeAll", contents.expected.map { ($0.key, nil) }) { try store.removeAll() }
                    try contents.compare(store, "after removeAll threw", mayThrow: true)
                }
            },
            Check("unwritable.feed", "A call that throws publishes nothing.") { store in
                let names = ["a", "b", "absent"]
                guard store.feed != nil else { throw NotOffered(reason: "the store has no feed") }
                try store.set(key("a"), to: Data("old a".utf8))
                let recorder = try Recorder(store, names: names)
                try whileUnwritable(store, means) {
                    var contents = KnownContents(["a": Data("old a".utf8)])
                    contents.attempt("set", [("a", Data("new".utf8))]) {
                        try store.set(key("a"), to: Data("new".utf8))
                    }
                    contents.attempt("a batch", [("b", Data("new".utf8)), ("absent", Data("new".utf8))]) {
                        _ = try store.apply(
                            .init(writes: [
                                .init(key: key("b"), data: Data("new".utf8)),
                                .init(key: key("absent"), data: Data("new".utf8)),
                            ]))
                    }
                    try contents.requireRefusal()
                    for name in names where !contents.acknowledged.contains(name) {
                        try require(
                            recorder.changes(of: name).isEmpty,
                            "A change of \"\(name)\" was published, but the call threw.")
                    }
                }
            },
            Check(
                "unwritable.acknowledged", "A change that a call has acknowledged is stored, also if the medium fails."
            ) {
                store in
                try prepare(store)
                var contents = KnownContents(old)
                var isSynchronized = false
                try whileUnwritable(store, means) {
                    contents.attempt("set", [("a", Data("new".utf8))]) {
                        try store.set(key("a"), to: Data("new".utf8))
                    }
                    contents.attempt("a batch", [("b", Data("new".utf8)), ("c", nil)]) {
                        _ = try store.apply(
                            .init(writes: [
                                .init(key: key("b"), data: Data("new".utf8)), .init(key: key("c"), data: nil),
                            ]))
                    }
                    do {
                        try store.synchronize()
                        isSynchronized = true
                    } catch {
                        // A store that keeps changes until it can write them must throw here.
                    }
                    try contents.compare(store, "while the medium fails", mayThrow: true)
                }
                if isSynchronized, means.reopen != nil {
                    try contents.compare(
                        try means.reopened(store), "in a store that was opened after synchronize returned",
                        mayThrow: false)
                }
                try WriterKeys.retrying { try store.synchronize() }
                try contents.compare(store, "after the medium was repaired", mayThrow: false)
            },
            Check("unwritable.repaired", "When the medium can be written again, the store writes again.") { store in
                try prepare(store)
                try whileUnwritable(store, means) {
                    var contents = KnownContents(old)
                    contents.attempt("set", [("a", Data("refused".utf8))]) {
                        try store.set(key("a"), to: Data("refused".utf8))
                    }
                }
                try WriterKeys.retrying {
                    try store.set(key("a"), to: Data("new".utf8))
                    try store.synchronize()
                }
                var contents = KnownContents(old)
                contents.expected["a"] = Data("new".utf8)
                try contents.compare(store, "after the medium was repaired", mayThrow: false)
                guard means.reopen != nil else { return }
                try contents.compare(
                    try means.reopened(store), "in a store that was opened afterwards", mayThrow: false)
            },
        ]
    }

    private static let old = ["a": Data("old a".utf8), "b": Data("old b".utf8), "c": Data("old c".utf8)]

    private static func prepare(_ store: any SettingsStore) throws {
        for (name, data) in old { try store.set(key(name), to: data) }
        try store.synchronize()
    }

    private static func whileUnwritable<R>(
        _ store: any SettingsStore, _ means: StoreConformance.Means, _ body: () throws -> R
    ) throws -> R {
        try StoreConformance.Means.whileBroken(means.unwritable, "unwritable", store, body)
    }

    /// Has a store try a change while its medium refuses changes. The refused change must not appear then, after the repair, or
    /// in a second store.
    private static func checkRefusal(
        of store: any SettingsStore, _ means: StoreConformance.Means, _ body: (inout KnownContents) throws -> Void
    ) throws {
        try prepare(store)
        var contents = KnownContents(old)
        try whileUnwritable(store, means) { try body(&contents) }
        try contents.requireRefusal()
        // A refused change must not be written later.
        try WriterKeys.retrying { try store.synchronize() }
        try contents.compare(store, "after the medium was repaired", mayThrow: false)
        guard means.reopen != nil else { return }
        try contents.compare(try means.reopened(store), "in a store that was opened afterwards", mayThrow: false)
    }
}

/// The contents of a store according to its acknowledged calls.
private struct KnownContents {
    var expected: [String: Data]
    /// The names of changes that were not refused.
    private(set) var acknowledged: Set<String> = []
    private var refusals: [String] = []
    private let names: Set<String>

    init(_ contents: [String: Data]) {
        expected = contents
        names = Set(contents.keys).union(["absent"])
    }

    /// Calls a function that makes changes, and records whether it refuses them.
    mutating func attempt(_ call: String, _ changes: [(name: String, data: Data?)], _ body: () throws -> Void) {
        do {
            try body()
            for change in changes {
                expected[change.name] = change.data
                acknowledged.insert(change.name)
            }
        } catch {
            refusals.append(call)
        }
    }

    func requireRefusal() throws {
        if refusals.isEmpty { throw NotOffered(reason: "no call threw while the medium was unwritable") }
    }

    /// - Parameter mayThrow: Whether a store may throw when it reads, because its medium is broken.
    func compare(_ store: any SettingsStore, _ moment: String, mayThrow isBroken: Bool) throws {
        for name in names.sorted() {
            let data: Data?
            do {
                data = try store.get(key(name))
            } catch  where isBroken {
                continue
            }
            let what = acknowledged.contains(name) ? "an acknowledged change" : "the value from before"
            let found = data == nil ? "nothing" : "something else"
            try require(data == expected[name], "\(found) is stored under \"\(name)\" \(moment), instead of \(what).")
        }
    }
}
