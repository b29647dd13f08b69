import Foundation
import SettingsKit
import Testing

@Test private func theProgramOfTheGuideRefusesArgumentsAsItSays() throws {
    let arguments = ["--muted", "--retries", "5", "song.mp3"]
    let (settings, files) = try #require(try playerSettings(arguments, storedIn: MemoryStore()))
    #expect(settings[.isMuted] && settings[.retries] == 5 && files == ["song.mp3"])
    #expect(try playerSettings(["--version"], storedIn: MemoryStore()) == nil)
    #expect(try playerSettings(["-h"], storedIn: MemoryStore()) == nil)
    let error = #expect(throws: SettingsError.self) {
        try playerSettings(["--retrys", "5", "--quality", "best", "song.mp3"], storedIn: MemoryStore())
    }
    let message = try #require(error?.description.components(separatedBy: "\nusage: ").first)
    #expect(try Guide("CommandLine").text.contains("song.mp3\n\(message)\nusage: player [OPTIONS]"))
}

@Test private func theCatalogueOfTheGuideListsItsSettings() {
    let settings = SettingsService(defaults: MemoryStore(), diagnosticSink: .none)
    settings.set(.apiKey, to: "k-of-this-test")
    start(settings)
    #expect(catalogue.rows(in: settings).map(\.text) == ["false", "medium", "3", "•••"])
}
