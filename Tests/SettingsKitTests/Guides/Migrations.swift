import Foundation
import SettingsKit
import Testing

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

@Test("Migrations: a record, a property and the settings see each other's values after a migration")
private func fieldsAndNamespacesAreMigrated() throws {
    let store = MemoryStore(["Loudness": Data("80".utf8), "ServerName": Data("\"music.example.org\"".utf8)])
    let settings = SettingsService(defaults: store)
    let network = try openNetwork(in: settings)
    #expect(network.server == URL(string: "https://music.example.org") && network.timeout == 30)
    let loudness = Persister(.loudness, in: settings)
    #expect(loudness.value == 0.8)
    loudness.value = 0.25
    #expect(settings.get(.loudness) == 0.25)
    network.server = nil
    #expect(!settings.isSet(.server))
    #expect(store.keys() == ["playback:loudness"])
}
