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

    @Test("A subscription keeps its service alive, and lets it go")
    func lifetimes() {
        weak var service: SettingsService?
        let store = MemoryStore()
        let told = Recorder<Int>()
        var subscription: SettingsService.Subscription?
        do {
            let settings = SettingsService.over(store)
            service = settings
            subscription = settings.observe(number) { told.append($0.newValue) }
        }
        #expect(service != nil)
        SettingsService.over(store).set(number, to: 4)
        #expect(told.all == [4])
        subscription?.cancel()
        #expect(service == nil)
        subscription = nil
    }

    @Test("A callback that cancels another spares it the change under way")
    func cancelOther() {
        let settings = SettingsService.over(MemoryStore())
        let told = Recorder<Int>()
        let victim = Box<SettingsService.Subscription?>(nil)
        let killer = settings.observe(number) { _ in victim.take(replacingWith: nil)?.cancel() }
        victim.value = settings.observe(number) { told.append($0.newValue) }
        settings.set(number, to: 1)
        #expect(told.all.isEmpty)
        killer.cancel()
    }

    @Test("A listener cancelled while its change is being decoded is not called")
    func cancelDuringDecoding() {
        let store = MemoryStore()
        let victim = Box<SettingsService.Subscription?>(nil)
        let setting = Setting<String>(
            "hooked", in: .defaults, default: "",
            transformer: HookedTransformer(onUntransform: { _ in victim.take(replacingWith: nil)?.cancel() }))
        let told = Recorder<String>()
        let settings = SettingsService.over(store)
        victim.value = settings.observe(setting) { told.append($0.newValue) }
        store.set(setting.key, to: Data("\"x\"".utf8))
        #expect(told.all.isEmpty)
    }

    /// Reads and writes a setting as it goes.
    private final class LastWords: Sendable {
        let say: @Sendable () -> Void
        init(_ say: @escaping @Sendable () -> Void) { self.say = say }
        deinit { say() }
    }

    @Test("Objects held by a cancelled listener are released without a lock held", arguments: [true, false])
    func lastWords(isGroup: Bool) async {
        await #expect(processExitsWith: .success) { [isGroup] in
            let settings = SettingsService.over(MemoryStore())
            let number = Setting<Int>("number", in: .defaults, default: 0)
            let epitaph = Setting<Int>("epitaph", in: .defaults, default: 0)
            let own = Box<SettingsService.Subscription?>(nil)
            func subscribe() -> SettingsService.Subscription {
                let words = LastWords {
                    settings.set(epitaph, to: settings.get(epitaph) + 1)
                }
                let body: @Sendable () -> Void = {
                    withExtendedLifetime(words) { own.take(replacingWith: nil)?.cancel() }
                }
                if isGroup { return settings.observe(in: .defaults) { _ in body() } }
                return settings.observe(number) { _ in body() }
            }
            own.value = subscribe()
            settings.set(number, to: 1)
            if settings.get(epitaph) != 1 { exit(3) }
        }
    }

    @Test("The sink is called without a lock")
    func sinkWithoutLock() async {
        await #expect(processExitsWith: .success) {
            let service = Box<SettingsService?>(nil)
            let breaksReads = Box(false)
            let a = Setting<Int>("a", in: .defaults, default: 0)
            let b = Setting<Int>("b", in: .defaults, default: 0)
            let store = TwoFunctionStore(
                willGet: { _ in if breaksReads.value { throw StoreBroken() } },
                willSet: { key, _ in if key.name == "a" { breaksReads.value = true } })
            let settings = SettingsService(
                stores: [.defaults: store],
                diagnosticSink: .init { _ in
                    breaksReads.value = false
                    let isDone = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        service.value?.set(b, to: 1)
                        isDone.signal()
                    }
                    if isDone.wait(timeout: .now() + 10) == .timedOut { exit(3) }
                })
            service.value = settings
            settings.transaction { $0.set(a, to: 1) }
        }
    }
}
