import Foundation
import Observation
import SettingsKit
import Testing

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

@Test("Recipes: a server starts again when its port is edited, and not after a bad edit", .timeLimit(Rounds.timeLimit))
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

@Test("Recipes: a view model's label is observed when the setting changes elsewhere", .timeLimit(Rounds.timeLimit))
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

@Test("Recipes: an export is imported completely, or not at all")
private func exportedSettingsAreImported() throws {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    try settings.save(.retries, to: 7)
    try settings.save(.quality, to: .high)
    let text = exportedSettings(settings)
    let other = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    try importSettings(text, to: other)
    #expect(other[.retries] == 7 && other[.quality] == .high)
    let bad = text.replacingOccurrences(of: "7", with: "70").replacingOccurrences(of: "high", with: "low")
    let error = #expect(throws: ImportFailed.self) { try importSettings(bad, to: other) }
    #expect(error?.message.contains("retries") == true)
    #expect(other[.retries] == 7 && other[.quality] == .high)
}

@Test("Recipes: a library's settings have the prefix and the sources that the program chooses")
private func librarySettings() throws {
    let (images, texts) = try fetchers(["--images-retries", "5"], ["READER_TEXTS_RETRIES": "1"])
    #expect(images.attempts == 6 && texts.attempts == 2)
    #expect(thrownCode { try fetchers(["--retries", "5"], [:]) } == .invalidArguments)
    let settings = SettingsService(defaults: MemoryStore())
    let fetcher = Fetcher(settings: settings)
    #expect(fetcher.attempts == 4)
    settings.set(FetcherSettings().retries, to: 0)
    #expect(fetcher.attempts == 1)
}
