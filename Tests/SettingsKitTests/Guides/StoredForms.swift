import Foundation
import SettingsKit
import Testing

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
