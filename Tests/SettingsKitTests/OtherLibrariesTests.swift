import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

// The usage examples of the libraries that this one grew from, with only names changed; see the article "Coming from
// other libraries".

private struct Bar: Codable, Sendable, Equatable {
    var baz: String
}

/// The preferences of one test.
private func withPreferences(_ body: (UserDefaultsStore, UserDefaults) async throws -> Void) async throws {
    let suite = "OtherLibrariesTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
    try await body(UserDefaultsStore(suite: suite), defaults)
}

@Suite("Usage examples of property wrappers elsewhere")
struct PropertyWrapperExamplesTests {
    @Test("Usage examples of property wrappers elsewhere: a property over UserDefaults, and its subscribers")
    func userDefaults() async throws {
        class Foo {
            @Persisted var bar: String?

            init(_ store: UserDefaultsStore) { _bar = Persisted(key: "foo-bar", storedBy: store) }
        }
        try await withPreferences { store, defaults in
            let foo = Foo(store)
            #expect(foo.bar == nil)
            let updates = Mutex(0)
            let cancellable = foo.$bar.observe { _ in updates.withLock { $0 += 1 } }
            foo.bar = "new-value"
            #expect(defaults.object(forKey: "foo-bar") as? String == "new-value")
            #expect(updates.withLock { $0 } == 1)
            cancellable.cancel()
        }
    }

    @Test("A property with a transformer; listeners receive values before encoding and after decoding")
    func transformer() async throws {
        class Foo {
            @Persisted var bar: Bar?

            init(_ store: UserDefaultsStore) {
                _bar = Persisted(key: "bar", storedBy: store, transformer: JSONTransformer())
            }
        }
        try await withPreferences { store, _ in
            let foo = Foo(store)
            let heard = Mutex<[Bar?]>([])
            let cancellable = foo.$bar.observe { update in heard.withLock { $0.append(update.newValue) } }
            foo.bar = Bar(baz: "one")
            foo.bar = nil
            #expect(heard.withLock { $0 } == [Bar(baz: "one"), nil])
            cancellable.cancel()
        }
    }

    @Test("A wrapper that is made in an initializer, with an encoder and a decoder")
    func initializer() async throws {
        class Foo {
            @Persisted var bar: [Date]?

            init(_ store: UserDefaultsStore) {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .secondsSince1970
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .secondsSince1970
                let transformer = JSONTransformer<[Date]?>(encoder: encoder, decoder: decoder)
                _bar = Persisted(key: "foo-bar", storedBy: store, transformer: transformer)
            }
        }
        try await withPreferences { store, defaults in
            let foo = Foo(store)
            foo.bar = [Date(timeIntervalSince1970: 7)]
            #expect(foo.bar == [Date(timeIntervalSince1970: 7)])
            #expect(defaults.object(forKey: "foo-bar") as? [Int] == [7])
        }
    }
}

private enum Animals: SettingsNamespace { static let id = "animals" }

private enum Cats: SettingsNamespace {
    typealias Parent = Animals
    static let id = "cats"
    static let commits = Mutex<[String]>([])

    static func preCommitHook() { commits.withLock { $0.append("pre") } }
    static func postCommitHook() { commits.withLock { $0.append("post") } }
}

private struct CustomObject: Codable, Sendable {
    var strings: [String]
}

private final class WeatherService {
    private enum Keys: SettingsNamespace {
        static let id = "weather-service"
        static let temperature = Setting<Double>("temp", in: .defaults, namespace: Keys.self, default: 0)
    }

    private let store: UserDefaultsStore

    var temperature: Double { store.get(Keys.temperature) }

    init(store: UserDefaultsStore) { self.store = store }

    func weatherUpdate(temperature: Double) { store.set(Keys.temperature, to: temperature) }
}

extension Notification.Name {
    fileprivate static let myKey = Notification.Name("OtherLibrariesTests.myKey")
}

private struct MyKey<Value: Codable & Sendable>: SettingKey {
    var key: SettingsService.StorageKey
    var defaultValue: Value

