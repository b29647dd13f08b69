import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import SettingsTestKit
import Testing

@Suite("Conformance of PropertyListStore")
struct PropertyListStoreConformanceTests {
    @Test("PropertyListStore keeps the contract of a store, reopening included")
    func conformance() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let suite = StoreConformance { store in
            let first = try #require(store as? PropertyListStore)
            return try PropertyListStore(url: URL(fileURLWithPath: first.path))
        } unreadable: { store in
            try makeUnreadable(try #require(store as? PropertyListStore).path)
        } _: {
            try PropertyListStore(url: folder.appendingPathComponent(UUID().uuidString + "/Settings.plist"))
        }
        let report = await suite.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.skipped.isEmpty, "\(report)")
    }
}
