import Foundation
import SettingsKit
import Testing

@Test private func transformedSettingsComeBack() throws {
    let store = MemoryStore()
    let settings = SettingsService(defaults: store, diagnosticSink: .none)
    try settings.save(.token, to: "abc")
    let again = SettingsService(defaults: store, diagnosticSink: .none)
    #expect(try again.load(.token) == "abc")
    #expect(store.get(.init("token", scope: .defaults)) == Data("\"cba\"".utf8))
}

@Test("Stored forms: a change of another program's preferences leaves all other values as they are")
private func preferencesOfAnotherProgramAreChanged() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("com.example.Editor.plist")
        let date = Date(timeIntervalSinceReferenceDate: 795_193_766)
        var preferences: [String: Any] = [
            "LastUpdateCheck": date, "WebArchiveBookmark": Data([1, 2, 3]), "AutosaveDelay": 12.5,
            "RecentSearchStrings": ["color", "naïve café"],
            "NSToolbar Configuration Editor": ["TB Is Shown": true, "TB Item Identifiers": ["bold", "italic"]],
        ]
        try PropertyListSerialization.data(fromPropertyList: preferences, format: .xml, options: 0).write(to: file)
        try hideToolbar(inPreferences: file)
        let changed = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        preferences["NSToolbar Configuration Editor"] = [
            "TB Is Shown": false, "TB Item Identifiers": ["bold", "italic"],
        ]
        #expect(NSDictionary(dictionary: preferences).isEqual(changed))
    }
}
