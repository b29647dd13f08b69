import Foundation
import SettingsKitCore
import Testing

@Suite("Batches on layers")
struct LayeredBatchTests {
    private func write(_ name: String, _ text: String?) -> SettingsStoreBatch.Entry {
        .init(key: key(name), data: text.map { Data($0.utf8) })
    }

    private func expectation(_ name: String, _ candidates: [SettingsStoreCandidate]) -> SettingsStoreBatch.Entry {
        var entry = SettingsStoreBatch.Entry(key: key(name), data: nil)
        entry.candidates = candidates
        return entry
    }

    @Test("A batch with one locked key changes nothing", arguments: StoreKind.allCases)
    func locked(kind: StoreKind) throws {
        let user = kind.make()
        let layered = try LayeredStore([.locked(MemoryStore(["b": "1"]), name: "managed"), .writable(user)])
        let log = FeedLog(layered)
        let error = #expect(throws: SettingsError.self) {
            try layered.apply(.init(writes: [write("a", "2"), write("b", "2"), write("c", "2")]))
        }
        #expect(error?.code == .locked && error?.layer == "managed" && error?.key == key("b"))
        for name in ["a", "b", "c"] { #expect(try user.text(name) == nil) }
        #expect(log.take().isEmpty)
        #expect(try layered.apply(.init(writes: [write("a", "2"), write("c", "2")])))
        #expect(try user.text("a") == "2")
    }

    @Test(
        "A disregarded candidate locks nothing, as long as it is the one that is there", arguments: StoreKind.allCases)
    func disregarded(kind: StoreKind) throws {
        let (managed, user) = (kind.make().serialized, MemoryStore())
        try managed.put("a", "bad")
        let layered = try LayeredStore([
            .locked(managed, name: "managed"), .arguments(["--a=bad"]), .writable(user),
        ])
        let locks = try layered.candidates(for: key("a"))
        #expect(locks.count == 2)
        var batch = SettingsStoreBatch(writes: [write("a", "1")])
        batch.options.disregardedLocks["a"] = [locks[0]]
        #expect(thrownCode { try layered.apply(batch) } == .locked)
        batch.options.disregardedLocks["a"] = locks
        #expect(try layered.apply(batch))
        #expect(try user.text("a") == "1")
        try managed.put("a", "good")
        batch.writes = [write("a", "2")]
        #expect(thrownCode { try layered.apply(batch) } == .locked)
        #expect(try user.text("a") == "1")
    }

    @Test("An expectation with candidates fails once any layer has changed", arguments: StoreKind.allCases)
    func expectedCandidates(kind: StoreKind) throws {
        let (user, system) = (MemoryStore(["a": "1"]), kind.make().serialized)
        try system.put("a", "2")
        let layered = try LayeredStore([
            .locked(MemoryStore(), name: "managed"), .writable(user), .fallback(system, name: "system"),
        ])
        let before = try layered.candidates(for: key("a"))
        let batch = SettingsStoreBatch(writes: [write("b", "1")], expectations: [expectation("a", before)])
        #expect(try layered.apply(batch))
        for store in [user, system] as [any SettingsStore] {
            let old = try store.text("a")
            try store.put("a", "9")
            #expect(try !layered.apply(.init(writes: [write("b", "2")], expectations: batch.expectations)))
            try store.put("a", old)
        }
        #expect(try layered.text("b") == "1")
        #expect(try layered.apply(.init(writes: [write("b", "2")], expectations: batch.expectations)))
    }

    @Test("An expectation without candidates compares the bytes in force", arguments: StoreKind.allCases)
    func expectedData(kind: StoreKind) throws {
        let (user, system) = (kind.make(), MemoryStore(["a": "2"]))
        let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
        #expect(try !layered.apply(.init(writes: [write("a", "3")], expectations: [write("a", nil)])))
        #expect(try layered.apply(.init(writes: [write("a", "3")], expectations: [write("a", "2")])))
        #expect(try !layered.apply(.init(writes: [write("a", "4")], expectations: [write("a", "2")])))
        #expect(try layered.summary("a") == "store=3 system=2")
    }

    @Test("A change of the writable layer that is not known yet is noticed when the batch is written")
    func atomicWithTheWritableLayer() throws {
        /// Is changed between the check above it and the write.
        struct Interrupted: SettingsStore {
            let base = MemoryStore(["a": "1"])
            let beforeApply = Box<@Sendable () -> Void>({})
            var feed: SettingsStoreFeed? { base.feed }
            func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
            func keys() -> [String] { base.keys() }
            func apply(_ batch: SettingsStoreBatch) -> Bool {
                beforeApply.take(replacingWith: {})()
                return base.apply(batch)
            }
        }
        let user = Interrupted()
        let layered = try LayeredStore([.writable(user), .fallback(MemoryStore(["a": "5"]), name: "system")])
        let batch = SettingsStoreBatch(
            writes: [write("a", "2")], expectations: [expectation("a", try layered.candidates(for: key("a")))])
        user.beforeApply.value = { user.base.set(key("a"), to: Data("9".utf8)) }
        #expect(try !layered.apply(batch))
        #expect(try layered.summary("a") == "store=9 system=5")
    }

    @Test("Removing the writable layer's value in a batch uncovers the layer below")
    func uncovering() throws {
        let layered = try LayeredStore([
            .writable(MemoryStore(["a": "1", "b": "1"])), .fallback(MemoryStore(["a": "2"]), name: "system"),
        ])
        let log = FeedLog(layered)
        #expect(try layered.apply(.init(writes: [write("a", nil), write("b", nil)])))
        #expect(log.take().sorted() == ["a: store=1 system=2 -> system=2", "b: store=1 -> "])
    }
}
