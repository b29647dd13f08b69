import Foundation
import SettingsKitCore
import Testing

private enum Weather: SettingsNamespace { static let id = "weather" }

private enum Wind: SettingsNamespace {
    typealias Parent = Weather
    static let id = "wind"
}

@Suite("Typed access to bare stores")
struct BareStoresTests {
    private struct TemperatureKey: SettingKey {
        let key = SettingsService.StorageKey("temperature", namespace: Weather.self, scope: .custom(id: "any"))
        let defaultValue = 20.0
    }

    /// A store that is a value: copies share what is stored, but the service behind each is another.
    private struct ValueStore: SettingsStore {
        let store = TwoFunctionStore()
        func get(_ key: SettingsService.StorageKey) throws -> Data? { try store.get(key) }
        func set(_ key: SettingsService.StorageKey, to data: Data?) throws { try store.set(key, to: data) }
    }

    private static let broken = Data("?".utf8)

    @Test(
        "Values are set and read, whatever scope a setting names, also in a store that is a value",
        arguments: [true, false])
    func values(isValue: Bool) throws {
        let store: any SettingsStore = isValue ? ValueStore() : MemoryStore()
        try use(store)
    }

    private func use(_ store: some SettingsStore) throws {
        let nullable = Setting<String?>("nullable", in: .shared)
        let processed = Setting<Int?>("processed", in: .custom(id: "c"), default: 8) { $0.map { $0 + 1 } }
        let date = Setting<Date>("date", in: .defaults, default: .distantPast, transformer: DateTransformer())
        #expect(store.get(nullable) == nil && store.get(processed) == 8)
        store.set(nullable, to: "")
        store.set(processed, to: 1)
        store.set(date, to: .init(timeIntervalSinceReferenceDate: 1))
        store.set(TemperatureKey(), to: 21)
        #expect(store.get(nullable) == "" && store.get(processed) == 2 && store.get(TemperatureKey()) == 21)
        #expect(try store.load(date) == .init(timeIntervalSinceReferenceDate: 1))
        #expect(try store.text("weather:temperature") == "21")
        store.set(nullable, to: nil)
        store.set(processed, to: nil)
        #expect(try store.text("nullable") == nil && store.get(processed) == nil)
        @Persisted(key: "n", storedBy: store) var number = 1
        number = 2
        #expect(number == 2 && store.get(Setting<Int>("n", in: .defaults, default: 0)) == 2)
    }

    @Test(
        "Clearing removes everything; clearing a namespace leaves all other names",
        arguments: [StoreKind.memory, .cache, .feed])
    func clear(kind: StoreKind) throws {
        let store = kind.make()
        let names = ["weather", "weather:temperature", "weather:wind:speed", "weather:windy", "x:weather:a"]
        for name in names { try store.set(.init(name, scope: .defaults), to: Self.broken) }
        try store.removeAll(in: Wind.self)
        #expect(try store.keys().sorted() == names.filter { $0 != "weather:wind:speed" })
        try store.removeAll(in: Weather.self)
        #expect(try store.keys().sorted() == ["weather", "x:weather:a"])
        try store.removeAll()
        #expect(try store.keys().isEmpty)
    }

    @Test("Undecodable bytes read as the default, are thrown by load, and stay", arguments: StoreKind.allCases)
    func undecodable(kind: StoreKind) throws {
        let store = kind.make()
        try store.set(TemperatureKey().key, to: Self.broken)
        let setting = Setting<Double>("temperature", in: .shared, namespace: Weather.self, default: 7)
        #expect(store.get(TemperatureKey()) == 20)
        #expect(store.get(setting) == 7)
        #expect(thrownCode { try store.load(TemperatureKey()) } == .decodingFailed)
        #expect(thrownCode { try store.load(setting) } == .decodingFailed)
        #expect(try store.get(setting.key) == Self.broken)
        store.set(setting, to: 1)
        #expect(store.get(TemperatureKey()) == 1)
    }

    @Test("A store that cannot be read reads as the default, and is not written by save")
    func unreadable() {
        let broken = TwoFunctionStore(willGet: { _ in throw StoreBroken() })
        #expect(broken.get(TemperatureKey()) == 20)
        #expect(thrownCode { try broken.load(TemperatureKey()) } == .readFailed)
        #expect(thrownCode { try broken.save(TemperatureKey(), to: 1) } != nil)
        #expect(broken.setCount == 0)
    }

    @Test("A bare store reports a decoding failure once and each failed write, never with the value")
    func diagnostics() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = MemoryStore(["weather:temperature": Data("hunter2".utf8)])
            for _ in 0..<10 { _ = store.get(TemperatureKey()) }
            store.set(.init("weather:temperature", scope: .defaults), to: Data("other".utf8))
            for _ in 0..<10 { _ = store.get(TemperatureKey()) }
            for _ in 0..<3 { store.set(TemperatureKey(), to: .nan) }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("SettingsKit: ") }
        #expect(lines.filter { $0.contains("decodingFailed") && $0.contains("weather:temperature") }.count == 2)
        #expect(lines.filter { $0.contains("encodingFailed") }.count == 3)
        #expect(!lines.contains { $0.contains("hunter2") })
    }
}
