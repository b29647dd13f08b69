import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

// The Swift snippets of the articles about properties, namespaces, records and migrations, as compiled code; see
// DocumentationSnippetTests.swift.

private enum Theme: String, Codable, Sendable {
    case system, light, dark
}

private enum City: String, Codable, Sendable {
    case unknown, berlin
}

private enum Layout: String, Codable, Sendable {
    case wide, compact
}

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5) { min(max($0, 0), 1) }
    fileprivate static let theme = Setting<Theme>("theme", in: .shared, default: .system)
    fileprivate static let city = Setting<City>("city", in: .defaults, default: .unknown)
    fileprivate static let layout = Setting<Layout>("layout", in: .defaults, default: .wide)
}

private let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
private let store = MemoryStore()

private struct ReversingTransformer: Transformer {
    func transformValue(_ value: Data) throws -> Data {
        Data(value.reversed())
    }
    func untransformValue(_ output: Data) throws -> Data {
        Data(output.reversed())
    }
}

// MARK: Persisted properties

private final class Player {
    @Persisted(.volume, in: settings) var volume
    @Persisted(key: "foo-bar", storedBy: UserDefaultsStore.standard)
    var bar: String?
    @Persisted(
        key: "retries", storedBy: MemoryStore(),
        transformer: JSONTransformer()) var retries = 3
}

private final class SharedPlayer: Sendable {
    let volume = Persister(.volume, in: settings)

    func mute() { volume.value = 0 }
}

private struct Installation {
    @Persisted(
        key: "installation", storedBy: store,
        persistDefault: .whenNil) var id = UUID()
}

private final class Uploader {
    @Persisted var endpoint: URL?

    init(store: some SettingsStore) {
        _endpoint = Persisted(key: "endpoint", storedBy: store)
    }
}

private func watch(_ player: Player) -> SettingsService.Subscription {
    player.$bar.observe { change in
        print("\(change.origin): \(change.newValue ?? "removed")")
    }
}

private func follow(_ player: Player) async {
    for await bar in player.$bar.values {
        print(bar ?? "nothing")
    }
}

private func replaceBar(of player: Player) throws {
    let old = try player.$bar.load()
    try player.$bar.save((old ?? "") + "!")
    try player.$bar.remove()
}

private struct Session {
    @Persisted(
        key: "token", storedBy: store,
        transformer: JSONTransformer<String>().append(
            transformer: ReversingTransformer()
        ).forOptional())
    var token: String?
}

@Test private func propertiesOfTheArticleHaveTheirValues() throws {
    SharedPlayer().mute()
    #expect(settings.get(.volume) == 0)

    let id = Installation().id
    #expect(Installation().id == id)

    let uploader = Uploader(store: store)
    uploader.endpoint = URL(string: "https://example.org")
    #expect(Uploader(store: store).endpoint == URL(string: "https://example.org"))

    let session = Session()
    session.token = "abc"
    #expect(store.get(.init("token", scope: .defaults)) == Data("\"cba\"".utf8))
    session.token = nil
    #expect(store.get(.init("token", scope: .defaults)) == nil)
}

// MARK: Namespaces

private enum Animals: SettingsNamespace { static let id = "animals" }

private enum Cats: SettingsNamespace {
    typealias Parent = Animals
    static let id = "cats"

    static func preCommitHook() { print("A cat is about to change.") }
    static func postCommitHook() { print("A cat has changed.") }
}

private enum CatSettings {
    static let lion = Setting<String?>(
        "lion", in: .defaults, namespace: Cats.self)
    static let lives = Setting<Int>(
        "lives", in: .defaults, namespace: Cats.self, default: 9)
}

private struct AuditedKey<Value: Codable & Sendable>: SettingKey {
    let key: SettingsService.StorageKey
    let defaultValue: Value
    let audit: @Sendable (String) -> Void

    func process(_ value: Value) -> Value { value }
    func willChange(_ oldValue: Value, newValue: Value) {
        audit("\(key) will change")
    }
    func didChange(_ oldValue: Value, newValue: Value) {
        audit("\(key) has changed")
    }
}

