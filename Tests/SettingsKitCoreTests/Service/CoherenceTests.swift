import Foundation
import SettingsKitCore
import Testing

@Suite("Several services on one store")
struct CoherenceTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let text = Setting<String>("text", in: .defaults, default: "")

    @Test("All services see a change by one of them at once", arguments: StoreKind.allCases)
    func setIsSeen(kind: StoreKind) {
        let store = kind.make()
        let services = (0..<3).map { _ in SettingsService.over(store) }
        let lives = services.map { $0.value(number) }
        let twin = Setting<Int>("number", in: .defaults, default: -1)
        for round in 1...60 {
            let writer = services[round % 3]
            writer.set(number, to: round)
            writer.set(text, to: "text \(round)")
            #expect(services.map { $0.get(number) } == [round, round, round])
            #expect(services.map { $0.get(twin) } == [round, round, round])
            #expect(lives.map(\.value) == [round, round, round])
            #expect(services.map { $0.get(text) } == Array(repeating: "text \(round)", count: 3))
        }
        services[0].reset(number)
        #expect(services.map { $0.get(number) } == [0, 0, 0])
        #expect(services.map { $0.get(twin) } == [-1, -1, -1])
    }

    @Test("Listeners of every service on a store are notified of a change", arguments: StoreKind.allCases)
    func listenersElsewhere(kind: StoreKind) {
        let store = kind.make()
        let writer = SettingsService.over(store)
        let others = (0..<2).map { _ in SettingsService.over(store) }
        let told = Recorder<Int>()
        let subscriptions = others.map { $0.observe(number) { told.append($0.newValue) } }
        writer.set(number, to: 1)
        writer.update(number) { $0 += 1 }
        writer.transaction { $0.set(number, to: 3) }
        writer.reset(number)
        #expect(told.all.sorted() == [0, 0, 1, 1, 2, 2, 3, 3])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Resetting a scope notifies the listeners of every service", arguments: [StoreKind.memory, .feed, .cache])
    func resetScopeElsewhere(kind: StoreKind) {
        let store = kind.make()
        let (resetter, listener) = (SettingsService.over(store), SettingsService.over(store))
        listener.set(number, to: 1)
        let told = Recorder<Int>()
        let subscription = listener.observe(number) { told.append($0.newValue) }
        resetter.reset(scope: .defaults)
        #expect(told.all == [0])
        #expect(listener.get(number) == 0)
        subscription.cancel()
    }

    @Test("Resetting a scope of a store without a feed notifies other services too")
    func resetScopeWithoutFeed() {
        let store = ListingStore()
        let (resetter, listener) = (SettingsService.over(store), SettingsService.over(store))
        listener.set(number, to: 1)
        listener.set(text, to: "x")
        let (told, sets) = (Recorder<Int>(), Recorder<Int>())
        let subscription = listener.observe(number) { told.append($0.newValue) }
        let group = resetter.observe(in: .defaults) { sets.append($0.keys.count) }
        resetter.reset(scope: .defaults)
        #expect(told.all == [0])
        #expect(sets.all == [2])
        #expect(store.keys().isEmpty)
        subscription.cancel()
        group.cancel()
    }

    @Test("A struct that is a store works, though each copy is its own")
    func valueTypeStore() {
        let inner = MemoryStore()
        let (one, other) = (SettingsService.over(Wrapper(inner: inner)), SettingsService.over(Wrapper(inner: inner)))
        one.set(number, to: 3)
        #expect(other.get(number) == 3)
        other.set(number, to: 4)
        #expect(one.get(number) == 4)
    }

    @Test("A store from a feed that may miss something is asked each time")
    func inexhaustiveFeed() {
        let cache = MissingStore()
        let settings = SettingsService.over(cache)
        settings.set(number, to: 1)
        #expect(settings.get(number) == 1)
        cache.lose(number.key)
        #expect(settings.get(number) == 0)
    }
}

/// A store whose feed does not publish every change.
private final class MissingStore: SettingsStore {
    private let base = MemoryStore()
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)

    var feed: SettingsStoreFeed? { ownFeed }
    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) -> Bool { base.apply(batch) }
    func lose(_ key: SettingsService.StorageKey) { base.set(key, to: nil) }
}

/// A store without a feed that can list its keys.
private final class ListingStore: SettingsStore {
    private let inner = TwoFunctionStore()

    func get(_ key: SettingsService.StorageKey) throws -> Data? { try inner.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try inner.set(key, to: data) }
    func keys() -> [String] { Array(inner.contents.keys) }
}

private struct Wrapper: SettingsStore {
    let inner: MemoryStore

    func get(_ key: SettingsService.StorageKey) throws -> Data? { inner.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { inner.set(key, to: data) }
}
