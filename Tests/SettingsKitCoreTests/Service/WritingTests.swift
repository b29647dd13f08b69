import Foundation
import Observation
import SettingsKitCore
import Testing

@Suite("Writing")
struct WritingTests {
    private let ratio = Setting<Double>("ratio", in: .defaults, default: 0.5)
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test("A value that cannot be encoded leaves the old one", arguments: StoreKind.allCases)
    func unencodable(kind: StoreKind) throws {
        let problems = Recorder<SettingsError>()
        let store = kind.make()
        let settings = SettingsService.over(store, problems)
        let told = Recorder<Double>()
        settings.set(ratio, to: 0.75)
        let subscription = settings.observe(ratio) { told.append($0.newValue) }
        for bad in [Double.nan, .infinity, -.infinity] {
            settings.set(ratio, to: bad)
            settings[ratio] = bad
            settings.update(ratio) { $0 = bad }
            settings.transaction { $0.set(ratio, to: bad) }
            #expect(settings.get(ratio) == 0.75)
            #expect(try store.get(ratio.key) == Data("0.75".utf8))
        }
        #expect(problems.all.map(\.code) == Array(repeating: .encodingFailed, count: 12))
        #expect(problems.all.allSatisfy { $0.key == ratio.key })
        #expect(told.all.isEmpty)
        subscription.cancel()
    }

    @Test("Save throws what set diagnoses, and a catch by code matches")
    func saveThrows() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(MemoryStore(), problems)
        var caught = false
        do {
            try settings.save(ratio, to: .nan)
        } catch SettingsError.Code.noStore {
            Issue.record("the wrong code matched")
        } catch SettingsError.Code.encodingFailed {
            caught = true
        }
        #expect(caught)
        #expect(problems.all.isEmpty)
        try settings.save(ratio, to: 0.25)
        #expect(settings.get(ratio) == 0.25)
    }

    @Test("A failing store: set diagnoses each time, save throws, the old value stays", arguments: [true, false])
    func failingStore(hasFeed: Bool) throws {
        let problems = Recorder<SettingsError>()
        let isBroken = Box(false)
        let check: @Sendable () throws -> Void = { if isBroken.value { throw StoreBroken() } }
        let store: any SettingsStore =
            hasFeed
            ? FeedStore(willWrite: { _ in try check() }) : TwoFunctionStore(willSet: { _, _ in try check() })
        let settings = SettingsService.over(store, problems)
        settings.set(number, to: 1)
        isBroken.value = true
        settings.set(number, to: 2)
        settings.set(number, to: 2)
        settings.reset(number)
        settings.update(number) { $0 += 1 }
        #expect(settings.get(number) == 1)
        #expect(problems.all.map(\.code) == Array(repeating: .writeFailed, count: 4))
        let error = #expect(throws: SettingsError.self) { try settings.save(number, to: 3) }
        #expect(error?.code == .writeFailed)
        #expect(error?.key == number.key)
        #expect(error?.underlying is StoreBroken)
        isBroken.value = false
        try settings.save(number, to: 4)
        #expect(settings.get(number) == 4)
    }

    @Test("Without a store, set is diagnosed and save throws")
    func noStore() {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [:], diagnosticSink: .init { problems.append($0) })
        settings.set(number, to: 1)
        settings.reset(number)
        settings.reset(scope: .shared)
        settings.update(number) { $0 += 1 }
        #expect(problems.all.map(\.code) == [.noStore, .noStore, .noStore, .noStore])
        let error = #expect(throws: SettingsError.self) { try settings.save(number, to: 1) }
        #expect(error?.code == .noStore)
        settings.register(MemoryStore(), for: .defaults)
        settings.set(number, to: 5)
        #expect(settings.get(number) == 5)
    }

    @Test("Setting an equal value writes nothing and notifies no listener")
    func equalValue() async throws {
        let store = TwoFunctionStore()
        let written = Recorder<Int>()
        let feedStore = FeedStore(willWrite: { written.append($0.count) })
        for service in [SettingsService.over(store), SettingsService.over(feedStore)] {
            let (told, groups, signals) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
            service.set(number, to: 5)
            let subscriptions = [
                service.observe(number) { told.append($0.newValue) }, service.observe { groups.append($0.keys.count) },
            ]
            let live = service.value(number)
            withObservationTracking {
                _ = live.value
            } onChange: {
                signals.append(1)
            }
            service.set(number, to: 5)
            service[number] = 5
            live.value = 5
            service.update(number) { $0 += 0 }
            service.transaction { $0.set(number, to: 5) }
            #expect(told.all.isEmpty && groups.all.isEmpty && signals.all.isEmpty)
            for subscription in subscriptions { subscription.cancel() }
        }
        #expect(store.setCount == 1)
    }

    @Test("Reset removes the value and clears isSet; repeating it notifies no listener", arguments: StoreKind.allCases)
    func reset(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let told = Recorder<[Int]>()
        let subscription = settings.observe(number) { told.append([$0.oldValue, $0.newValue]) }
        #expect(!settings.isSet(number))
        settings.set(number, to: 3)
        #expect(settings.isSet(number))
        settings.reset(number)
        settings.reset(number)
        #expect(!settings.isSet(number))
        #expect(try store.get(number.key) == nil)
        #expect(told.all == [[0, 3], [3, 0]])
        subscription.cancel()
    }

    @Test("Resetting a scope empties it, and only it")
    func resetScope() {
        let (defaults, shared) = (MemoryStore(["unknown": Data("1".utf8)]), MemoryStore())
        let settings = SettingsService(stores: [.defaults: defaults, .shared: shared], diagnosticSink: .none)
        let elsewhere = Setting<Int>("number", in: .shared, default: 0)
        settings.set(number, to: 1)
        settings.set(elsewhere, to: 2)
        let sets = Recorder<SettingsService.ChangeSet>()
        let subscription = settings.observe { sets.append($0) }
        settings.reset(scope: .defaults)
        #expect(defaults.keys().isEmpty)
        #expect(settings.get(number) == 0)
        #expect(settings.get(elsewhere) == 2)
        #expect(sets.all.map(\.keys) == [[number.key, .init("unknown", scope: .defaults)]])
        subscription.cancel()
    }

    @Test("A scope whose store cannot list its keys is not reset, and that is diagnosed")
    func resetScopeUnsupported() {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(TwoFunctionStore(), problems)
        settings.set(number, to: 1)
        settings.reset(scope: .defaults)
        #expect(settings.get(number) == 1)
        #expect(problems.all.map(\.code) == [.unsupported])
    }

    @Test("Synchronize reaches every store and throws the first error")
    func synchronize() {
        let problems = Recorder<SettingsError>()
        let calls = Recorder<String>()
        func store(_ name: String, fails: Bool) -> FeedStore {
            FeedStore(willSynchronize: {
                calls.append(name)
                if fails { throw StoreBroken() }
            })
        }
        let settings = SettingsService(
            stores: [
                .defaults: store("a", fails: true), .shared: store("b", fails: false),
                .custom(id: "c"): store("c", fails: true), .custom(id: "d"): TwoFunctionStore(),
            ], diagnosticSink: .init { problems.append($0) })
        let error = #expect(throws: SettingsError.self) { try settings.synchronize() }
        #expect(error?.code == .writeFailed)
        #expect(error?.store == "FeedStore")
        #expect(calls.all.sorted() == ["a", "b", "c"])
        #expect(problems.all.map(\.code) == [.writeFailed])
        #expect(throws: Never.self) { try SettingsService.over(MemoryStore()).synchronize() }
    }
}
