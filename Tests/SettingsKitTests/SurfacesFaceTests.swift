import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

// The programs of the design brief for property wrappers, namespaces, migrations and records, with nothing but
// `import SettingsKit`: they must compile and do what they say.

private enum City: String, Codable, Sendable {
    case cupertino, berlin
}

private enum Layout: String, Codable, Sendable {
    case wide, compact
}

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let city = Setting<City>("city", in: .defaults, default: .berlin)
    fileprivate static let layout = Setting<Layout>("layout", in: .defaults, default: .wide)
}

private let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
private let store = MemoryStore()
private let suite = "SurfacesFaceTests-\(UUID().uuidString)"
private let preferences = UserDefaultsStore(suite: suite)

private final class Player {
    @Persisted(.volume, in: settings) var volume
    @Persisted(key: "foo-bar", storedBy: preferences) var bar: String?
    @Persisted(key: "retries", storedBy: store, transformer: JSONTransformer()) var retries = 3
}

private enum Animals: SettingsNamespace { static let id = "animals" }

private enum Cats: SettingsNamespace {
    typealias Parent = Animals
    static let id = "cats"
    static let calls = Mutex<[String]>([])

    static func preCommitHook() { calls.withLock { $0.append("pre") } }
    static func postCommitHook() { calls.withLock { $0.append("post") } }
}

private struct LoudKey<Value: Codable & Sendable>: SettingKey {
    let key: SettingsService.StorageKey
    let defaultValue: Value
    let heard: @Sendable (Value, Value) -> Void

    func didChange(_ oldValue: Value, newValue: Value) { heard(oldValue, newValue) }
}

private struct Parameters: SettingsRecord, Equatable {
    var isDetailed = false
    var apiURL: URL?
    var armedAt: Date?

    static let empty = Parameters()
}

@Suite("The public face: wrappers, namespaces, migrations, records")
struct SurfacesFaceTests {
    @Test("The public face: wrappers, namespaces, migrations, records: property wrappers")
    func persisted() async throws {
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let player = Player()
        #expect(player.volume == 0.5)
        player.volume = 7
        #expect(player.volume == 1)
        #expect(settings.get(.volume) == 1)

        let heard = Mutex<[String?]>([])
        let token = player.$bar.observe { change in heard.withLock { $0.append(change.newValue) } }
        #expect(player.bar == nil)
        player.bar = "new-value"
        #expect(player.bar == "new-value")
        #expect(UserDefaults(suiteName: suite)?.object(forKey: "foo-bar") as? String == "new-value")
        player.bar = nil
        #expect(UserDefaults(suiteName: suite)?.object(forKey: "foo-bar") == nil)
        #expect(heard.withLock { $0 } == ["new-value", nil])
        token.cancel()

        for await bar in player.$bar.values {
            #expect(bar == nil)
            break
        }
        try player.$bar.save("x")
        #expect(try player.$bar.load() == "x")
        player.$bar.reset()
        try player.$bar.remove()
        #expect(player.bar == nil)
        player.$retries.update { $0 += 1 }
        player.$retries.reset()

        #expect(player.retries == 3)
        player.retries += 1
        #expect(store.get(.init("retries", scope: .defaults)) == Data("4".utf8))
        for await retries in player.$retries.values {
            #expect(retries == 4)
            break
        }
    }

    @Test(
        "The public face: wrappers, namespaces, migrations, records: namespaces, keys of your own, typed access to a bare store, hooks"
    )
    func namespaces() throws {
        let lion = Setting<String?>("lion", in: .defaults, namespace: Cats.self)
        #expect(lion.key.name == "animals:cats:lion")
        let store = MemoryStore()
        store.set(lion, to: "Leo")
        #expect(store.get(lion) == "Leo")
        #expect(Cats.calls.withLock { $0 } == ["pre", "post"])

        let heard = Mutex<[String]>([])
        let loud = LoudKey(key: .init("loud", scope: .defaults), defaultValue: 1) { old, new in
            heard.withLock { $0.append("\(old) \(new)") }
        }
        store.set(loud, to: 2)
        store.set(loud, to: 2)
        #expect(store.get(loud) == 2)
        #expect(heard.withLock { $0 } == ["1 2"])
        store.reset(lion)
        #expect(store.get(lion) == nil)
        try store.save(lion, to: "Leo")
        try store.removeAll(in: Cats.self)
        #expect(store.get(lion) == nil)
        store.removeAll()
        #expect(store.get(loud) == 1)
    }

    @Test("The public face: wrappers, namespaces, migrations, records: migrations")
    func migrations() throws {
        let store = MemoryStore(["OldCityKey": Data("\"cupertino\"".utf8)])
        let settings = SettingsService(defaults: store, diagnosticSink: .none)
        let report = try settings.migrate([
            .rename("OldCityKey", to: .city) { (old: String) in City(rawValue: old) },
            .version("2026-11-compact") { t in t.set(.layout, to: .compact) },
        ])
        #expect(report.appliedVersions == ["2026-11-compact"])
        #expect(settings.get(.city) == .cupertino)
        #expect(settings.get(.layout) == .compact)
        #expect(!store.keys().contains("OldCityKey"))
    }

    @Test("The public face: wrappers, namespaces, migrations, records: records")
    func records() async throws {
        let store = MemoryStore()
        let parameters = try SettingsStorage<Parameters>(name: "network", in: store)
        let url = try #require(URL(string: "https://example.org/api"))
        parameters.isDetailed = true
        parameters.set(\.apiURL, to: url)
        #expect(parameters.isDetailed)
        #expect(parameters.apiURL == url)
        #expect(Set(store.keys()) == ["network:isDetailed", "network:apiURL"])
        for await record in parameters.values {
            #expect(record == Parameters(isDetailed: true, apiURL: url))
            break
        }
        parameters.set(.empty)
        #expect(parameters.get() == .empty)
        parameters.isDetailed = true
        parameters.reset()
        #expect(parameters.get() == .empty)
        #expect(store.keys().isEmpty)
    }
}
