import Foundation
import Observation
import SettingsKit
import Testing

// The Swift snippets of the article with recipes, as compiled code; see DocumentationSnippetTests.swift. The recipe for export
// and import is in CommandLineSnippetTests.swift.

// MARK: A command-line tool

extension SettingsService.SettingDefinition {
    fileprivate static let volume = Setting<Double>(
        "volume", in: .defaults, default: 0.5, validation: .range(0...1))
}

private func playerSettings(
    arguments: [String], variables: [String: String], file: URL
) throws -> SettingsService {
    SettingsService(
        defaults: try LayeredStore([
            .arguments(arguments),
            .environment(prefix: "PLAYER_", variables),
            .writable(try PropertyListStore(url: file)),
        ]))
}

@Test("Recipes: a tool reads arguments before variables before its file")
private func aToolReadsArgumentsVariablesAndItsFile() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        func volume(_ arguments: [String], _ variables: [String: String]) throws -> Double {
            try playerSettings(arguments: arguments, variables: variables, file: file)[.volume]
        }
        try playerSettings(arguments: [], variables: [:], file: file).save(.volume, to: 0.1)
        #expect(try volume([], [:]) == 0.1)
        #expect(try volume([], ["PLAYER_VOLUME": "0.2"]) == 0.2)
        #expect(try volume(["--volume=0.3"], ["PLAYER_VOLUME": "0.2"]) == 0.3)
    }
}

// MARK: A server

extension SettingsService.SettingDefinition {
    fileprivate static let port = Setting<Int>(
        "port", in: .defaults, default: 8080, validation: .range(1...65_535)
    )
}

private func listen(
    _ settings: SettingsService, start: (Int) async -> Void
) async {
    for await port in settings.values(of: .port) {
        await start(port)
    }
}

private func reportMistakes(in settings: SettingsService) -> Int {
    let catalogue = SettingsCatalogue("Server") {
        SettingsGroup("Network", [.port])
    }
    let problems = catalogue.check(in: settings)
    for problem in problems { print("problem: \(problem)") }
    return problems.count
}

@Test("Recipes: a server starts again when its port is edited, and not after a bad edit", .timeLimit(.minutes(2)))
private func aServerIsEditedWhileItRuns() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        func edit(_ port: String) throws {
            let text = "<plist version=\"1.0\"><dict><key>port</key><integer>\(port)</integer></dict></plist>"
            try Data(text.utf8).write(to: file, options: .atomic)
        }
        try edit("9000")
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(
            defaults: try PropertyListStore(url: file), diagnosticSink: .init { problems.append($0) })
        #expect(reportMistakes(in: settings) == 0)
        let started = Recorder<Int>()
        let server = Task { await listen(settings) { started.append($0) } }
        try await until { started.all == [9000] }
        try edit("99000")
        try await until { problems.codes == [.invalidValue] }
        #expect(reportMistakes(in: settings) == 1)
        try edit("9001")
        try await until { started.all == [9000, 9001] }
        server.cancel()
        await server.value
    }
}

// MARK: A view model

@MainActor @Observable
private final class PlayerModel {
    var isExpanded = false
    @ObservationIgnored @Persisted var volume: Double

    init(settings: SettingsService) {
        _volume = Persisted(.volume, in: settings)
    }

    var label: String { "\(Int(volume * 100)) %" }
}

@Test("Recipes: a view model's label is observed when the setting changes elsewhere", .timeLimit(.minutes(2)))
@MainActor private func aViewModelIsObserved() async throws {
    let settings = SettingsService(defaults: MemoryStore())
    let model = PlayerModel(settings: settings)
    let changes = Recorder<Void>()
    let label = withObservationTracking {
        model.label
    } onChange: {
        changes.append(())
    }
    #expect(label == "50 %" && changes.count == 0)
    settings.set(.volume, to: 0.25)
    #expect(changes.count == 1 && model.label == "25 %")
    model.volume = 1
    #expect(settings[.volume] == 1)
}

// MARK: An actor

extension SettingsService.SettingDefinition {
    fileprivate static let downloadLimit = Setting<Int>(
        "downloadLimit", in: .defaults, default: 4)
}

private actor Downloads {
    private let settings: SettingsService
    private(set) var running = 0

    init(settings: SettingsService) {
        self.settings = settings
    }

    func begin() -> Bool {
        guard running < settings[.downloadLimit] else { return false }
        running += 1
        return true
    }

    func followLimit(_ apply: (Int) -> Void) async {
        for await limit in settings.values(of: .downloadLimit) {
            apply(limit)
        }
    }
}

@Test("Recipes: an actor reads a setting without waiting, and follows it", .timeLimit(.minutes(2)))
private func anActorFollowsASetting() async throws {
    let settings = SettingsService(defaults: MemoryStore())
    let downloads = Downloads(settings: settings)
    settings.set(.downloadLimit, to: 1)
    let (first, second) = await (downloads.begin(), downloads.begin())
    #expect(first && !second)
    let limits = Recorder<Int>()
    let task = Task { await downloads.followLimit { limits.append($0) } }
    try await until { limits.all == [1] }
    settings.set(.downloadLimit, to: 2)
    try await until { limits.all == [1, 2] }
    #expect(await downloads.begin())
    task.cancel()
    await task.value
}

// MARK: Undo

@MainActor
private final class SettingsHistory {
    private let settings: SettingsService
    private var steps: [() -> Void] = []

    init(settings: SettingsService) {
        self.settings = settings
    }

    func set<T>(_ setting: Setting<T>, to value: T) {
        let (old, wasSet) = (settings.get(setting), settings.isSet(setting))
        settings.set(setting, to: value)
        steps.append { [settings] in
            if wasSet {
                settings.set(setting, to: old)
            } else {
                settings.reset(setting)
            }
        }
    }

    func undo() {
        steps.popLast()?()
    }
}

@Test("Recipes: undoing restores the value before, and at last the default")
@MainActor private func undoRestoresValues() {
    let settings = SettingsService(defaults: MemoryStore())
    let history = SettingsHistory(settings: settings)
    history.set(.volume, to: 0.5)
    history.set(.volume, to: 1)
    history.undo()
    #expect(settings[.volume] == 0.5 && settings.isSet(.volume))
    history.undo()
    #expect(!settings.isSet(.volume))
    history.undo()
    #expect(settings[.volume] == 0.5)
}

// MARK: A service for each test

extension SettingsService.SettingDefinition {
    fileprivate static let user = Setting<String>("user", in: .defaults, default: "www")
}

private enum Current {
    @TaskLocal static var settings = SettingsService()
}

private func greeting() -> String { "Hello, \(Current.settings[.user])!" }

@Test private func aGreetingNamesTheUser() {
    let settings = SettingsService(defaults: MemoryStore())
    settings.set(.user, to: "Ann")
    Current.$settings.withValue(settings) {
        #expect(greeting() == "Hello, Ann!")
    }
}
