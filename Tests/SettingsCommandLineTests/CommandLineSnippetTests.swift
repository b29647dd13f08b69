import Foundation
import SettingsCommandLine
import SettingsKit
import Testing

// The Swift snippets of the article about the command line, as compiled code: `.ci/docs` fails when one of them is not among
// these lines.

private enum Quality: String, Codable, CaseIterable { case low, medium, high }

extension SettingsService.SettingDefinition {
    fileprivate static let isMuted = Setting<Bool>(
        "muted", in: .defaults, default: false, help: "Play nothing.")
    fileprivate static let quality = Setting<Quality>(
        "quality", in: .defaults, default: .medium)
    fileprivate static let retries = Setting<Int>(
        "retries", in: .defaults, default: 3, validation: .range(0...10))
    fileprivate static let apiKey = Setting<String>(
        "apiKey", in: .defaults, default: "", isSecret: true)
}

// The article shows the braces on one line.
// swift-format-ignore
private let catalogue = SettingsCatalogue("Player") {
    SettingsGroup("Sound") { .isMuted; .quality }
    SettingsGroup("Server", [.retries, .apiKey])
}

private func start(_ settings: SettingsService) {
    for problem in catalogue.check(in: settings) {
        print("problem: \(problem)")
    }
    print(catalogue.table(in: settings))
}

/// What the article shows as a program's main file.
private func runProgram() throws {
    let settings = SettingsService(
        defaults: try LayeredStore.standard(environmentPrefix: "PLAYER_"))
    let arguments = CommandLine.arguments.dropFirst()

    if arguments.first == "settings" {
        let command = SettingsCommand(
            catalogue, settings: settings, name: "player settings")
        exit(command.run(Array(arguments.dropFirst())))
    }
    if arguments.contains("--help") {
        print(catalogue.help(environmentPrefix: "PLAYER_"))
    }
}

@Test private func retriesAreLimited() {
    let settings = SettingsService(defaults: MemoryStore())
    var errors = ""
    let code = SettingsCommand(catalogue, settings: settings).run(
        ["set", "retries", "99"], errors: { errors += $0 })
    #expect(code == SettingsCommand.ExitCode.failure.rawValue)
    #expect(errors.hasPrefix("retries: invalidValue"))
}

@Test private func theCatalogueOfTheGuideListsItsSettings() {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    settings.set(.apiKey, to: "k-of-this-test")
    start(settings)
    #expect(catalogue.rows(in: settings).map(\.text) == ["false", "medium", "3", "•••"])
}

// MARK: The recipe for export and import

private struct ImportFailed: Error {
    let message: String
}

private func exportedSettings(_ settings: SettingsService) -> String {
    var text = ""
    _ = SettingsCommand(catalogue, settings: settings)
        .run(["export"], output: { text += $0 })
    return text
}

private func importSettings(_ text: String, to settings: SettingsService) throws {
    var message = ""
    let code = SettingsCommand(catalogue, settings: settings).run(
        ["import", "-"], input: { Data(text.utf8) }, output: { _ in },
        errors: { message += $0 })
    if code != 0 { throw ImportFailed(message: message) }
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

// MARK: Examples

/// The lines of an example's file that are not blank.
private func lineCount(ofExample path: String) throws -> Int {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let text = try String(contentsOf: package.appending(path: "Examples/\(path)"), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).count { !$0.allSatisfy(\.isWhitespace) }
}

@Test("A server with a dozen settings takes at most 30 lines, and a tool over its own settings 25")
private func examplesAreShort() throws {
    #expect(try lineCount(ofExample: "Server/Server.swift") <= 30)
    #expect(try lineCount(ofExample: "Player/main.swift") <= 25)
}
