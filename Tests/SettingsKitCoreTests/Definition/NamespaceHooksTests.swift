import Foundation
import SettingsKitCore
import Testing

/// What the hooks below have been called for, within one test.
private enum Log {
    @TaskLocal static var current = Recorder<String>()
    @TaskLocal static var onPre: @Sendable () -> Void = {}
    @TaskLocal static var onPost: @Sendable () -> Void = {}
}

private enum Outer: SettingsNamespace {
    static let id = "outer"
    static func preCommitHook() { Log.current.append("pre outer") }
    static func postCommitHook() { Log.current.append("post outer") }
}

/// Without hooks of its own.
private enum Silent: SettingsNamespace {
    typealias Parent = Outer
    static let id = "silent"
}

private enum Inner: SettingsNamespace {
    typealias Parent = Silent
    static let id = "inner"
    static func preCommitHook() {
        Log.current.append("pre inner")
        Log.onPre()
    }
    static func postCommitHook() {
        Log.current.append("post inner")
        Log.onPost()
    }
}

private enum Sibling: SettingsNamespace {
    typealias Parent = Outer
    static let id = "sibling"
    static func preCommitHook() { Log.current.append("pre sibling") }
    static func postCommitHook() { Log.current.append("post sibling") }
}

@Suite("Hooks of namespaces")
struct NamespaceHooksTests {
    private let inner = Setting<Int>("n", in: .defaults, namespace: Inner.self, default: 0)
    private let other = Setting<Double>("m", in: .defaults, namespace: Inner.self, default: 0)
    private let sibling = Setting<Int?>("n", in: .shared, namespace: Sibling.self)
    private let global = Setting<Int>("n", in: .defaults, namespace: GlobalSettingsNamespace.self, default: 0)

    private static let around = ["pre outer", "pre inner", "post inner", "post outer"]

    private func log(
        onPre: @escaping @Sendable () -> Void = {}, onPost: @escaping @Sendable () -> Void = {},
        _ body: () throws -> Void
    ) rethrows -> [String] {
        let log = Recorder<String>()
        try Log.$current.withValue(log) {
            try Log.$onPre.withValue(onPre) { try Log.$onPost.withValue(onPost, operation: body) }
        }
        return log.all
    }

    @Test(
        "The outermost first before a change, the innermost first after it, by whatever way it is made",
        arguments: StoreKind.allCases)
    func order(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let handle = settings.value(inner)
        @Persisted(inner, in: settings) var property
        let ways: [(String, () throws -> Void)] = [
            ("set", { settings.set(inner, to: 1) }), ("save", { try settings.save(inner, to: 2) }),
            ("subscript", { settings[inner] += 1 }), ("update", { settings.update(inner) { $0 += 1 } }),
            ("transaction", { settings.transaction { $0[inner] += 1 } }), ("reset", { settings.reset(inner) }),
            (
                "reset in a transaction",
                {
                    settings.set(global, to: 1); settings.transaction { $0.set(inner, to: 9) }
                }
            ),
            ("handle", { handle.value = 7 }), ("property", { property = 8 }),
            ("save of a property", { try $property.save(9) }),
            ("reset of a property", { $property.reset() }), ("bare store", { store.set(inner, to: 4) }),
            ("save in a bare store", { try store.save(inner, to: 5) }),
        ]
        for (way, change) in ways { #expect(try log(change) == Self.around, "\(way)") }
        #expect(log { settings.set(global, to: 2) } == [])
    }

    @Test("Hooks of namespaces: not for an equal value, nor for a removal of nothing", arguments: StoreKind.allCases)
    func equal(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        settings.set(inner, to: 1)
        let calls = try log {
            settings.set(inner, to: 1)
            try settings.save(inner, to: 1)
            store.set(inner, to: 1)
            settings.transaction { t in
                t.set(inner, to: 2)
                t.set(inner, to: 1)
                t.reset(other)
            }
            settings.reset(other)
            settings.reset(sibling)
        }
        #expect(calls == [])
    }

    @Test("Once for a transaction, for all namespaces that it changes something in")
    func transaction() {
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .none)
        let calls = log {
            settings.transaction { t in
                t.set(sibling, to: 1)
                t.set(inner, to: 1)
                t.set(other, to: 1)
                t.set(inner, to: 2)
            }
        }
        #expect(calls == ["pre outer", "pre sibling", "pre inner", "post inner", "post sibling", "post outer"])
        let once = log {
            settings.transaction { t in
                t.set(sibling, to: 1)
                t.set(inner, to: 3)
            }
        }
        #expect(once == Self.around)
    }

    @Test("Clearing calls them once if there is anything to remove", arguments: [StoreKind.memory, .cache, .feed])
    func clear(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        settings.transaction { t in
            t.set(inner, to: 1)
            t.set(other, to: 1)
        }
        #expect(try log { try store.removeAll(in: Sibling.self) } == [])
        #expect(try log { try store.removeAll(in: Inner.self) } == Self.around)
        #expect(log { settings.reset(Inner.self, in: .defaults) } == [])
    }

    @Test("A change that fails ends without the second ones", arguments: [false, true])
    func failure(isTransaction: Bool) {
        let stores: [any SettingsStore] = [
            FeedStore(willWrite: { _ in throw StoreBroken() }),
            TwoFunctionStore(willSet: { _, _ in throw StoreBroken() }),
        ]
        for store in stores {
            let settings = SettingsService.over(store)
            let calls = log {
                if isTransaction {
                    settings.transaction { $0.set(inner, to: 1) }
                } else {
                    settings.set(inner, to: 1)
                }
                // These do not come to the point of changing anything.
                settings.set(other, to: .nan)
                settings.transaction { $0.set(other, to: .infinity) }
            }
            #expect(calls == ["pre outer", "pre inner"])
        }
        #expect(
            log { SettingsService.over(TwoFunctionStore(willGet: { _ in throw StoreBroken() })).set(inner, to: 1) }
                == [])
    }

    @Test("They may read and set; the change is made between them", arguments: StoreKind.allCases)
    func reentrancy(kind: StoreKind) {
        let settings = SettingsService.over(kind.make())
        let seen = Recorder<Int>()
        let calls = log(
            onPre: { [inner, global] in
                seen.append(settings.get(inner))
                settings.update(global) { $0 += 1 }
            },
            onPost: { [inner, global] in
                seen.append(settings.get(inner))
                settings.transaction { $0[global] += 1 }
            }
        ) {
            settings.set(inner, to: 1)
            settings.update(inner) { $0 += 1 }
        }
        #expect(seen.all == [0, 1, 1, 2])
        #expect(settings.get(global) == 4)
        #expect(calls == Self.around + Self.around)
    }
}
