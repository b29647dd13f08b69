import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

// The Swift snippets of the articles for people who come from other libraries, as compiled code; see
// DocumentationSnippetTests.swift. The view is in SwiftUISnippets.swift.

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>("volume", in: .defaults, default: 0.5)
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
}

// MARK: UserDefaults

private func settingsInUserDefaults() -> SettingsService {
    SettingsService(defaults: UserDefaultsStore.standard)
}

private func moveFromUserDefaults(
    _ preferences: some SettingsStore, to file: URL
) throws -> SettingsService {
    let settings = SettingsService(
        defaults: try PropertyListStore(url: file),
        storesForCustomScopes: [.custom(id: "old"): preferences])
    try settings.migrate([
        .move(.volume, from: .custom(id: "old")),
        .move(.nickname, from: .custom(id: "old")),
    ])
    return settings
}

@Test("Coming from UserDefaults: values are moved once, and a value that is set already stays")
private func valuesAreMovedFromUserDefaults() async throws {
    #expect(settingsInUserDefaults().keys(in: .shared).isEmpty)
    try await withSuite { suite in
        try await withTemporaryFolder { folder in
            let defaults = try #require(UserDefaults(suiteName: suite))
            defaults.set(0.8, forKey: "volume")
            defaults.set("Ann", forKey: "nickname")
            let file = folder.appendingPathComponent("Settings.plist")
            let settings = try moveFromUserDefaults(UserDefaultsStore(suite: suite), to: file)
            #expect(settings[.volume] == 0.8 && settings[.nickname] == "Ann")
            #expect(defaults.object(forKey: "volume") == nil)
            try settings.save(.volume, to: 0.1)
            defaults.set(0.9, forKey: "volume")
            #expect(try moveFromUserDefaults(UserDefaultsStore(suite: suite), to: file)[.volume] == 0.1)
        }
    }
}

@Test("Coming from UserDefaults: a setting over UserDefaults and the rest of the app have one value")
private func settingsStayInUserDefaults() throws {
    try withSuite { suite in
        let defaults = try #require(UserDefaults(suiteName: suite))
        let settings = SettingsService(defaults: UserDefaultsStore(suite: suite), diagnosticSink: .none)
        defaults.set(0.8, forKey: "volume")
        #expect(settings[.volume] == 0.8)
        try settings.save(.volume, to: 0.2)
        #expect(defaults.double(forKey: "volume") == 0.2)
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

// MARK: Defaults

private struct Account: Codable, Equatable, Sendable {
    var name = ""
}

extension SettingsService.SettingDefinition {
    fileprivate static let account = Setting<Account>(
        "account", in: .defaults, default: Account())
}

private func convertAccount(in settings: SettingsService) throws {
    try settings.migrate([
        .rename("account", to: .account) { (old: String) in
            try? JSONDecoder().decode(Account.self, from: Data(old.utf8))
        }
    ])
}

@Test("Coming from Defaults: a value that was stored as a string of JSON is converted in place")
private func aStringOfJSONIsConverted() throws {
    try withSuite { suite in
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.set(#"{"name":"Ann"}"#, forKey: "account")
        let settings = SettingsService(defaults: UserDefaultsStore(suite: suite), diagnosticSink: .none)
        #expect(settings[.account] == Account())
        try convertAccount(in: settings)
        #expect(settings[.account] == Account(name: "Ann"))
        try convertAccount(in: settings)
        #expect(try settings.load(.account) == Account(name: "Ann"))
    }
}

// MARK: swift-sharing

extension SettingsService.SettingDefinition {
    fileprivate static let meetings = Setting<[String]>(
        "meetings", in: .defaults, default: [])
}

private func importMeetings(from file: URL, to settings: SettingsService) throws {
    try settings.migrate([
        .version("meetings-from-json") { t in
            let data = try Data(contentsOf: file)
            let meetings = try JSONDecoder().decode(
                [String].self, from: data)
            t.set(.meetings, to: meetings)
        }
    ])
}

@Test("Coming from swift-sharing: a file of JSON is read once, and again if it could not be read")
private func aFileOfJSONIsReadOnce() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("meetings.json")
        let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
        #expect(throws: SettingsError.self) { try importMeetings(from: file, to: settings) }
        try Data(#"["Monday"]"#.utf8).write(to: file)
        try importMeetings(from: file, to: settings)
        #expect(settings[.meetings] == ["Monday"])
        settings.reset(.meetings)
        try importMeetings(from: file, to: settings)
        #expect(settings[.meetings].isEmpty)
    }
}

// MARK: swift-configuration

extension SettingsService.SettingDefinition {
    fileprivate static let timeout = Setting<Int>(
        "http.timeout", in: .defaults, default: 60,
        validation: .range(1...))
    fileprivate static let apiKey = Setting<String?>(
        "api.key", in: .defaults, isSecret: true)
}

private func serverSettings(
    arguments: [String], variables: [String: String], file: URL
) throws -> SettingsService {
    SettingsService(
        defaults: try LayeredStore([
            .arguments(arguments),
            .environment(prefix: "APP_", variables),
            .writable(MemoryStore()),
            .fallback(
                try PropertyListStore(url: file, access: .readOnly),
                name: "file"),
        ]))
}

private struct MissingSetting: Error {
    let name: String
}

private func requiredKey(in settings: SettingsService) throws -> String {
    guard let key = try settings.load(.apiKey) else {
        throw MissingSetting(name: "api.key")
    }
    return key
}

@Test("Coming from swift-configuration: arguments, variables and a file in this order, and a required value")
private func aServerReadsArgumentsVariablesAndAFile() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        let text = "<plist version=\"1.0\"><dict><key>http.timeout</key><integer>30</integer></dict></plist>"
        try Data(text.utf8).write(to: file)
        func settings(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> SettingsService {
            try serverSettings(arguments: arguments, variables: variables, file: file)
        }
        #expect(try settings()[.timeout] == 30)
        #expect(try settings([], ["APP_HTTP_TIMEOUT": "15"])[.timeout] == 15)
        #expect(try settings(["--http-timeout", "10"], ["APP_HTTP_TIMEOUT": "15"])[.timeout] == 10)
        #expect(throws: MissingSetting.self) { try requiredKey(in: settings()) }
        #expect(try requiredKey(in: settings([], ["APP_API_KEY": "k-1"])) == "k-1")
    }
}
