import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import SettingsTestKit
import Testing

@Suite("Conformance of DirectoryStore")
struct DirectoryStoreConformanceTests {
    @Test("DirectoryStore keeps the contract of a store, reopening included")
    func conformance() async throws {
        try await withTemporaryDirectory { try await check(in: URL(fileURLWithPath: $0)) }
    }

    private func check(in folder: URL) async throws {
        @Sendable func open(_ url: URL) throws -> DirectoryStore {
            try DirectoryStore(at: url, state: url.deletingLastPathComponent().appendingPathComponent("state"))
        }
        let suite = StoreConformance { store in
            try open(URL(fileURLWithPath: try #require(store as? DirectoryStore).path))
        } _: {
            try open(folder.appendingPathComponent(UUID().uuidString + "/shared"))
        }
        let report = await suite.run()
        #expect(report.failures.isEmpty, "\(report)")
        #expect(report.skipped.allSatisfy { $0.reason.contains("unreadable:") }, "\(report)")
    }
}
