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

    @Test("Replacing a store publishes differences, and values come from the new store", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) throws {
        let (before, after) = (try store(kind, 1), try store(kind, 2))
        let settings = SettingsService.over(before)
        let (log, sets) = (Recorder<String>(), Recorder<SettingsService.ChangeSet>())
        let subscriptions = [
            settings.observe(number) { log.append("\($0.oldValue)-\($0.newValue) \($0.origin)") },
            settings.observe(text) { _ in log.append("text") },
            settings.observe(number, text) { sets.append($0) },
        ]
        #expect(settings.get(number) == 1)
        settings.register(after, for: .defaults)
        #expect(settings.get(number) == 2)
        let equal = try store(kind, 2)
        for _ in 0..<2 { settings.register(equal, for: .defaults) }
        #expect(log.all == ["1-2 external"])
        #expect(sets.all.map(\.keys) == [[number.key]] && sets.all.first?.origin == .external)
        settings.set(number, to: 3)
        #expect(log.all == ["1-2 external", "2-3 local"])
        #expect(try before.get(number.key) == Data("1".utf8))
        SettingsService.over(before).set(number, to: 9)
        SettingsService.over(after).set(number, to: 9)
        #expect(settings.get(number) == 3)
        #expect(log.count == 2)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("While the old store is read, a listener to several settings may begin, and another store come")
    func interrupted() {
        let interruption = Box<@Sendable () -> Void>({})
        let before = TwoFunctionStore(
            ["number": Data("1".utf8)], willGet: { _ in interruption.take(replacingWith: {})() })
        let (problems, sets) = (Recorder<SettingsError>(), Recorder<Set<String>>())
        let settings = SettingsService.over(before, problems)
        let subscriptions = Recorder<SettingsService.Subscription>()
        subscriptions.append(settings.observe(number) { _ in })
        interruption.value = { [number, text] in
            subscriptions.append(settings.observe(number, text) { sets.append(Set($0.keys.map(\.name))) })
        }
        settings.register(TwoFunctionStore(["number": Data("2".utf8)]), for: .defaults)
        #expect(sets.all == [["number"]])
        let third = FeedStore(["number": Data("3".utf8)])
        settings.register(before, for: .defaults)
        interruption.value = { settings.register(third, for: .defaults) }
        settings.register(FeedStore(["number": Data("4".utf8)]), for: .defaults)
        #expect(settings.get(number) == 4)
        // A store that was replaced has no listeners.
        third.report(SettingsError(.writeFailed))
        #expect(problems.count == 0)
        for subscription in subscriptions.all { subscription.cancel() }
    }

    @Test("A listener that begins between two replacements that wait is notified of the second one")
    func listenerBetweenReplacements() {
        let store = FeedStore(["number": Data("1".utf8)])
        let settings = SettingsService.over(store)
        let changes = Recorder<String>()
        let subscriptions = Recorder<SettingsService.Subscription>()
        subscriptions.append(settings.observe(number) { _ in })
        settings.whileDelivering { [number] in
            settings.register(FeedStore(["number": Data("2".utf8)]), for: .defaults)
            subscriptions.append(settings.observe(number) { changes.append("\($0.oldValue)-\($0.newValue)") })
            settings.register(store, for: .defaults)
        }
        #expect(changes.all == ["2-1"])
        for subscription in subscriptions.all { subscription.cancel() }
    }

    @Test("A store that is connected inside a listener is in force, however many changes wait")
    func pendingChanges() async throws {
        let settings = SettingsService.over(MemoryStore())
        let log = Recorder<[Int]>()
        let subscription = settings.observe(number, log.chain())
        settings.whileDelivering { [number] in
            for round in 1...1_100 {
                settings.set(number, to: round)
                if round % 100 > 0 { continue }
                settings.register(MemoryStore(["number": "\(-round)"]), for: .defaults)
                #expect(settings.get(number) == -round)
            }
        }
        try await until { log.all.last?.last == -1_100 }
        log.expectChain(from: 0)
        subscription.cancel()
    }
}
