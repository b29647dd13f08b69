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
        "An override stays in force after the setting is set, and its listeners are not notified",
        arguments: StoreKind.allCases)
    func overrideStays(kind: StoreKind) throws {
        let base = kind.make()
        let settings = SettingsService.over(OverrideStore(overrides, over: base))
        let told = Recorder<Int>()
        let subscription = settings.observe(number) { told.append($0.newValue) }
        #expect(settings.get(number) == 7)
        for value in 1...3 {
            settings.set(number, to: value)
            #expect(settings.get(number) == 7)
            #expect(try base.get(number.key) == Data("\(value)".utf8))
        }
        #expect(settings.update(number) { $0 } == 7)
        #expect(told.all.isEmpty)
        subscription.cancel()
    }

    @Test("Changes of the other settings are published once, also those made below", arguments: StoreKind.allCases)
    func othersArePublished(kind: StoreKind) {
        let base = kind.make()
        let (settings, direct) = (
            SettingsService.over(OverrideStore(overrides, over: base)), SettingsService.over(base)
        )
        let (told, sets) = (Recorder<[Int]>(), Recorder<Set<String>>())
        let subscriptions = [
            settings.observe(other) { told.append([$0.oldValue, $0.newValue]) },
            settings.observe(in: .defaults) { sets.append(Set($0.keys.map(\.name))) },
        ]
        settings.set(other, to: 1)
        direct.set(other, to: 2)
        base.set(other, to: 3)
        direct.transaction { [number, other] transaction in
            transaction.set(number, to: 4)
            transaction.set(other, to: 4)
        }
        #expect(settings.get(other) == 4 && direct.get(number) == 4)
        #expect(told.all == [[0, 1], [1, 2], [2, 3], [3, 4]])
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

    @Test("A store that observes without publishing leaves errors to those who receive them")
    func errorsWait() {
        let base = FeedStore()
        let observation = base.feed?.observe { _, _ in }
        base.report(SettingsError(.notSaved))
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(base, problems)
        #expect(problems.all.map(\.code) == [.notSaved])
        withExtendedLifetime(settings) {}
        observation?.cancel()
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

    @Test("What a listener below sets above comes after the change that it was notified of")
    func nestedSets() {
        let base = MemoryStore()
        let (upper, lower) = (SettingsService.over(PassingStore(over: base)), SettingsService.over(base))
        let told = Recorder<[Int]>()
        let subscriptions = [
            lower.observe(number) { [number] in if $0.newValue < 3 { upper.set(number, to: $0.newValue + 1) } },
            upper.observe(number) { told.append([$0.oldValue, $0.newValue]) },
        ]
        upper.set(number, to: 1)
        #expect(told.all == [[0, 1], [1, 2], [2, 3]])
        #expect(upper.get(number) == 3)
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Does something between its publication of a change and the flush.
    private final class PausingStore: SettingsStore {
        private let base = MemoryStore()
        private let ownFeed = SettingsStoreFeed()
        private let lock = Mutex(())
        let beforeFlush = Box<@Sendable () -> Void>({})

        var feed: SettingsStoreFeed? { ownFeed }

        func get(_ key: SettingsService.StorageKey) -> Data? { base.get(key) }

        func set(_ key: SettingsService.StorageKey, to data: Data?) {
            lock.withLock { _ in
                let old = base.get(key)
                base.set(key, to: data)
                ownFeed.publish([.init(name: key.name, from: old, to: data)], origin: .local)
            }
            beforeFlush.take(replacingWith: {})()
            ownFeed.flush()
        }
    }

    /// Writes to another store, and then waits inside its own write.
    private struct WaitingStore: SettingsStore {
        let below: PausingStore
        let hasWritten = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)

        func get(_ key: SettingsService.StorageKey) throws -> Data? { nil }

        func set(_ key: SettingsService.StorageKey, to data: Data?) {
            below.set(key, to: data)
            hasWritten.signal()
            mayEnd.wait()
        }
    }

    @Test("A listener runs before its setting's set returns, also while another thread is inside a store above")
    func flushBelow() {
        let below = PausingStore()
        let above = WaitingStore(below: below)
        let (upper, lower) = (SettingsService.over(above), SettingsService.over(below))
        let told = Recorder<Int>()
        let subscription = lower.observe(number) { told.append($0.newValue) }
        let hasEnded = DispatchSemaphore(value: 0)
        below.beforeFlush.value = { [other] in
            Thread.detachNewThread {
                upper.set(other, to: 1)
                hasEnded.signal()
            }
            above.hasWritten.wait()
        }
        lower.set(number, to: 1)
        #expect(told.all == [1])
        above.mayEnd.signal()
        hasEnded.wait()
        subscription.cancel()
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

    @Test("Even a store that passes on the feed below reads its own answer after a set")
    func passedOnFeed() {
        struct PassingStore: SettingsStore {
            let base = MemoryStore()

            var feed: SettingsStoreFeed? { base.feed }
            func get(_ key: SettingsService.StorageKey) -> Data? { Data("7".utf8) }
            func set(_ key: SettingsService.StorageKey, to data: Data?) { base.set(key, to: data) }
        }
        let settings = SettingsService.over(PassingStore())
        settings.set(number, to: 1)
        #expect(settings.get(number) == 7)
    }
}

@Suite("A store over a store (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct StoreOverStoreConcurrencyTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test("Writers to both stores have one order, and listeners end on the stored value", arguments: StoreKind.allCases)
    func oneOrder(kind: StoreKind) async throws {
        let base = kind.make()
        let services = [SettingsService.over(OverrideStore([:], over: base)), SettingsService.over(base)]
        let logs = services.map { _ in Recorder<[Int]>() }
        let subscriptions = zip(services, logs).map { service, log in
            service.observe(number) { log.append([$0.oldValue, $0.newValue]) }
        }
        inParallel(4) { thread in
            for round in 1...300 {
                let service = services[thread % 2]
                if round % 3 == 0 {
                    service.update(number) { $0 += 1 }
                } else {
                    service.set(number, to: thread * 1_000 + round)
                }
            }
        }
        services[1].set(number, to: -1)
        try await until { logs.allSatisfy { $0.all.last?.last == -1 } }
        for log in logs {
            for (one, next) in zip(log.all, log.all.dropFirst()) where one[1] != next[0] {
                Issue.record("after \(one) came \(next)")
            }
        }
        #expect(services.map { $0.get(number) } == [-1, -1])
        for subscription in subscriptions { subscription.cancel() }
    }
}
