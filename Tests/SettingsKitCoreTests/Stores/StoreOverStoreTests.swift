import Foundation
import SettingsKitCore
import SettingsTestKit
import Testing

/// Answers some names from a table, and all others from another store.
private final class OverrideStore: SettingsStore {
    private let base: any SettingsStore
    private let overrides: [String: Data]
    private let ownFeed: SettingsStoreFeed
    private let subscription: SettingsService.Subscription?

    init(_ overrides: [String: Data], over store: any SettingsStore) {
        let base = store.serialized
        let feed = SettingsStoreFeed(
            isExhaustive: base.feed?.isExhaustive ?? false)
        (self.base, self.overrides, ownFeed) = (base, overrides, feed)
        subscription = base.feed?.observe(publishingOn: feed) {
            let shown = $0.filter { overrides[$0.name] == nil }
            feed.publish(shown, origin: $1)
        }
    }

    var feed: SettingsStoreFeed? { ownFeed }
    var storeDescription: String {
        "OverrideStore over \(base.storeDescription)"
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        try overrides[key.name] ?? base.get(key)
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try base.set(key, to: data)
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        var batch = batch
        for expectation in batch.expectations {
            guard let override = overrides[expectation.key.name] else {
                continue
            }
            if override != expectation.data { return false }
        }
        batch.expectations.removeAll { overrides[$0.key.name] != nil }
        return try base.apply(batch)
    }

    func keys() throws -> [String] {
        Array(Set(try base.keys()).union(overrides.keys))
    }

    func removeAll() throws { try base.removeAll() }

    func synchronize() throws { try base.synchronize() }
}

@Suite("A store over a store", .ownThreads)
struct StoreOverStoreTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let other = Setting<Int>("other", in: .defaults, default: 0)
    private let overrides = ["number": Data("7".utf8)]

    @Test(
        "An override stays in force, and changes of the others, also those made below, are published once",
        arguments: StoreKind.allCases)
    func changes(kind: StoreKind) throws {
        let base = kind.make()
        let settings = SettingsService.over(OverrideStore(overrides, over: base))
        let direct = SettingsService.over(base)
        let (told, others, sets) = (Recorder<Int>(), Recorder<[Int]>(), Recorder<Set<String>>())
        let subscriptions = [
            settings.observe(number) { told.append($0.newValue) }, settings.observe(other, others.chain()),
            settings.observe(in: .defaults) { sets.append(Set($0.keys.map(\.name))) },
        ]
        settings.set(number, to: 1)
        #expect(try settings.get(number) == 7 && base.get(number.key) == Data("1".utf8))
        #expect(settings.update(number) { $0 } == 7)
        settings.set(other, to: 1)
        direct.set(other, to: 2)
        base.set(other, to: 3)
        direct.transaction { t in
            t.set(number, to: 4)
            t.set(other, to: 4)
        }
        #expect(settings.get(number) == 7 && settings.get(other) == 4 && direct.get(number) == 4)
        #expect(told.all.isEmpty && others.all == [[0, 1], [1, 2], [2, 3], [3, 4]])
        #expect(sets.all == Array(repeating: ["other"], count: 4))
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A change from outside and an error of the store below reach the service")
    func outside() {
        let base = FeedStore()
        let problems = Recorder<SettingsError>()
        base.report(SettingsError(.notSaved))
        let settings = SettingsService.over(OverrideStore(overrides, over: base), problems)
        let told = Recorder<String>()
        let subscription = settings.observe(other) { told.append("\($0.newValue) \($0.origin)") }
        #expect(settings.get(other) == 0)
        base.changeFromOutside([("other", "5"), ("number", "5")])
        #expect(told.all == ["5 external"])
        #expect(settings.get(other) == 5 && settings.get(number) == 7)
        base.report(SettingsError(.readFailed))
        #expect(problems.all.map(\.code) == [.notSaved, .readFailed])
        subscription.cancel()
    }

    @Test("An observation ends with its subscription, and keeps no store alive")
    func lifetime() {
        let base = MemoryStore()
        let observed = Recorder<String>()
        let subscription = base.feed?.observe { changes, origin in
            observed.append("\(changes.map(\.name)) \(origin)")
        }
        base.set(number.key, to: Data("1".utf8))
        subscription?.cancel()
        base.set(number.key, to: Data("2".utf8))
        #expect(observed.all == [#"["number"] local"#])
        weak var store: OverrideStore?
        do {
            let over = OverrideStore(overrides, over: base)
            store = over
            _ = SettingsService.over(over).get(number)
        }
        #expect(store == nil)
    }

    @Test("The serialized store is one for each store object, and is the store itself if that has a feed")
    func serialized() {
        let (bare, feeding) = (TwoFunctionStore(), MemoryStore())
        let serialized = bare.serialized
        #expect(serialized.feed != nil && serialized.feed === bare.serialized.feed)
        #expect(serialized.feed !== TwoFunctionStore().serialized.feed)
        #expect(feeding.serialized.feed === feeding.feed)
    }

    /// A store without a feed that writes to another one.
    private final class PassingStore: SettingsStore {
        private let base: any SettingsStore
        init(over base: any SettingsStore) { self.base = base }
        func get(_ key: SettingsService.StorageKey) throws -> Data? { try base.get(key) }
        func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try base.set(key, to: data) }
    }

    @Test("No lock of a store without a feed is held while listeners to the store below run, however deep they lie")
    func noLockIsHeld() {
        let base = MemoryStore()
        let middle = PassingStore(over: base)
        let upper = SettingsService.over(PassingStore(over: middle.serialized))
        let services = [SettingsService.over(base), .over(middle), upper]
        let results = Recorder<DispatchTimeoutResult>()
        let subscriptions = services.map { service in
            service.observe(number) { [other] _ in
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    upper.update(other) { $0 += 1 }
                    isDone.signal()
                }
                results.append(isDone.wait(timeout: .now() + 10))
            }
        }
        upper.set(number, to: 1)
        #expect(results.all == [.success, .success, .success])
        #expect(upper.get(other) == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A store over a store keeps the contract", arguments: StoreKind.allCases)
    func conformance(kind: StoreKind) async {
        let report = await StoreConformance { OverrideStore([:], over: kind.make()) }.run()
        #expect(report.failures.isEmpty, "\(report)")
    }
}
