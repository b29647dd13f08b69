import Foundation
import SettingsKitCore
import Testing

@Suite("Callbacks", .timeLimit(Rounds.timeLimit))
struct CallbacksTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)
    private let other = Setting<Int>("other", in: .defaults, default: 0)

    @Test("A callback may get, set, subscribe, cancel and register", arguments: StoreKind.allCases)
    func reentrancy(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        let told = Recorder<Int>()
        let late = Recorder<Int>()
        let own = Box<SettingsService.Subscription?>(nil)
        let inner = Recorder<SettingsService.Subscription>()
        let subscription = settings.observe(number) { [number, other] change in
            told.append(change.newValue)
            #expect(settings.get(number) >= change.newValue)
            guard change.newValue < 5 else { return }
            settings.set(number, to: change.newValue + 1)
            settings.update(other) { $0 += 1 }
            settings.transaction { $0[other] += 1 }
            inner.append(settings.observe(number) { late.append($0.newValue) })
            _ = settings.values(of: number)
            _ = settings.value(other).value
            settings.register(MemoryStore(), for: .custom(id: "\(change.newValue)"))
            settings.reset(scope: .shared)
            if change.newValue == 3 { own.take(replacingWith: nil)?.cancel() }
        }
        own.value = subscription
        settings.set(number, to: 1)
        #expect(told.all == [1, 2, 3])
        #expect(settings.get(number) == 4)
        #expect(settings.get(other) == 6)
        #expect(late.all == [3, 4, 4])
        for subscription in inner.all { subscription.cancel() }
    }

    @Test("No callback after cancel, nor after the subscription has gone; cancelling twice is fine")
    func cancel() {
        let settings = SettingsService.over(MemoryStore())
        let told = Recorder<Int>()
        let kept = settings.observe(number) { told.append($0.newValue) }
        do {
            let dropped = settings.observe(number) { told.append(-$0.newValue) }
            settings.set(number, to: 1)
            withExtendedLifetime(dropped) {}
        }
        settings.set(number, to: 2)
        kept.cancel()
        kept.cancel()
        settings.set(number, to: 3)
        #expect(told.all == [1, -1, 2])
    }

    @Test(
        "Subscriptions and live values keep their service and setting until they end; iterators and streams let it go")
    func lifetimes() async {
        weak var service: SettingsService?
        weak var setting: Setting<Int>?
        let store = MemoryStore()
        let told = Recorder<Int>()
        var subscription: SettingsService.Subscription?
        var live: SettingsService.Value<Int>?
        do {
            let settings = SettingsService.over(store)
            let dynamic = Setting<Int>("number", in: .defaults, default: 1)
            (service, setting) = (settings, dynamic)
            subscription = settings.observe(dynamic) { told.append($0.newValue) }
            live = settings.value(dynamic)
            var values = settings.values(of: dynamic).makeAsyncIterator()
            _ = await values.next()
            _ = (settings.changes(of: dynamic), settings.changes())
        }
        SettingsService.over(store).set(number, to: 4)
        #expect(told.all == [4] && live?.value == 4)
        live = nil
        #expect(service != nil && setting != nil)
        subscription?.cancel()
        #expect(service == nil && setting == nil)
    }
}
