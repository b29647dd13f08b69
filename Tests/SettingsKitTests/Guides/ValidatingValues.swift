import Foundation
import SettingsKit
import Testing

@Test private func theSettingsOfTheGuideToValidationRefuseWhatItSays() throws {
    let store = MemoryStore()
    let settings = SettingsService(defaults: store, diagnosticSink: .none)
    #expect(setPort("9000", in: settings) == nil && settings[.port] == 9000)
    #expect(setPort("0", in: settings)?.contains("an integer from 1 to 65535") == true && settings[.port] == 9000)
    let subscription = reportPort(of: settings)
    settings.reset(.port)
    subscription.cancel()
    settings.set(.title, to: "  ")
    #expect(settings[.title] == "Untitled")
    settings.set(.title, to: " Songs ")
    #expect(settings[.title] == "Songs")
    for refused in [
        { try settings.save(.host, to: "") }, { try settings.save(.level, to: "loud") },
        { try settings.save(.path, to: "here") },
    ] {
        #expect(throws: SettingsError.self) { try refused() }
    }
    try settings.save(.path, to: "/here")
    store.set(SettingsService.Setting<Int>.port.key, to: Data("0".utf8))
    reportProblems(in: settings)
    #expect(settings.problem(of: .port)?.code == .invalidValue)
}

@Test private func aDefaultOfOneComputationIsStoredAndAnotherIsNot() throws {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    #expect(settings[.installation] == settings[.installation] && settings[.firstUse] <= Date())
    #expect(settings.keys(in: .defaults) == ["installation"])
    try settings.set(.accent, fromText: "AQID")
    #expect(settings[.accent] == Color(red: 1, green: 2, blue: 3) && settings.text(of: .accent) == "AQID")
}
