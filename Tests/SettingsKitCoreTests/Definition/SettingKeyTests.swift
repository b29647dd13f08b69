import Foundation
import SettingsKitCore
import Testing

private enum Rooms: SettingsNamespace { static let id = "rooms" }

/// Records every call.
private struct LoudKey<Value: Codable & Sendable>: SettingKey {
    let key: SettingsService.StorageKey
    let defaultValue: Value
    var namespace: (any SettingsNamespace.Type)?
    var transformer: (any Transformer<Value, Data>)?
    var processing: @Sendable (Value) -> Value = { $0 }
    let log = Recorder<String>()

    init(_ name: String, default: Value) {
        key = .init(name, scope: .defaults)
        defaultValue = `default`
    }

    func process(_ value: Value) -> Value { processing(value) }
    func willChange(_ oldValue: Value, newValue: Value) { log.append("will \(oldValue)-\(newValue)") }
    func didChange(_ oldValue: Value, newValue: Value) { log.append("did \(oldValue)-\(newValue)") }
}

/// What is required, and nothing else.
private struct PlainKey: SettingKey {
    var key: SettingsService.StorageKey { .init("plain", namespace: Rooms.self, scope: .shared) }
    var defaultValue: Int { 3 }
}

@Suite("Custom setting keys")
struct SettingKeyTests {
    @Test("Two properties are enough", arguments: StoreKind.allCases)
    func plain(kind: StoreKind) throws {
        let store = kind.make()
        let key = PlainKey()
        #expect(store.get(key) == 3)
        store.set(key, to: 4)
        #expect(store.get(key) == 4)
        #expect(try store.text("rooms:plain") == "4")
        let settings = SettingsService(stores: [.shared: store], diagnosticSink: .none)
        #expect(settings.get(Setting(key)) == 4)
        #expect(Setting(key).defaultValue == 3 && Setting(key).namespace == nil)
    }

    @Test(
        "Hooks receive the old and the new value, for every way of writing and real changes only",
        arguments: StoreKind.allCases)
    func ways(kind: StoreKind) throws {
        let store = kind.make()
        let problems = Recorder<SettingsError>()
        let settings = SettingsService.over(store, problems)
        var key = LoudKey("d", default: 0.5)
        key.processing = { min($0, 10) }
        let setting = Setting(key)
        let handle = settings.value(setting)
        @Persisted(setting, in: settings) var property
        settings.set(setting, to: 1)
        settings.set(setting, to: 1)
        try settings.save(setting, to: 2)
        settings.update(setting) { $0 += 1 }
        settings.transaction { t in
            t.set(setting, to: 100)
            t.set(setting, to: 4)
        }
        settings.transaction { t in
            t.set(setting, to: 5)
            t.reset(setting)
        }
        settings.reset(setting)
        handle.value = 6
        property = 70
        $property.reset()
        store.set(key, to: 8)
        try store.save(key, to: 9)
        settings.set(setting, to: .nan)
        let values = [
            "0.5-1.0", "1.0-2.0", "2.0-3.0", "3.0-4.0", "4.0-0.5", "0.5-6.0", "6.0-10.0", "10.0-0.5",
            "0.5-8.0", "8.0-9.0",
        ]
        #expect(key.log.all == values.flatMap { ["will \($0)", "did \($0)"] })
        #expect(problems.all.map(\.code) == [.encodingFailed])
    }

