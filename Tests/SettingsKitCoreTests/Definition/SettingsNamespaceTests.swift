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

private enum Empty: SettingsNamespace { static let id = "" }

private enum Colon: SettingsNamespace { static let id = "a:b" }

private enum NUL: SettingsNamespace { static let id = "a\u{0}" }

private enum Inside: SettingsNamespace {
    typealias Parent = Itself
    static let id = "inside"
}

private enum Itself: SettingsNamespace {
    typealias Parent = Inside
    static let id = "itself"
}

@Suite("Namespaces")
struct SettingsNamespaceTests {
    private static let all: [(type: any SettingsNamespace.Type, prefix: String)] = [
        (GlobalSettingsNamespace.self, ""), (Animals.self, "animals:"), (Cats.self, "animals:cats:"),
        (BigCats.self, "animals:cats:big 🐅.x:"),
    ]

    @Test(
        "A name begins with the ids of all namespaces around it",
        arguments: all, ["lion", "a:b", "\u{301}", "🐈"])
    func names(namespace: (type: any SettingsNamespace.Type, prefix: String), id: String) {
        let name = namespace.prefix + id
        #expect(namespace.type.name(of: id) == name)
        #expect(
            SettingsService.StorageKey(id, namespace: namespace.type, scope: .shared) == .init(name, scope: .shared))
        let settings = [
            Setting<Int>(id, in: .shared, namespace: namespace.type, default: 0),
            Setting<Int>(id, in: .shared, namespace: namespace.type, default: .computed { 0 }),
            Setting<Int>(id, in: .shared, namespace: namespace.type, default: 0, transformer: JSONTransformer()),
            Setting<Int>(
                id, in: .shared, namespace: namespace.type, default: .computed { 0 }, transformer: JSONTransformer()),
        ]
        let optional = Setting<Int?>(id, in: .shared, namespace: namespace.type)
        let transformed = Setting<Int?>(id, in: .shared, namespace: namespace.type, transformer: JSONTransformer())
        #expect(Set((settings + [optional, transformed]).map(\.key)) == [.init(name, scope: .shared)])
        #expect(optional.namespace == namespace.type)
    }

    @Test("A namespace contains its own names and those of the ones inside it, and no others")
    func contains() {
        let names = [
            "animals", "animals:x", "animals:cats", "animals:cats:lion", "animals:catsx:lion", "x:animals:cats:lion",
            "Animals:cats:x", "animals:cats:\u{301}",
        ]
        func contained(in namespace: any SettingsNamespace.Type) -> [Int] {
            names.indices.filter { namespace.contains(names[$0]) }
        }
        #expect(contained(in: GlobalSettingsNamespace.self) == Array(names.indices))
        #expect(contained(in: Animals.self) == [1, 2, 3, 4, 7])
        #expect(contained(in: Cats.self) == [3, 7])
        #expect(contained(in: BigCats.self) == [])
    }

    @Test("A setting in a namespace and one with the whole name are one value", arguments: StoreKind.allCases)
    func wholeName(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        let inside = Setting<Int>("lion", in: .defaults, namespace: Cats.self, default: 0)
        let whole = Setting<Int>("animals:cats:lion", in: .defaults, default: 0)
        #expect(settings.get(whole) == 0)
        settings.set(inside, to: 1)
        #expect(settings.get(whole) == 1)
        settings.set(whole, to: 2)
        #expect(settings.get(inside) == 2)
        #expect(settings.keys(in: .defaults) == (kind == .twoFunctions ? [] : ["animals:cats:lion"]))
    }

    @Test("Resetting a namespace leaves all other names", arguments: [StoreKind.memory, .cache, .feed])
    func reset(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let sets = Recorder<Int>()
        let names = [
            "animals", "animals:x", "animals:cats", "animals:cats:lion", "animals:cats:big 🐅.x:tiger", "animals:catsx",
            "z",
        ]
        for name in names { try store.set(.init(name, scope: .defaults), to: Data("1".utf8)) }
        let lion = Setting<Int>("lion", in: .defaults, namespace: Cats.self, default: 0)
        #expect(settings.get(lion) == 1)
        let subscription = settings.observe(in: .defaults) { sets.append($0.keys.count) }
        settings.reset(Cats.self, in: .defaults)
        #expect(settings.get(lion) == 0)
        #expect(settings.keys(in: .defaults) == ["animals", "animals:cats", "animals:catsx", "animals:x", "z"])
        settings.reset(Animals.self, in: .defaults)
        #expect(settings.keys(in: .defaults) == ["animals", "z"])
        settings.reset(Animals.self, in: .defaults)
        settings.reset(GlobalSettingsNamespace.self, in: .defaults)
        #expect(settings.keys(in: .defaults) == [])
        #expect(sets.all == [2, 3, 2])
        subscription.cancel()
    }

    @Test("A namespace that cannot be reset is diagnosed and stays", arguments: [true, false])
    func unresettable(canList: Bool) {
        let contents = ["animals:x": Data("1".utf8)]
        let store: any SettingsStore =
            canList ? FeedStore(contents, willWrite: { _ in throw StoreBroken() }) : TwoFunctionStore(contents)
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        settings.reset(Animals.self, in: .defaults)
        settings.reset(Animals.self, in: .shared)
        #expect(problems.all.map(\.code) == [canList ? .writeFailed : .unsupported, .noStore])
        #expect(settings.get(Setting<Int>("x", in: .defaults, namespace: Animals.self, default: 0)) == 1)
    }

    @Test("An id that is empty or holds a colon or NUL stops the program")
    func badIDs() async {
        await #expect(processExitsWith: .failure) { _ = Empty.name(of: "x") }
        await #expect(processExitsWith: .failure) {
            _ = Setting<Int>("x", in: .defaults, namespace: Colon.self, default: 0)
        }
        await #expect(processExitsWith: .failure) { _ = NUL.contains("x") }
    }

    @Test("A namespace inside itself stops the program")
    func circle() async {
        await #expect(processExitsWith: .failure) { _ = Inside.name(of: "x") }
    }

    @Test("An empty name in a namespace stops the program, and so does one with NUL")
    func emptyName() async {
        await #expect(processExitsWith: .failure) {
            _ = Setting<Int>("", in: .defaults, namespace: Cats.self, default: 0)
        }
        await #expect(processExitsWith: .failure) {
            _ = SettingsService.StorageKey("", namespace: Cats.self, scope: .defaults)
        }
        await #expect(processExitsWith: .failure) {
            _ = SettingsService.StorageKey("a\u{0}", namespace: Cats.self, scope: .defaults)
        }
    }
}
