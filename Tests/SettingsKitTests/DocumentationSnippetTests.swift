import Foundation
import Observation
import SettingsKit
import Testing

// The Swift snippets of the documentation catalogue, as compiled code: `.ci/docs` fails when one of them is not among these
// lines. Names are private here, so that they do not collide with those of other tests. A snippet that several articles
// show is here once.

private enum Theme: String, Codable, Sendable {
    case system, light, dark
}

extension SettingsService.SettingDefinition {
    fileprivate static let launchCount = Setting<Int>(
        "launchCount", in: .defaults, default: 0)
    fileprivate static let nickname = Setting<String?>("nickname", in: .defaults)
    fileprivate static let volume = Setting<Double>(
        "volume", in: .defaults, default: 0.5
    ) {
        min(max($0, 0), 1)
    }
    fileprivate static let theme = Setting<Theme>(
        "theme", in: .shared, default: .system)
    fileprivate static let installed = Setting<Date>(
        "installed", in: .defaults, default: .computed { Date() })
    fileprivate static let searches = Setting<[String]>(
        "searches", in: .custom(id: "session"), default: [])
    fileprivate static let thumbnail = Setting<Data?>(
        "thumbnail", in: .custom(id: "cache"))
    fileprivate static let lastBackup = Setting<Date>(
        "lastBackup", in: .defaults, default: .distantPast,
        transformer: iso8601Transformer())
    fileprivate static let token = Setting<String?>(
        "token", in: .defaults,
        transformer: JSONTransformer().append(
            transformer: ReversingTransformer()))
}

// MARK: SettingsKit

private func countLaunch(in settings: SettingsService) -> Int {
    settings.update(.launchCount) { $0 += 1 }
    return settings.get(.launchCount)
}

// MARK: Using settings

private func makeService(file: URL) throws -> SettingsService {
    let settings = SettingsService(
        defaults: try PropertyListStore(url: file))
    settings.register(MemoryStore(), for: .custom(id: "session"))
    return settings
}

private func writeWithoutBlocking(
    in settings: SettingsService
) async throws {
    try await settings.async.save(.volume, to: 0.8)
    await settings.async.update(.launchCount) { $0 += 1 }
    try await settings.async.synchronize()
}

private func play(in settings: SettingsService) {
    let volume = settings.get(.volume)
    settings.set(.volume, to: volume + 0.1)
    settings[.nickname] = "Ann"
    settings.update(.launchCount) { $0 += 1 }
    settings.transaction { t in
        t.set(.launchCount, to: 1)
        t.reset(.nickname)
    }
    settings.reset(.volume)
    print(settings.isSet(.volume), settings.keys(in: .defaults))
}

private func saveTheme(_ theme: Theme, in settings: SettingsService) throws {
    do {
        try settings.save(.theme, to: theme)
        try settings.synchronize()
    } catch SettingsError.Code.noStore {
        print("Themes are not shared on this machine.")
    }
}

@Test private func aThemeIsRemembered() {
    let settings = SettingsService(
        defaults: MemoryStore(), shared: MemoryStore(),
        diagnosticSink: .none)
    settings.set(.theme, to: .dark)
    #expect(settings.get(.theme) == .dark)
}

@Test private func theServiceOfTheGuidePlays() async throws {
    try await withTemporaryFolder { folder in
        let settings = try makeService(file: folder.appendingPathComponent("Settings.plist"))
        play(in: settings)
        #expect(settings.get(.launchCount) == 1)
        #expect(settings.keys(in: .defaults) == ["launchCount"])
        try saveTheme(.dark, in: settings)
        #expect(settings.get(.theme) == .system)
        #expect(countLaunch(in: settings) == 2)
        #expect(!settings.isSet(.installed))
    }
}

// MARK: Choosing a scope

private func serviceWithScopes(folder: URL) throws -> SettingsService {
    let settings = SettingsService(
        defaults: try PropertyListStore(
            url: folder.appending(path: "Settings.plist")),
        shared: try DirectoryStore(
            at: folder.appending(path: "Synced"),
            state: folder.appending(path: "State")),
        storesForCustomScopes: [.custom(id: "session"): MemoryStore()])
    settings.register(
        CacheStore(countLimit: 100), for: .custom(id: "cache"))
    return settings
}

@Test private func eachScopeOfTheExampleHasAStore() async throws {
    try await withTemporaryFolder { folder in
        let settings = try serviceWithScopes(folder: folder)
        try settings.save(.searches, to: ["swift"])
        try settings.save(.thumbnail, to: Data([1]))
        try settings.save(.theme, to: .light)
        #expect(settings.get(.searches) == ["swift"])
        #expect(settings.get(.thumbnail) == Data([1]))
        #expect(settings.get(.theme) == .light)
    }
}

// MARK: Observing

private func follow(_ settings: SettingsService) async {
    for await theme in settings.values(of: .theme) {
        print("The theme is \(theme).")
    }
}

