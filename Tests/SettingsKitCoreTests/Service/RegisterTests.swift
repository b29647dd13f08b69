import Foundation
import SettingsKitCore
import Testing

@Suite("Replacing a store")
struct RegisterTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let text = Setting<String>("text", in: .defaults, default: "")

    private func store(_ kind: StoreKind, _ value: Int) throws -> any SettingsStore {
        let store = kind.make()
        try store.set(number.key, to: Data("\(value)".utf8))
        return store
    }

    @Test("listeners are told of what differs, values come from the new store", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) throws {
        let (before, after) = (try store(kind, 1), try store(kind, 2))
        let settings = SettingsService.over(before)
        let log = Recorder<String>()
        let subscriptions = [
            settings.observe(number) { log.append("\($0.oldValue)-\($0.newValue) \($0.origin)") },
            settings.observe(text) { _ in log.append("text") },
        ]
        #expect(settings.get(number) == 1)
        settings.register(after, for: .defaults)
        #expect(settings.get(number) == 2)
        settings.register(try store(kind, 2), for: .defaults)
        #expect(log.all == ["1-2 external"])
        settings.set(number, to: 3)
        #expect(log.all == ["1-2 external", "2-3 local"])
        #expect(try before.get(number.key) == Data("1".utf8))
        SettingsService.over(before).set(number, to: 9)
        SettingsService.over(after).set(number, to: 9)
        #expect(settings.get(number) == 3)
        #expect(log.count == 2)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("a store for a scope that had none makes its settings work, and tells")
    func added() throws {
        let settings = SettingsService(stores: [:], diagnosticSink: .none)
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        #expect(settings.get(number) == 0)
        settings.register(try store(.memory, 5), for: .defaults)
        #expect(settings.get(number) == 5)
        #expect(told.all == [5])
        subscription.cancel()
    }

    @Test("listeners to several settings are told of a new store", arguments: StoreKind.allCases)
    func groups(kind: StoreKind) throws {
        let settings = SettingsService.over(try store(kind, 1))
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscription = settings.observe(number, text) { sets.append($0) }
        settings.register(try store(kind, 2), for: .defaults)
        #expect(sets.all.map(\.keys) == [[number.key]])
        #expect(sets.all.first?.origin == .external)
        subscription.cancel()
    }

    @Test("registering the same store again tells nobody and breaks nothing", arguments: StoreKind.allCases)
    func same(kind: StoreKind) throws {
        let store = try store(kind, 1)
        let settings = SettingsService.over(store)
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        settings.register(store, for: .defaults)
        settings.register(store, for: .defaults)
        #expect(told.all.isEmpty)
        settings.set(number, to: 2)
        #expect(told.all == [2])
        subscription.cancel()
    }

    @Test("one store may serve two scopes")
    func twoScopes() {
        let store = MemoryStore()
        let settings = SettingsService(stores: [.defaults: store, .shared: store], diagnosticSink: .none)
        let elsewhere = Setting<Int>("number", in: .shared, default: 0)
        settings.set(number, to: 4)
        #expect(settings.get(elsewhere) == 4)
    }
}
