import Foundation
import SettingsKit
import Testing

private let theme = Setting<String>("theme", in: .shared, default: "system")

@Test private func settingsAreSharedThroughADirectory() async throws {
    try await withTemporaryFolder { folder in
        let shared = folder.appendingPathComponent("Synced")
        let laptop = try sharedService(folder: shared, state: folder.appendingPathComponent("Laptop"))
        try laptop.save(theme, to: "dark")
        try share(laptop)
        let store = try DirectoryStore(at: shared, state: folder.appendingPathComponent("Phone"))
        try store.synchronize()
        let phone = SettingsService(defaults: nil, shared: store, diagnosticSink: .none)
        #expect(phone.get(theme) == "dark")
        printState(of: store)
        #expect(store.replicas.contains { $0.deviceName == "Ann's laptop" && !$0.isOwn })
        #expect(store.report.problems.isEmpty)
    }
}

@Test private func importedSettingsAreShared() async throws {
    try await withTemporaryFolder { folder in
        let file = folder.appendingPathComponent("Settings.plist")
        let old = try PropertyListStore(url: file)
        try SettingsService(defaults: nil, shared: old, diagnosticSink: .none).save(theme, to: "light")
        let store = try DirectoryStore(
            at: folder.appendingPathComponent("Synced"), state: folder.appendingPathComponent("State"))
        try shareOldSettings(of: file, in: store)
        #expect(SettingsService(defaults: nil, shared: store, diagnosticSink: .none).get(theme) == "light")
    }
}
