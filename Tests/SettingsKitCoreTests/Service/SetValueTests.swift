import Foundation
import SettingsKitCore
import Testing

/// Rounds towards zero, so that the stored form is not the value that was set.
private struct Rounding: Transformer {
    func transformValue(_ value: Double) -> Data { Data("\(Int(value))".utf8) }
    func untransformValue(_ output: Data) throws -> Double { Double(String(decoding: output, as: UTF8.self)) ?? 0 }
}

@Suite("A value that is stored in a lossy form")
struct SetValueTests {
    private let setting = Setting<Double>("d", in: .defaults, default: 0, transformer: Rounding())
    private let other = Setting<Int>("other", in: .defaults, default: 0)

    private func refusing(_ name: String) -> FeedStore {
        FeedStore(
            ["d": Data("2".utf8)],
            willWrite: { entries in
                if entries.contains(where: { $0.key.name == name }) { throw StoreBroken() }
            })
    }

    @Test("A listener receives each value before rounding, also those that wait")
    func listener() {
        let settings = SettingsService.over(MemoryStore())
        let told = Recorder<Double>()
        let subscriptions = [
            settings.observe(setting) { told.append($0.newValue) },
            settings.observe(other) { _ in
                settings.set(setting, to: 2.75)
                settings.set(setting, to: 3.25)
                settings.set(setting, to: 3.75)
            },
        ]
        settings.set(other, to: 1)
        // The last one has the bytes of the one before, so it is no change.
        #expect(told.all == [2.75, 3.25])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("A failed write leaves the value of a lossy form that is read", arguments: [true, false])
    func failedWrite(isTransaction: Bool) throws {
        let settings = SettingsService.over(refusing(isTransaction ? "other" : "d"))
        #expect(settings.get(setting) == 2)
        #expect(throws: SettingsError.self) {
            if isTransaction {
                try settings.save { transaction in
                    transaction.set(setting, to: 2.25)
                    transaction.set(other, to: 1)
                }
            } else {
                try settings.save(setting, to: 3.25)
            }
        }
        #expect(settings.get(setting) == 2)
        settings.set(Setting<Int>("third", in: .defaults, default: 0), to: 1)
        #expect(settings.get(setting) == 2)
    }

    @Test("Setting a value with the stored bytes changes nothing that is read", arguments: StoreKind.allCases)
    func equalBytes(kind: StoreKind) throws {
        let store = kind.make()
        try store.set(setting.key, to: Data("2".utf8))
        let settings = SettingsService.over(store)
        #expect(settings.get(setting) == 2)
        settings.set(setting, to: 2.25)
        #expect(settings.get(setting) == 2)
    }

    @Test("A set value is released when another one is stored, or the store does not keep it")
    func released() {
        final class Held: Codable, Sendable, Equatable {
            static func == (one: Held, other: Held) -> Bool { one === other }
        }
        struct Empty: Transformer {
            func transformValue(_ value: Held?) -> Data { Data("held".utf8) }
            func untransformValue(_ output: Data) throws -> Held? { nil }
        }
        let held = Setting<Held?>("held", in: .defaults, default: nil, transformer: Empty())
        for (store, isKept) in [(MemoryStore(), true), (TwoFunctionStore(), false), (CacheStore(), false)]
            as [(any SettingsStore, Bool)]
        {
            let settings = SettingsService.over(store)
            weak var value: Held?
            do {
                let new = Held()
                value = new
                settings.set(held, to: new)
            }
            #expect((value != nil) == isKept, "\(store)")
            settings.reset(held)
            #expect(settings.get(held) == nil)
            #expect(value == nil, "\(store)")
        }
    }
}