    func didChange(_ oldValue: Value, newValue: Value) {
        NotificationCenter.default.post(name: .init(key.name), object: nil)
    }
}

private enum City: String, Codable, Sendable {
    case unknown, cupertino
}

@Suite("Usage examples of typed stores elsewhere")
struct TypedStoreExamplesTests {
    @Test("Usage examples of typed stores elsewhere: keys in a namespace, used by a service")
    func weather() async throws {
        try await withPreferences { store, defaults in
            let service = WeatherService(store: store)
            #expect(service.temperature == 0)
            service.weatherUpdate(temperature: 21.5)
            #expect(service.temperature == 21.5)
            #expect(defaults.double(forKey: "weather-service:temp") == 21.5)
        }
    }

    @Test("Usage examples of typed stores elsewhere: nested namespaces and their hooks")
    func nested() {
        let kingdom = Setting<Bool?>("mammals", in: .defaults, namespace: Animals.self)
        #expect(kingdom.key.name == "animals:mammals")
        let cat = Setting<Bool?>("lion", in: .defaults, namespace: Cats.self)
        #expect(cat.key.name == "animals:cats:lion")
        MemoryStore().set(cat, to: true)
        #expect(Cats.commits.withLock { $0 } == ["pre", "post"])
    }

    @Test(
        "Usage examples of typed stores elsewhere: three simple functions, optionality honored throughout, and a processing block"
    )
    func functions() async throws {
        try await withPreferences { store, _ in
            let key = Setting<Int?>("key", in: .defaults)
            store.set(key, to: 8)
            #expect(store.get(key) == 8)
            try store.removeAll()
            #expect(store.get(key) == nil)

            let nullable = Setting<String?>("nullable", in: .defaults)
            #expect(store.get(nullable)?.isEmpty == nil)
            store.set(nullable, to: "")
            #expect(store.get(nullable)?.isEmpty == true)

            let nonnull = Setting<String>("nonnull", in: .defaults, default: "!")
            #expect(store.get(nonnull).isEmpty == false)
            store.set(nonnull, to: "")
            #expect(store.get(nonnull).isEmpty == true)

            let customObject = CustomObject(strings: ["fill", "in", "the"])
            let customKey = Setting<CustomObject?>("custom", in: .defaults) {
                var processedValue = $0
                processedValue?.strings.append("blank!")
                return processedValue
            }
            store.set(customKey, to: customObject)
            #expect(store.get(customKey)?.strings.joined(separator: " ") == "fill in the blank!")
        }
    }

    @Test("Usage examples of typed stores elsewhere: a key type that posts notifications on change")
    func notifications() {
        let posted = Mutex(0)
        let observer = NotificationCenter.default.addObserver(forName: .myKey, object: nil, queue: nil) { _ in
            posted.withLock { $0 += 1 }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let key = MyKey(key: .init(Notification.Name.myKey.rawValue, scope: .defaults), defaultValue: 0)
        let store = CacheStore()
        store.set(key, to: 1)
        #expect(store.get(key) == 1)
        #expect(posted.withLock { $0 } == 1)
    }

    @Test("Usage examples of typed stores elsewhere: migration from a legacy key")
    func migration() async throws {
        let city = Setting<City>("city", in: .defaults, namespace: Animals.self, default: .unknown)
        try await withPreferences { store, defaults in
            defaults.set("cupertino", forKey: "OldCityKey")
            try store.migrate([
                .rename("OldCityKey", to: city) { (oldValue: String) in City(rawValue: oldValue) }
            ])
            #expect(store.get(city) == .cupertino)
            #expect(defaults.object(forKey: "OldCityKey") == nil)
        }
    }
}

private struct Parameters: Equatable {
    var isDetailed: Bool
    var apiUrl: URL?
    var armedAt: Date?
}

private enum Columns {
    static let isDetailed = "isDetailed"
    static let apiUrl = "apiUrl"
    static let armedAt = "armedAt"
}

extension Parameters: SettingsRecord {
    static let empty = Parameters(isDetailed: false, apiUrl: nil, armedAt: nil)

