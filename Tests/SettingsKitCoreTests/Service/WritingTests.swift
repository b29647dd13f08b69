import Foundation
import Observation
import SettingsKitCore
import Testing

@Suite("Writing")
struct WritingTests {
    private let number = Setting<Int>("number", in: .defaults, default: 0)

    @Test(
        "A value that cannot be encoded or is invalid is refused by every way in, and the old value stays",
        arguments: [Double.nan, .infinity, 2], StoreKind.allCases)
    func refused(value: Double, kind: StoreKind) throws {
        let problems = Recorder<SettingsError>()
        let store = kind.make()
        let settings = SettingsService.over(store, problems)
        let code: SettingsError.Code = value == 2 ? .invalidValue : .encodingFailed
        let ratio = Setting<Double>(
            "ratio", in: .defaults, default: 0.5, validation: .init("must not be 2") { $0 != 2 })
        settings.set(ratio, to: 0.75)
        let told = Recorder<Int>()
        let subscription = settings.observe { told.append($0.keys.count) }
        let both: @Sendable (inout SettingsService.Transaction) -> Void = { t in
            t.set(number, to: 1)
            t.set(ratio, to: value)
        }
        settings.set(ratio, to: value)
        settings[ratio] = value
        settings.update(ratio) { $0 = value }
        settings.transaction(both)
        #expect(problems.codes == [code, code, code, code] && problems.all.allSatisfy { $0.key == ratio.key })
        let attempts: [() throws -> Void] = [
            { try settings.save(ratio, to: value) }, { try settings.save(both) },
            { try store.save(ratio, to: value) }, { try Persister(ratio, in: settings).save(value) },
        ]
        for attempt in attempts {
            let error = #expect(throws: SettingsError.self) { try attempt() }
            #expect(error?.code == code && error?.key == ratio.key)
        }
        #expect(settings.get(ratio) == 0.75 && !settings.isSet(number) && told.all.isEmpty)
        #expect(try store.get(ratio.key) == Data("0.75".utf8))
        subscription.cancel()
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
        for service in [SettingsService.over(store), SettingsService.over(FeedStore())] {
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

    @Test("Synchronize and bringUpToDate reach all stores; the first error is thrown, the others are diagnosed")
    func synchronize() throws {
        final class Place: SettingsStore {
            let calls = Recorder<String>()
            let fails: Bool
            init(fails: Bool) { self.fails = fails }
            func get(_ key: SettingsService.StorageKey) -> Data? { nil }
            func set(_ key: SettingsService.StorageKey, to data: Data?) {}
            func synchronize() throws { try call("synchronize") }
            func bringUpToDate() throws { try call("bringUpToDate") }

            private func call(_ name: String) throws {
                calls.append(name)
                if fails { throw StoreBroken() }
            }
        }
        let problems = Recorder<SettingsError>()
        let places = [true, true, false].map { Place(fails: $0) }
        let settings = SettingsService(
            stores: [
                .defaults: places[0], .shared: try LayeredStore([.writable(places[1])]), .custom(id: "c"): places[2],
                .custom(id: "d"): TwoFunctionStore(),
            ], diagnosticSink: .init { problems.append($0) })
        let error = #expect(throws: SettingsError.self) { try settings.synchronize() }
        #expect(error?.code == .writeFailed && error?.store == places[0].storeDescription)
        #expect(thrownCode { try settings.bringUpToDate() } == .writeFailed)
        #expect(problems.codes == [.writeFailed, .writeFailed])
        for place in places { #expect(place.calls.all == ["synchronize", "bringUpToDate"]) }
    }
}