    @Test("Hooks distinguish a stored nil from a missing value", arguments: StoreKind.allCases)
    func optional(kind: StoreKind) {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let key = LoudKey<String?>("o", default: "x")
        let setting = Setting(key)
        settings.set(setting, to: nil)
        settings.set(setting, to: "y")
        settings.reset(setting)
        store.set(key, to: nil)
        settings.transaction { $0.reset(setting) }
        #expect(settings.get(setting) == "x")
        let x = "Optional(\"x\")"
        let y = "Optional(\"y\")"
        #expect(
            key.log.all
                == ["\(x)-nil", "nil-\(y)", "\(y)-\(x)", "\(x)-nil", "nil-\(x)"].flatMap {
                    ["will \($0)", "did \($0)"]
                })
    }

    @Test("A custom key may have a transformer and a namespace", arguments: StoreKind.allCases)
    func transformer(kind: StoreKind) throws {
        let store = kind.make()
        var key = LoudKey("rooms:date", default: Date.distantPast)
        key.transformer = DateTransformer()
        key.namespace = Rooms.self
        store.set(key, to: Date(timeIntervalSinceReferenceDate: 5))
        #expect(try store.text("rooms:date") == "5.0")
        #expect(store.get(key) == Date(timeIntervalSinceReferenceDate: 5))
        #expect(Setting(key).namespace == Rooms.self)
        #expect(store.get(Setting(key)) == store.get(key))
        try store.set(key.key, to: Data("no number".utf8))
        #expect(store.get(key) == .distantPast)
        store.set(key, to: Date(timeIntervalSinceReferenceDate: 6))
        #expect(key.log.all.last == "did \(Date.distantPast)-\(Date(timeIntervalSinceReferenceDate: 6))")
    }

    @Test("A custom key's hook does not run after a failed write", arguments: [false, true])
    func failure(isTransaction: Bool) {
        let stores: [any SettingsStore] = [
            FeedStore(willWrite: { _ in throw StoreBroken() }),
            TwoFunctionStore(willSet: { _, _ in throw StoreBroken() }),
        ]
        for store in stores {
            let key = LoudKey("n", default: 0)
            let setting = Setting(key)
            let settings = SettingsService.over(store)
            let told = Recorder<String>()
            let subscription = Persister(setting, in: settings).observe(told.listener())
            if isTransaction { settings.transaction { $0.set(setting, to: 1) } } else { settings.set(setting, to: 1) }
            #expect(key.log.all == ["will 0-1"])
            #expect(told.all.isEmpty)
            subscription.cancel()
        }
    }

    @Test("In a transaction, all are called before anything is changed and after everything is")
    func transaction() {
        let settings = SettingsService(
            stores: [.defaults: MemoryStore(), .shared: MemoryStore()], diagnosticSink: .none)
        let log = Recorder<String>()
        struct Key: SettingKey {
            let key: SettingsService.StorageKey
            let defaultValue = 0
            let tell: @Sendable (String) -> Void
            func willChange(_ oldValue: Int, newValue: Int) { tell("will \(oldValue)-\(newValue)") }
            func didChange(_ oldValue: Int, newValue: Int) { tell("did \(oldValue)-\(newValue)") }
        }
        let far = Setting<Int>("n", in: .shared, default: 0)
        let near = Setting<Int>("m", in: .defaults, default: 0)
        let tell: @Sendable (String) -> Void = { log.append("\($0) \(settings.get(near))\(settings.get(far))") }
        let one = Setting(Key(key: near.key, tell: tell))
        let two = Setting(Key(key: far.key, tell: tell))
        settings.transaction { t in
            t.set(two, to: 2)
            t.set(one, to: 1)
        }
        #expect(log.all == ["will 0-2 00", "will 0-1 00", "did 0-2 12", "did 0-1 12"])
    }

    @Test("Hooks receive the value finally stored, even if another setting of the same name was set last")
    func otherSetting() {
        let settings = SettingsService.over(MemoryStore())
        let loud = LoudKey("n", default: 0)
        let louder = LoudKey("n", default: 0)
        let plain = Setting<Int>("n", in: .defaults, default: 0)
        let (one, two) = (Setting(loud), Setting(louder))
        settings.transaction { t in
            t.set(one, to: 1)
            t.set(plain, to: 2)
        }
        settings.transaction { t in
            t.set(one, to: 3)
            t.set(two, to: 4)
            t.reset(plain)
            t.set(plain, to: 5)
        }
        #expect(loud.log.all == ["will 0-2", "did 0-2", "will 2-5", "did 2-5"])
        #expect(louder.log.all == ["will 2-5", "did 2-5"])
    }

    @Test("Hooks do not run for external changes and clearing; listeners receive them")
    func others() throws {
        let store = FeedStore()
        let settings = SettingsService.over(store)
        let key = LoudKey("n", default: 0)
        let setting = Setting(key)
        let told = Recorder<String>()
        let subscription = Persister(setting, in: settings).observe(told.listener())
        store.changeFromOutside([("n", "1")])
        try store.removeAll()
        settings.set(setting, to: 2)
        settings.reset(scope: .defaults)
        #expect(told.all == ["0-1 external", "1-0", "0-2", "2-0"])
        #expect(key.log.all == ["will 0-2", "did 0-2"])
        subscription.cancel()
    }
}