private func useStore(
    _ store: some SettingsStore, audit: @escaping @Sendable (String) -> Void
) throws {
    let answer = AuditedKey(
        key: .init("answer", scope: .defaults), defaultValue: 0,
        audit: audit)
    store.set(answer, to: 42)
    store.set(CatSettings.lion, to: "Leo")
    print(store.get(answer), store.get(CatSettings.lion) ?? "no lion")

    try store.save(answer, to: 43)
    let name = try store.load(CatSettings.lion)
    print(name ?? "no lion")

    try store.removeAll(in: Cats.self)
    try store.removeAll()
}

@Test private func aStoreIsUsedWithoutAService() throws {
    let heard = Mutex<[String]>([])
    let store = MemoryStore()
    try useStore(store) { text in heard.withLock { $0.append(text) } }
    #expect(heard.withLock { $0.count } == 4)
    #expect(store.keys().isEmpty)
    #expect(store.get(CatSettings.lives) == 9)
}

// MARK: Migrations

private func openSettings(_ settings: SettingsService) throws {
    let report = try settings.migrate([
        .rename("OldCityKey", to: .city) { (old: String) in
            City(rawValue: old)
        },
        .move(.theme, from: .defaults),
        .version("2026-11-compact") { t in
            if t.get(.volume) > 0.9 { t.set(.layout, to: .compact) }
        },
    ])
    if !report.unknownVersions.isEmpty {
        print("A newer version was here.")
    }
}

@Test private func theMigrationOfTheArticleMovesAndConverts() throws {
    let old = MemoryStore([
        "OldCityKey": Data("\"berlin\"".utf8), "theme": Data("\"dark\"".utf8), "volume": Data("1".utf8),
    ])
    let settings = SettingsService(defaults: old, shared: MemoryStore(), diagnosticSink: .none)
    try openSettings(settings)
    try openSettings(settings)
    #expect(settings.get(.city) == .berlin)
    #expect(settings.get(.theme) == .dark)
    #expect(settings.get(.layout) == .compact)
    #expect(Set(old.keys()) == ["city", "volume", "layout", SettingsService.migrationLedger])
}

// MARK: Records

private struct Parameters: SettingsRecord {
    var isDetailed = false
    var apiURL: URL?
    var armedAt: Date?

    static let empty = Parameters()
}

private func configure(_ store: some SettingsStore, url: URL) throws {
    let parameters = try SettingsStorage<Parameters>(
        name: "network", in: store)

    let wasDetailed = parameters.isDetailed
    parameters.isDetailed = true
    parameters.set(\.apiURL, to: url)
    parameters.update { record in
        record.armedAt = wasDetailed ? nil : Date()
        record.isDetailed.toggle()
    }
    parameters.set(.empty)
    parameters.reset()
}

private func follow(_ parameters: SettingsStorage<Parameters>) async {
    for await record in parameters.values {
        print(record.isDetailed)
    }
}

private struct Branding: SettingsRecord {
    var title = ""
    var accent: URL?

    static let empty = Branding()

    func save(into row: inout SettingsRow) throws {
        row["Title"] = title
        row["accent-url"] = accent?.absoluteString
    }

    static func load(from row: SettingsRow) throws -> Branding {
        let title: String? = row["Title"]
        let accent: String? = row["accent-url"]
        return Branding(
            title: title ?? empty.title,
            accent: accent.flatMap { URL(string: $0) } ?? empty.accent)
    }
}

private func openParameters(
    in store: some SettingsStore
) throws -> SettingsStorage<Parameters> {
    try SettingsStorage(
        name: "network", in: store,
        migrations: [
            .rename(
                "ApiAddress",
                to: Setting<URL?>("network:apiURL", in: .defaults))
        ])
}

@Test private func recordsOfTheArticleAreStoredFieldByField() async throws {
    let store = MemoryStore(["ApiAddress": Data("\"https://example.org\"".utf8)])
    let parameters = try openParameters(in: store)
    #expect(parameters.apiURL == URL(string: "https://example.org"))
    let task = Task { await follow(parameters) }
    try configure(store, url: #require(URL(string: "https://example.com")))
    #expect(store.keys().isEmpty)
    task.cancel()
    await task.value

    let branding = try SettingsStorage<Branding>(name: "branding", in: store)
    branding.title = "SettingsKit"
    #expect(store.get(.init("branding:Title", scope: .defaults)) == Data("\"SettingsKit\"".utf8))
}
