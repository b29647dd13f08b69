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
        for (store, isKept) in [(MemoryStore(), true), (TwoFunctionStore(), false)]
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
