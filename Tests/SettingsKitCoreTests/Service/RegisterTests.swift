import Foundation
import Observation
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

    @Test("Registering a store for a scope without one makes its settings work, and notifies listeners")
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

    @Test("Replacing a store notifies listeners to several settings", arguments: StoreKind.allCases)
    func groups(kind: StoreKind) throws {
        let settings = SettingsService.over(try store(kind, 1))
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscription = settings.observe(number, text) { sets.append($0) }
        settings.register(try store(kind, 2), for: .defaults)
        #expect(sets.all.map(\.keys) == [[number.key]])
        #expect(sets.all.first?.origin == .external)
        subscription.cancel()
    }

    @Test("Registering the same store again notifies no listener and breaks nothing", arguments: StoreKind.allCases)
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

    @Test("A change to the old store while it is being replaced is not lost")
    func changedMeanwhile() throws {
        let (one, two) = (number, Setting<Int>("two", in: .defaults, default: 0))
        let contents = ["number": Data("1".utf8), "two": Data("1".utf8)]
        let rival = Box<SettingsService?>(nil)
        // Each reading of one setting resets the other: the one that is read first has changed by the time of the replacement.
        let before = FeedStore(contents, willGet: { key in rival.value?.reset(key.name == "two" ? one : two) })
        let settings = SettingsService.over(before)
        let (told, sets) = (Recorder<String>(), Recorder<Set<String>>())
        let subscriptions = [
            settings.observe(one) { told.append("one \($0.oldValue)-\($0.newValue)") },
            settings.observe(two) { told.append("two \($0.oldValue)-\($0.newValue)") },
            settings.observe(one, two) { sets.append(Set($0.keys.map(\.name))) },
        ]
        rival.value = SettingsService.over(before)
        settings.register(FeedStore(contents), for: .defaults)
        rival.value = nil
        #expect(told.all.sorted() == ["one 0-1", "one 1-0", "two 0-1", "two 1-0"])
        #expect(sets.all.last == ["number", "two"])
        #expect(settings.get(one) == 1 && settings.get(two) == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("After an undecodable edit, listeners receive the last good value as the old one", arguments: [true, false])
    func undecodableMeanwhile(isPending: Bool) {
        let trigger = Setting<Int>("trigger", in: .defaults, default: 0)
        let before = FeedStore(["number": Data("3".utf8)])
        let settings = SettingsService.over(before)
        let told = Recorder<String>()
        let replace: @Sendable () -> Void = {
            before.changeFromOutside([("number", "oops")])
            settings.register(FeedStore(["number": Data("9".utf8)]), for: .defaults)
        }
        let subscriptions = [
            settings.observe(number) { told.append("\($0.oldValue)-\($0.newValue)") },
            settings.observe(trigger) { if $0.newValue == 1 { replace() } },
        ]
        // Inside a listener, the edit still waits for its delivery when the store is replaced.
        if isPending { settings.set(trigger, to: 1) } else { replace() }
        #expect(told.all == ["3-9"])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("An observer that has read an unpublished change after a replacement is notified of the change back")
    func changedBack() {
        let after = TwoFunctionStore(["number": Data("1".utf8)])
        let settings = SettingsService.over(TwoFunctionStore(["number": Data("1".utf8)]))
        let live = settings.value(number)
        let isNotified = Box(false)
        func track(_ value: Int) {
            isNotified.value = false
            withObservationTracking {
                #expect(live.value == value)
            } onChange: {
                isNotified.value = true
            }
        }
        track(1)
        settings.register(after, for: .defaults)
        after.poke("number", "2")
        track(2)
        settings.set(number, to: 1)
        #expect(isNotified.value)
        #expect(live.value == 1)
    }

    @Test("An observer that has read an unpublished change is notified when another store takes the place")
    func unpublishedChange() {
        let before = TwoFunctionStore(["number": Data("0".utf8)])
        let settings = SettingsService.over(before)
        let live = settings.value(number)
        let changes = Recorder<Int>()
        let subscription = settings.observe(number) { changes.append($0.newValue) }
        settings.set(number, to: 1)
        before.poke("number", "2")
        let isNotified = Box(false)
        withObservationTracking {
            #expect(live.value == 2)
        } onChange: {
            isNotified.value = true
        }
        settings.register(TwoFunctionStore(["number": Data("1".utf8)]), for: .defaults)
        #expect(isNotified.value)
        // Listeners to every change were notified of 1 last, and it is stored.
        #expect(changes.all == [1])
        subscription.cancel()
    }

    @Test("A change that a newly connected store is about to publish is delivered once")
    func beingPublished() {
        let gate = DispatchSemaphore(value: 0)
        let isStored = DispatchSemaphore(value: 0)
        let after = TwoFunctionStore(["number": Data("1".utf8)])
        // It has stored the value, and returns from its function later.
        let slow = SlowStore(after) {
            isStored.signal()
            gate.wait()
        }
        let settings = SettingsService.over(TwoFunctionStore(["number": Data("0".utf8)]))
        let changes = Recorder<[Int]>()
        let subscription = settings.observe(number) { changes.append([$0.oldValue, $0.newValue]) }
        let other = SettingsService.over(slow)
        inParallel(2) { thread in
            if thread == 0 { return other.set(number, to: 2) }
            isStored.wait()
            settings.register(slow, for: .defaults)
            gate.signal()
        }
        #expect(changes.all == [[0, 2]])
        // What another program has stored since is not known.
        after.poke("number", "1")
        gate.signal()
        settings.set(number, to: 3)
        #expect(changes.all == [[0, 2], [1, 3]])
        subscription.cancel()
    }

    @Test("One store may serve two scopes")
    func twoScopes() {
        let store = MemoryStore()
        let settings = SettingsService(stores: [.defaults: store, .shared: store], diagnosticSink: .none)
        let elsewhere = Setting<Int>("number", in: .shared, default: 0)
        settings.set(number, to: 4)
        #expect(settings.get(elsewhere) == 4)
    }
}

/// A store of two functions that calls a closure between storing a value and returning.
private final class SlowStore: SettingsStore {
    private let base: TwoFunctionStore
    private let didStore: @Sendable () -> Void

    init(_ base: TwoFunctionStore, didStore: @escaping @Sendable () -> Void) {
        (self.base, self.didStore) = (base, didStore)
    }

    func get(_ key: SettingsService.StorageKey) throws -> Data? { try base.get(key) }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try base.set(key, to: data)
        didStore()
    }
}
