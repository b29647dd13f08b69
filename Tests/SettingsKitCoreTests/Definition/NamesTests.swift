import Foundation
import SettingsKitCore
import Testing

private enum Animals: SettingsNamespace { static let id = "animals" }

private enum Cats: SettingsNamespace {
    typealias Parent = Animals
    static let id = "cats"
}

private enum BigCats: SettingsNamespace {
    typealias Parent = Cats
    static let id = "big 🐅.x"
}

@Suite("Names of settings")
struct NamesTests {
    private static let names = [
        "a.b.c", "🎚️👩‍👩‍👧", "line\nbreak\r\n\ttab", "\u{1}\u{7f}", " ", "\"quoted\\\"", "\u{202E}rtl", "null",
        String(repeating: "k", count: 4_096),
    ]

    @Test("Any name that is not empty and has no NUL works in every store", arguments: names, StoreKind.allCases)
    func unusualNames(name: String, kind: StoreKind) throws {
        let settings = SettingsService.over(kind.make())
        let setting = Setting<Int>(name, in: .defaults, default: 0)
        let told = Recorder<Int>()
        let subscription = settings.observe(setting) { told.append($0.newValue) }
        settings.set(setting, to: 5)
        #expect(try settings.get(setting) == 5 && settings.load(setting) == 5)
        for other in [name + "x", name.uppercased()] where other != name {
            #expect(settings.get(Setting<Int>(other, in: .defaults, default: 0)) == 0)
        }
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
        settings.set(composed, to: 1)
        #expect(settings.get(decomposed) == 1)
        settings.set(decomposed, to: 2)
        #expect(settings.get(composed) == 2 && told.all == [1, 2])
        subscription.cancel()
    }

    @Test("One name in two scopes is two keys")
    func scopes() {
        let scopes: [SettingsService.Scope] = [.defaults, .shared, .custom(id: "defaults")]
        let settings = SettingsService(
            stores: Dictionary(uniqueKeysWithValues: scopes.map { ($0, MemoryStore()) }), diagnosticSink: .none)
        let same = scopes.map { Setting<Int>("n", in: $0, default: 0) }
        for (number, setting) in same.enumerated() { settings.set(setting, to: number + 1) }
        #expect(same.map { settings.get($0) } == [1, 2, 3])
        #expect(scopes.map(\.description) == [".defaults", ".shared", ".custom(id: \"defaults\")"])
    }

    @Test(
        "A name begins with the ids of all namespaces around it",
        arguments: [
            (GlobalSettingsNamespace.self, ""), (Animals.self, "animals:"), (Cats.self, "animals:cats:"),
            (BigCats.self, "animals:cats:big 🐅.x:"),
        ] as [(any SettingsNamespace.Type, String)], ["lion", "a:b", "\u{301}"])
    func namespaces(namespace: (type: any SettingsNamespace.Type, prefix: String), id: String) {
        let (type, key) = (namespace.type, SettingsService.StorageKey(namespace.prefix + id, scope: .shared))
        #expect(type.name(of: id) == key.name && .init(id, namespace: type, scope: .shared) == key)
        let settings: [SettingsService.SettingDefinition] = [
            Setting<Int>(id, in: .shared, namespace: type, default: 0),
            Setting<Int>(id, in: .shared, namespace: type, default: 0, transformer: JSONTransformer()),
            Setting<Int?>(id, in: .shared, namespace: type),
            Setting<Int?>(id, in: .shared, namespace: type, transformer: JSONTransformer()),
        ]
        for setting in settings { #expect(setting.key == key) }
    }

    @Test(
        "Resetting a namespace resets its own names and those of the ones inside it",
        arguments: [StoreKind.memory, .feed])
    func reset(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let sets = Recorder<Int>()
        let cats = ["animals:cats:big 🐅.x:tiger", "animals:cats:lion", "animals:cats:\u{301}"]
        let others = ["Animals:x", "animals", "animals:cats", "animals:catsx", "x:animals:cats:lion"]
        let names = cats + others
        #expect(names.filter(Cats.contains) == cats && names.filter(GlobalSettingsNamespace.contains) == names)
        for name in names { try store.put(name, "1") }
        let lion = Setting<Int>("lion", in: .defaults, namespace: Cats.self, default: 0)
        #expect(settings.get(lion) == 1)
        let subscription = settings.observe(in: .defaults) { sets.append($0.keys.count) }
        settings.reset(Cats.self, in: .defaults)
        #expect(settings.get(lion) == 0)
        #expect(settings.keys(in: .defaults) == others)
        settings.reset(Animals.self, in: .defaults)
        #expect(settings.keys(in: .defaults) == ["Animals:x", "animals", "x:animals:cats:lion"])
        settings.reset(Animals.self, in: .defaults)
        settings.reset(GlobalSettingsNamespace.self, in: .defaults)
        #expect(settings.keys(in: .defaults) == [] && sets.all == [3, 2, 3])
        subscription.cancel()
    }

    enum Misuse: String, Codable, CaseIterable {
        case emptyKey, emptySetting, nulKey, nulSetting, emptyInNamespace, nulInNamespace, emptyID, colonInID, nulInID

        private enum Empty: SettingsNamespace { static let id = "" }
        private enum Colon: SettingsNamespace { static let id = "a:b" }
        private enum NUL: SettingsNamespace { static let id = "a\u{0}" }

        func commit() {
            switch self {
            case .emptyKey: _ = SettingsService.StorageKey("", scope: .defaults)
            case .emptySetting: _ = Setting<Int>("", in: .defaults, default: 0)
            case .nulKey: _ = SettingsService.StorageKey("a\u{0}b", scope: .shared)
            case .nulSetting: _ = Setting<Int?>("\u{0}", in: .defaults)
            case .emptyInNamespace: _ = Setting<Int>("", in: .defaults, namespace: Cats.self, default: 0)
            case .nulInNamespace: _ = SettingsService.StorageKey("a\u{0}", namespace: Cats.self, scope: .defaults)
            case .emptyID: _ = Empty.name(of: "x")
            case .colonInID: _ = Setting<Int>("x", in: .defaults, namespace: Colon.self, default: 0)
            case .nulInID: _ = NUL.contains("x")
            }
        }
    }

    @Test(
        "A name that is empty or has NUL stops the program, and so does such an id, or one with a colon",
        arguments: Misuse.allCases)
    func misuse(misuse: Misuse) async {
        await #expect(processExitsWith: .failure) { [misuse] in misuse.commit() }
    }
}
