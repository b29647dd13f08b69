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

@Suite("Conformance of DirectoryStore", .ownThreads)
struct DirectoryStoreConformanceTests {
    @Test("DirectoryStore keeps the contract of a store, with a broken medium and killed processes")
    func conformance() async throws {
        try await withTemporaryDirectory { directory in
            let fileSystems = FaultyFileSystems()
            @Sendable func path(of store: any SettingsStore) throws -> String {
                try #require(store as? DirectoryStore).path
            }
            let report = await StoreConformance { store in
                let url = URL(fileURLWithPath: try path(of: store))
                return try DirectoryStore(at: url, state: URL(fileURLWithPath: url.path + "-state"))
            } unreadable: { store in
                // The local truth. The directory that is shared may come and go.
                let state = try path(of: store) + "-state"
                let plist = try #require(try names(in: state).first { $0.hasSuffix(".plist") })
                return try makeUnreadable(state + "/" + plist)
            } unwritable: { store in
                try fileSystems.makeUnwritable(path(of: store), errno: ENOSPC)
            } killed: { store in
                try await killWriter(at: path(of: store))
            } _: {
                let path = "\(directory)/\(UUID().uuidString)/shared"
                return try DirectoryStore(
                    directory: path, state: path + "-state", fileSystem: fileSystems.make(for: path))
            }
            .run()
            #expect(report.failures.isEmpty && report.skipped.isEmpty, "\(report)")
        }
    }

    @Test("DirectoryStore keeps the contract of a store as programs open it, reopening included")
    func standardConformance() async throws {
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
        #expect(report.skippedGroups == ["unreadable", "unwritable", "errors", "killed"], "\(report)")
    }
}