    func save(into row: inout SettingsRow) throws {
        row[Columns.isDetailed] = isDetailed
        row[Columns.apiUrl] = apiUrl?.absoluteString
        row[Columns.armedAt] = armedAt?.timeIntervalSince1970
    }

    static func load(from row: SettingsRow) throws -> Parameters {
        let isDetailed: Bool? = row[Columns.isDetailed]
        let apiUrl: String? = row[Columns.apiUrl]
        let armedAt: TimeInterval? = row[Columns.armedAt]
        return Parameters(
            isDetailed: isDetailed ?? Parameters.empty.isDetailed,
            apiUrl: apiUrl.flatMap { URL(string: $0) } ?? Parameters.empty.apiUrl,
            armedAt: armedAt.map { Date(timeIntervalSince1970: $0) } ?? Parameters.empty.armedAt)
    }
}

@Suite("Usage examples of records elsewhere")
struct RecordExamplesTests {
    private typealias Settings = SettingsStorage<Parameters>

    @Test("Usage examples of records elsewhere: a storage with a name, in a folder, with versions")
    func records() throws {
        try withTemporaryDirectory { folder in
            let v01 = SettingsService.Migration.version("v01") { transaction in
                transaction.set(Setting<String?>("Settings:apiUrl", in: .defaults), to: "https://example.org")
            }
            let store = try PropertyListStore(url: URL(fileURLWithPath: folder + "/Settings.plist"))
            let settings = try Settings(name: "Settings", in: store, migrations: [v01])
            let branding = try Settings(name: "BrandingSettings", in: store)

            #expect(!settings.isDetailed)
            #expect(settings.apiUrl?.absoluteString == "https://example.org")
            let now = Date(timeIntervalSince1970: 1_234_567)
            settings.armedAt = now
            #expect(settings.armedAt == now)
            #expect(branding.get() == .empty)

            let again = try Settings(
                name: "Settings",
                in: PropertyListStore(url: URL(fileURLWithPath: folder + "/Settings.plist")), migrations: [v01])
            #expect(again.armedAt == now)
        }
    }
}

// MARK: SnapSettingsService

extension SettingsService.SettingDefinition {
    fileprivate static let exampleNumber = Setting<Int>("ExampleNumber", in: .defaults, default: 1)
    fileprivate static let exampleDate = Setting<Date?>("ExampleDate", in: .defaults, default: .distantPast)
    fileprivate static let exampleURL = Setting<URL?>("ExampleURL", in: .defaults)
    fileprivate static let exampleData = Setting<Data>(
        "ExampleData", in: .defaults, default: Data(), transformer: JSONTransformer())
}

@Test("Coming from SnapSettingsService: settings read the JSON that it has stored as data")
private func JSONStoredAsDataIsRead() throws {
    try withSuite { suite in
        let defaults = try #require(UserDefaults(suiteName: suite))
        let url = try #require(URL(string: "https://example.com/a"))
        let encoder = JSONEncoder()
        defaults.set(try encoder.encode(7), forKey: "ExampleNumber")
        defaults.set(try encoder.encode(Date?.none), forKey: "ExampleDate")
        defaults.set(try encoder.encode(url), forKey: "ExampleURL")
        defaults.set(try encoder.encode(Data([1, 2, 3])), forKey: "ExampleData")
        let settings = SettingsService(defaults: UserDefaultsStore(suite: suite), diagnosticSink: .none)
        #expect(try settings.load(.exampleNumber) == 7)
        #expect(try settings.load(.exampleDate) == nil)
        #expect(try settings.load(.exampleURL) == url)
        #expect(try settings.load(.exampleData) == Data([1, 2, 3]))
        try settings.save(.exampleNumber, to: 8)
        #expect(defaults.data(forKey: "ExampleNumber") == nil)
        #expect(defaults.integer(forKey: "ExampleNumber") == 8)
    }
}
