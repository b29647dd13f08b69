import Foundation
import SettingsKitCore
import Testing

/// What the hooks below have been called for, within one test.
private enum Log {
    @TaskLocal static var current = Recorder<String>()
}

private enum Outer: SettingsNamespace {
    static let id = "outer"
    static func preCommitHook() { Log.current.append("pre outer") }
    static func postCommitHook() { Log.current.append("post outer") }
}

private enum Silent: SettingsNamespace {
    typealias Parent = Outer
    static let id = "silent"
}

private enum Inner: SettingsNamespace {
    typealias Parent = Silent
    static let id = "inner"
    static func preCommitHook() { Log.current.append("pre inner") }
    static func postCommitHook() { Log.current.append("post inner") }
}

/// A key in a namespace, whose hooks are called, too.
private struct LoudKey: SettingKey {
    let key: SettingsService.StorageKey
    let defaultValue = 0.5
    var namespace: (any SettingsNamespace.Type)? { Inner.self }

    init(_ name: String = "d", in scope: SettingsService.Scope = .defaults) {
        key = .init(name, namespace: Inner.self, scope: scope)
    }

    func process(_ value: Double) -> Double { min(value, 10) }
    func willChange(_ oldValue: Double, newValue: Double) { Log.current.append("will \(oldValue)-\(newValue)") }
    func didChange(_ oldValue: Double, newValue: Double) { Log.current.append("did \(oldValue)-\(newValue)") }
}

@Suite("Keys of the program, and hooks")
struct HooksTests {
    private let setting = Setting(LoudKey())

    private func log(_ body: () throws -> Void) rethrows -> [String] {
        let log = Recorder<String>()
        try Log.$current.withValue(log, operation: body)
        return log.all
    }

    @Test(
        "Hooks are called from the outermost to the innermost before a change and back after it, however it is made",
        arguments: StoreKind.allCases)
    func ways(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let handle = settings.value(setting)
        @Persisted(setting, in: settings) var property
        let ways: [(String, () throws -> Void)] = [
            ("0.5-1.0", { settings.set(setting, to: 1) }), ("1.0-2.0", { try settings.save(setting, to: 2) }),
            ("2.0-3.0", { settings[setting] += 1 }), ("3.0-4.0", { settings.update(setting) { $0 += 1 } }),
            (
                "4.0-5.0",
                {
                    settings.transaction { t in
                        t.set(setting, to: 100)
                        t.set(setting, to: 5)
                    }
                }
            ),
            ("5.0-0.5", { settings.reset(setting) }), ("0.5-6.0", { handle.value = 6 }),
            ("6.0-10.0", { property = 70 }),
            ("10.0-0.5", { $property.reset() }), ("0.5-8.0", { store.set(LoudKey(), to: 8) }),
            ("8.0-9.0", { try store.save(setting, to: 9) }),
        ]
        for (values, change) in ways {
            #expect(
                try log(change)
                    == ["pre outer", "pre inner", "will \(values)", "did \(values)", "post inner", "post outer"])
        }
    }

    @Test("Hooks are not called for an equal value, nor for a removal of nothing", arguments: StoreKind.allCases)
    func equal(kind: StoreKind) throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let other = Setting(LoudKey("m"))
        settings.set(setting, to: 1)
        let calls = try log {
            settings.set(setting, to: 1)
            try settings.save(setting, to: 1)
            store.set(setting, to: 1)
            settings.transaction { t in
                t.set(setting, to: 2)
                t.set(setting, to: 1)
                t.reset(other)
            }
            settings.reset(other)
        }
        #expect(calls == [])
    }

    @Test(
        "A change that fails ends without the second hooks, and one that is refused calls none",
        arguments: [false, true])
    func failure(isTransaction: Bool) {
        func change(_ value: Double, in store: any SettingsStore) -> [String] {
            let settings = SettingsService.over(store)
            return log {
                if isTransaction {
                    settings.transaction { $0.set(setting, to: value) }
                } else {
                    settings.set(setting, to: value)
                }
            }
        }
        let unwritable: [any SettingsStore] = [
            FeedStore(willWrite: { _ in throw StoreBroken() }),
            TwoFunctionStore(willSet: { _, _ in throw StoreBroken() }),
        ]
        for store in unwritable { #expect(change(1, in: store) == ["pre outer", "pre inner", "will 0.5-1.0"]) }
        #expect(change(-.infinity, in: MemoryStore()) == [])
        #expect(change(1, in: TwoFunctionStore(willGet: { _ in throw StoreBroken() })) == [])
    }

    @Test("In a transaction, all hooks are called before anything is changed and after everything is")
    func transaction() {
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .none)
        struct Key: SettingKey {
            let key: SettingsService.StorageKey
            let defaultValue = 0
            let tell: @Sendable (String) -> Void
            func willChange(_ oldValue: Int, newValue: Int) { tell("will \(oldValue)-\(newValue)") }
            func didChange(_ oldValue: Int, newValue: Int) { tell("did \(oldValue)-\(newValue)") }
        }
        let (near, far) = (Setting<Int>("m", in: .defaults, default: 0), Setting<Int>("n", in: .shared, default: 0))
        let log = Recorder<String>()
        let tell: @Sendable (String) -> Void = { log.append("\($0) \(settings.get(near))\(settings.get(far))") }
        settings.transaction { t in
            t.set(Setting(Key(key: far.key, tell: tell)), to: 2)
            t.set(Setting(Key(key: near.key, tell: tell)), to: 1)
        }
        #expect(log.all == ["will 0-2 00", "will 0-1 00", "did 0-2 12", "did 0-1 12"])
    }
}

@Suite("Hooks with many writers (concurrency)", .timeLimit(Rounds.timeLimit), .ownThreads)
struct HooksConcurrencyTests {
    private struct Pair: Hashable, Sendable {
        var old: Int
        var new: Int
    }

    private struct CountedKey: SettingKey {
        let key = SettingsService.StorageKey("n", scope: .defaults)
        let defaultValue = 0
        let will = Recorder<Pair>()
        let did = Recorder<Pair>()

        func willChange(_ oldValue: Int, newValue: Int) { will.append(Pair(old: oldValue, new: newValue)) }
        func didChange(_ oldValue: Int, newValue: Int) { did.append(Pair(old: oldValue, new: newValue)) }
    }

    @Test("The old value of each change is the new one of the change before", arguments: StoreKind.allCases)
    func chain(kind: StoreKind) {
        let store = kind.make()
        let services = [SettingsService.over(store), SettingsService.over(store)]
        let key = CountedKey()
        let settings = [Setting(key), Setting(key)]
        let rounds = 80
        inParallel(6) { thread in
            let (service, setting) = (services[thread % 2], settings[thread / 3])
            for round in 0..<rounds {
                // No value comes twice, so that there is one order in which all changes can have been made.
                let value = 1 + thread * rounds + round
                switch thread {
                case 0: store.set(key, to: value)
                case 1: service.transaction { $0.set(setting, to: value) }
                case 2: service.update(setting) { $0 = value }
                default: service.set(setting, to: value)
                }
            }
        }
        let did = key.did.all
        let next = Dictionary(did.map { ($0.old, $0.new) }) { first, second in
            Issue.record("Both \(first) and \(second) took the place of one value.")
            return first
        }
        var (value, count) = (0, 0)
        while let newer = next[value], count <= did.count { (value, count) = (newer, count + 1) }
        #expect(did.count == 6 * rounds && count == did.count && services[0].get(settings[0]) == value)
        // Each change was announced; what was announced in vain was not made.
        #expect(Set(did).isSubset(of: key.will.all))
    }
}
