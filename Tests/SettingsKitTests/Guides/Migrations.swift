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
