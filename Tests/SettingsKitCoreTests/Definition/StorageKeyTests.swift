import Foundation
import SettingsKitCore
import Testing

@Suite("Names of settings")
struct StorageKeyTests {
    private static let names = [
        "a.b.c", "🎚️👩‍👩‍👧", "line\nbreak\r\n\ttab", "\u{1}\u{7f}", " ", "$(rm)", "\"quoted\\\"", "\u{202E}rtl", "null",
        String(repeating: "k", count: 4_096),
    ]

    @Test("An empty name stops the program")
    func emptyName() async {
        await #expect(processExitsWith: .failure) { _ = SettingsService.StorageKey("", scope: .defaults) }
        await #expect(processExitsWith: .failure) { _ = Setting<Int>("", in: .defaults, default: 0) }
    }

    @Test("A name with NUL stops the program")
    func nulInName() async {
        await #expect(processExitsWith: .failure) { _ = SettingsService.StorageKey("a\u{0}b", scope: .shared) }
        await #expect(processExitsWith: .failure) { _ = Setting<Int?>("\u{0}", in: .defaults) }
    }

    @Test("Validity can be asked for", arguments: [("", false), ("a\u{0}", false), ("\u{0}", false), ("a", true)])
    func isValid(name: String, isValid: Bool) {
        #expect(SettingsService.StorageKey.isValid(name) == isValid)
    }

    @Test("Any other name works in every store", arguments: names, StoreKind.allCases)
    func unusualNames(name: String, kind: StoreKind) throws {
        let settings = SettingsService.over(kind.make())
        let setting = Setting<Int>(name, in: .defaults, default: 0)
        let other = Setting<Int>(name + "x", in: .defaults, default: 0)
        let told = Recorder<Int>()
        let subscription = settings.observe(setting) { told.append($0.newValue) }
        settings.set(setting, to: 5)
        #expect(settings.get(setting) == 5)
        #expect(try settings.load(setting) == 5)
        #expect(settings.get(other) == 0)
        #expect(told.all == [5])
        subscription.cancel()
    }

    @Test("Canonically equal names are one key", arguments: StoreKind.allCases)
    func canonicalEquivalence(kind: StoreKind) throws {
        let settings = SettingsService.over(kind.make())
        let composed = Setting<Int>("caf\u{E9}", in: .defaults, default: 0)
        let decomposed = Setting<Int>("cafe\u{301}", in: .defaults, default: 0)
        #expect(composed.key == decomposed.key)
        let told = Recorder<Int>()
        let subscription = settings.observe(decomposed) { told.append($0.newValue) }
        #expect(settings.get(decomposed) == 0)
        settings.set(composed, to: 1)
        #expect(settings.get(decomposed) == 1)
        settings.set(decomposed, to: 2)
        #expect(settings.get(composed) == 2)
        #expect(told.all == [1, 2])
        subscription.cancel()
    }

    @Test("Names that differ in case are two keys", arguments: StoreKind.allCases)
    func caseMatters(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        let lower = Setting<Int>("name", in: .defaults, default: 0)
        let upper = Setting<Int>("Name", in: .defaults, default: 0)
        settings.set(lower, to: 1)
        settings.set(upper, to: 2)
        #expect(settings.get(lower) == 1)
        #expect(settings.get(upper) == 2)
    }

    @Test("One name in two scopes is two keys")
    func scopes() {
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore(), .custom(id: "defaults"): MemoryStore()],
            diagnosticSink: .none)
        let scopes: [SettingsService.Scope] = [.defaults, .shared, .custom(id: "defaults")]
        let same = scopes.map { Setting<Int>("n", in: $0, default: 0) }
        for (number, setting) in same.enumerated() { settings.set(setting, to: number + 1) }
        #expect(same.map { settings.get($0) } == [1, 2, 3])
        #expect(Set(same.map(\.key)).count == 3)
        #expect(scopes.map(\.description) == [".defaults", ".shared", ".custom(id: \"defaults\")"])
    }
}
