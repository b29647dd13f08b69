import Foundation
import SettingsKitCore
import Testing

@Suite("Several services on one store")
struct CoherenceTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let text = Setting<String>("text", in: .defaults, default: "")

    @Test(
        "All services see each change by one of them at once, and notify their listeners", arguments: StoreKind.allCases
    )
    func changes(kind: StoreKind) {
        let store = kind.make()
        let services = (0..<3).map { _ in SettingsService.over(store) }
        let lives = services.map { $0.value(number) }
        let twin = Setting<Int>("number", in: .defaults, default: -1)
        let logs = services.map { _ in Recorder<Int>() }
        let subscriptions = zip(services, logs).map { service, log in
            service.observe(number) { log.append($0.newValue) }
        }
        let changes: [(SettingsService) -> Void] = [
            { $0.set(number, to: 1) }, { $0.update(number) { $0 += 1 } }, { $0.transaction { $0.set(number, to: 3) } },
            { $0.reset(number) }, { $0.set(number, to: 5) },
        ]
        for (position, (change, value)) in zip(changes, [1, 2, 3, 0, 5]).enumerated() {
            let writer = services[position % 3]
            change(writer)
            writer.set(text, to: "text \(value)")
            #expect(services.map { $0.get(number) } == [value, value, value])
            #expect(lives.map(\.value) == [value, value, value])
            #expect(services.allSatisfy { $0.get(twin) == (value == 0 ? -1 : value) })
            #expect(services.allSatisfy { $0.get(text) == "text \(value)" })
        }
        if kind != .twoFunctions { services[0].reset(scope: .defaults) } else { services[0].reset(number) }
        #expect(services.map { $0.get(number) } == [0, 0, 0])
        for log in logs { #expect(log.all == [1, 2, 3, 0, 5, 0]) }
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Resetting a scope of a store without a feed is one change set, and notifies other services too")
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

    @Test("A store whose feed may miss something is asked each time")
    func inexhaustiveFeed() {
        let store = MissingStore()
        let settings = SettingsService.over(store)
        settings.set(number, to: 1)
        #expect(settings.get(number) == 1)
        store.base.set(number.key, to: nil)
        #expect(settings.get(number) == 0)
    }
}

/// A store whose feed does not publish every change.
private final class MissingStore: SettingsStore {
    let base = MemoryStore()
    let feed: SettingsStoreFeed? = SettingsStoreFeed(isExhaustive: false)

    func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
}

/// A store without a feed that can list its keys.
private final class ListingStore: SettingsStore {
    private let inner = TwoFunctionStore()

    func get(_ key: SettingsService.StorageKey) throws -> Data? { try inner.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try inner.set(key, to: data) }
    func keys() -> [String] { Array(inner.contents.keys) }
}