private func log(_ settings: SettingsService) async {
    for await change in settings.changes(of: .theme) {
        print("\(change.oldValue) became \(change.newValue)")
    }
}

private func announce(_ settings: SettingsService) -> SettingsService.Subscription {
    settings.observe(.volume) { change in
        print("volume: \(change.newValue)")
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
private func apply(_ settings: SettingsService) async {
    let theme = settings.value(.theme)
    for await current in Observations({ theme.value }) {
        print("The theme is \(current).")
    }
}

private func redrawWhenNeeded(
    _ settings: SettingsService
) -> SettingsService.Subscription {
    settings.observe(.theme, .volume) { changes in
        if changes.contains(.theme) { print("redraw") }
    }
}

private func watchForProblems(_ settings: SettingsService) async {
    for await problem in settings.diagnostics
    where problem.code == .notSaved {
        print("Settings cannot be written at the moment: \(problem)")
    }
}

@Test(.timeLimit(.minutes(2))) private func theListenersOfObservingEndWithTheirTasks() async {
    let settings = SettingsService(defaults: MemoryStore(), shared: MemoryStore(), diagnosticSink: .none)
    let subscriptions = [announce(settings), redrawWhenNeeded(settings)]
    let tasks = [
        Task { await follow(settings) }, Task { await log(settings) }, Task { await watchForProblems(settings) },
    ]
    settings.set(.theme, to: .dark)
    settings.set(.volume, to: 0.25)
    for subscription in subscriptions { subscription.cancel() }
    for task in tasks {
        task.cancel()
        await task.value
    }
    #expect(settings.get(.theme) == .dark)
}

// MARK: The shared directory

private func sharedService(folder: URL, state: URL) throws -> SettingsService {
    var options = DirectoryStore.Options()
    options.deviceName = "Ann's laptop"
    return SettingsService(
        defaults: nil,
        shared: try DirectoryStore(
            at: folder, state: state, options: options))
}

private func share(_ settings: SettingsService) throws {
    do {
        try settings.synchronize()
    } catch SettingsError.Code.notSaved {
        print("Saved here. Other devices receive it later.")
    }
}

private func shareOldSettings(of file: URL, in store: DirectoryStore) throws {
    let count = try store.importPropertyList(at: file)
    print("\(count) settings are shared from now on.")
}

private func printState(of store: DirectoryStore) {
    for replica in store.replicas {
        print(
            replica.deviceName, replica.lastSeen,
            replica.isOwn ? "(this device)" : "")
    }
    for problem in store.report.problems {
        print(problem)
    }
}

@Test private func settingsAreSharedThroughADirectory() async throws {
    try await withTemporaryFolder { folder in
        let shared = folder.appendingPathComponent("Synced")
        let laptop = try sharedService(folder: shared, state: folder.appendingPathComponent("Laptop"))
        try laptop.save(.theme, to: .dark)
        try share(laptop)
        let store = try DirectoryStore(at: shared, state: folder.appendingPathComponent("Phone"))
        try store.synchronize()
        let phone = SettingsService(defaults: nil, shared: store, diagnosticSink: .none)
        #expect(phone.get(.theme) == .dark)
        printState(of: store)
        #expect(store.replicas.contains { $0.deviceName == "Ann's laptop" && !$0.isOwn })
        #expect(store.report.problems.isEmpty)
    }
}

@Test private func importedSettingsAreShared() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        let old = try PropertyListStore(url: file)
        try SettingsService(defaults: nil, shared: old, diagnosticSink: .none).save(.theme, to: .light)
        let store = try DirectoryStore(
            at: folder.appendingPathComponent("Synced"), state: folder.appendingPathComponent("State"))
        try shareOldSettings(of: file, in: store)
        #expect(SettingsService(defaults: nil, shared: store, diagnosticSink: .none).get(.theme) == .light)
    }
}

// MARK: Stored forms

private func iso8601Transformer() -> JSONTransformer<Date> {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return JSONTransformer(encoder: encoder, decoder: decoder)
}

private struct ReversingTransformer: Transformer {
    func transformValue(_ value: Data) throws -> Data {
        Data(value.reversed())
    }
    func untransformValue(_ output: Data) throws -> Data {
        Data(output.reversed())
    }
}

@Test private func transformedSettingsComeBack() throws {
    let store = MemoryStore()
    let settings = SettingsService(defaults: store, diagnosticSink: .none)
    try settings.save(.lastBackup, to: Date(timeIntervalSinceReferenceDate: 0))
    try settings.save(.token, to: "abc")
    let again = SettingsService(defaults: store, diagnosticSink: .none)
    #expect(try again.load(.lastBackup) == Date(timeIntervalSinceReferenceDate: 0))
    #expect(try again.load(.token) == "abc")
    let key = SettingsService.StorageKey("lastBackup", scope: .defaults)
    #expect(store.get(key) == Data("\"2001-01-01T00:00:00Z\"".utf8))
    #expect(store.get(.init("token", scope: .defaults)) == Data("\"cba\"".utf8))
}
