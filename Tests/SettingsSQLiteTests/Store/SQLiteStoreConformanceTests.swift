import Foundation
import SettingsKitCore
import SettingsSQLite
import SettingsTestKit
import Testing

@Suite("Conformance of SQLiteStore")
struct SQLiteStoreConformanceTests {
    @Test("SQLiteStore keeps the contract of a store, reopening included")
    func conformance() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let suite = StoreConformance { store in
            let first = try #require(store as? SQLiteStore)
            return try SQLiteStore(path: first.path, isWatching: false)
        } unreadable: { store in
            try makeUnreadable(try #require(store as? SQLiteStore).path)
        } _: {
            try SQLiteStore(at: folder.appendingPathComponent(UUID().uuidString + "/Vault.sqlite"))
        }
        let report = await suite.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.skipped.isEmpty, "\(report)")
    }
}
