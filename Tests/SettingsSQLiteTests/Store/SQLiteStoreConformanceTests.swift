import Foundation
import SettingsKitCore
import SettingsSQLite
import SettingsTestKit
import Testing

@Suite("Conformance of SQLiteStore", .ownThreads)
struct SQLiteStoreConformanceTests {
    @Test("SQLiteStore keeps the contract of a store, with a broken medium and killed processes")
    func conformance() async throws {
        try await withTemporaryFolder { folder in
            @Sendable func path(of store: any SettingsStore) throws -> String {
                try #require(store as? SQLiteStore).path
            }
            let report = await StoreConformance { store in
                try SQLiteStore(path: path(of: store), isWatching: false)
            } unreadable: { store in
                try makeUnreadable(path(of: store))
            } unwritable: { store in
                try refuseChanges(in: path(of: store))
            } killed: { store in
                try await killWriter(at: path(of: store))
            } _: {
                let file = folder.appendingPathComponent(UUID().uuidString + "/Vault.sqlite")
                return try SQLiteStore(path: file.path, isWatching: true, patience: .milliseconds(100))
            }
            .run()
            #expect(report.failures.isEmpty && report.skipped.isEmpty, "\(report)")
        }
    }

    @Test("SQLiteStore keeps the contract of a store as programs open it, reopening included")
    func standardConformance() async throws {
        try await withTemporaryFolder { folder in
            let report = await StoreConformance { store in
                try SQLiteStore(path: try #require(store as? SQLiteStore).path, isWatching: false)
            } unreadable: { store in
                try makeUnreadable(try #require(store as? SQLiteStore).path)
            } unwritable: { store in
                // Another program is in the middle of a transaction.
                let other = Mutex<OtherProgram?>(try OtherProgram(try #require(store as? SQLiteStore).path))
                try other.withLock { _ = try $0?.run("BEGIN IMMEDIATE") }
                return {
                    try other.withLock { program in
                        try program?.run("ROLLBACK")
                        program = nil
                    }
                }
            } _: {
                try SQLiteStore(
                    at: folder.appendingPathComponent(UUID().uuidString + "/Vault.sqlite"), patience: .milliseconds(100)
                )
            }
            .run()
            #expect(report.failures.isEmpty, "\(report)")
            // While the database is locked, no `set` throws: its value is pending.
            let skipped = report.skipped.map(\.rule.id).filter { !$0.hasPrefix("durability.killed") }
            #expect(skipped == ["unwritable.set"], "\(report)")
        }
    }
}

/// Has the database refuse every change of its settings, until what this returns is called.
private func refuseChanges(in path: String) throws -> @Sendable () throws -> Void {
    let events = ["INSERT", "UPDATE", "DELETE"]
    let program = try OtherProgram(path)
    for event in events {
        try program.run(
            "CREATE TRIGGER \(event)s BEFORE \(event) ON settings BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }
    return {
        let program = try OtherProgram(path)
        for event in events { try program.run("DROP TRIGGER \(event)s") }
    }
}
