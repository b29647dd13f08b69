import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsSQLite
import SettingsTestKit
import Testing

@Suite("Conformance of the stores", .ownThreads)
struct ConformanceTests {
    /// The media that a suite has made, by the paths of their stores.
    private final class Media: Sendable {
        private let media = Mutex<[String: any StoreMedium]>([:])

        func make(_ kind: StoreKind, in directory: String) throws -> any StoreMedium {
            let folder = "\(directory)/\(UUID().uuidString)"
            try makeDirectory(folder)
            let medium = kind.medium(in: folder)
            media.withLock { $0[medium.path] = medium }
            return medium
        }

        subscript(store: any SettingsStore) -> any StoreMedium {
            get throws {
                let path =
                    (store as? PropertyListStore)?.path ?? (store as? DirectoryStore)?.path
                    ?? (store as? SQLiteStore)?.path
                let medium = try media.withLock { media in try media[#require(path)] }
                return try #require(medium)
            }
        }
    }

    @Test("A store keeps the contract, with a broken medium and killed processes", arguments: StoreKind.allCases)
    func conformance(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            let media = Media()
            let report = await StoreConformance { store in
                try media[store].open()
            } unreadable: { store in
                try media[store].makeUnreadable()
            } unwritable: { store in
                try media[store].makeUnwritable()
            } killed: { store in
                try await StoreConformance.runAndKill(Worker.path(), ["conformance", media[store].path])
            } _: {
                try media.make(kind, in: directory).fresh(isWatching: true, patience: .milliseconds(100))
            }
            .run()
            #expect(report.failures.isEmpty && report.skipped.isEmpty, "\(report)")
        }
    }

    @Test(
        "A store keeps the contract as programs open it, reopening and a lock of another program included",
        arguments: StoreKind.allCases)
    func standardConformance(kind: StoreKind) async throws {
        try await withTemporaryDirectory { directory in
            let media = Media()
            let report = await StoreConformance { store in
                try media[store].fresh()
            } unreadable: { store in
                try media[store].makeUnreadable()
            } unwritable: { store in
                try media[store].lock()
            } _: {
                try media.make(kind, in: directory).open(patience: .milliseconds(100))
            }
            .run()
            #expect(report.failures.isEmpty, "\(report)")
            let skipped = report.skipped.map(\.rule.id).filter { !$0.hasPrefix("durability.killed") }
            #expect(skipped.isEmpty, "\(report)")
        }
    }
}
