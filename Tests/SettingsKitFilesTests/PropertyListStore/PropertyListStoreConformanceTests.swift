import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import SettingsTestKit
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Conformance of PropertyListStore", .ownThreads)
struct PropertyListStoreConformanceTests {
    @Test("PropertyListStore keeps the contract of a store, with a broken medium and killed processes")
    func conformance() async throws {
        try await withTemporaryDirectory { directory in
            let fileSystems = FaultyFileSystems()
            let report = await StoreConformance { store in
                let first = try #require(store as? PropertyListStore)
                return try PropertyListStore(url: URL(fileURLWithPath: first.path))
            } unreadable: { store in
                try makeUnreadable(try #require(store as? PropertyListStore).path)
            } unwritable: { store in
                try fileSystems.makeUnwritable(try #require(store as? PropertyListStore).path, errno: ENOSPC)
            } killed: { store in
                try await killWriter(at: try #require(store as? PropertyListStore).path)
            } _: {
                let path = "\(directory)/\(UUID().uuidString)/Settings.plist"
                return try PropertyListStore(path: path, fileSystem: fileSystems.make(for: path))
            }
            .run()
            #expect(report.failures.isEmpty && report.skipped.isEmpty, "\(report)")
        }
    }

    @Test("PropertyListStore keeps the contract of a store as programs open it, reopening included")
    func standardConformance() async throws {
        try await withTemporaryDirectory { directory in
            let suite = StoreConformance { store in
                let first = try #require(store as? PropertyListStore)
                return try PropertyListStore(url: URL(fileURLWithPath: first.path))
            } unreadable: { store in
                try makeUnreadable(try #require(store as? PropertyListStore).path)
            } _: {
                try PropertyListStore(url: URL(fileURLWithPath: "\(directory)/\(UUID().uuidString)/Settings.plist"))
            }
            let report = await suite.run()
            #expect(report.failures.isEmpty, "\(report)")
            #expect(report.skippedGroups == ["unwritable", "killed"], "\(report)")
        }
    }
}
