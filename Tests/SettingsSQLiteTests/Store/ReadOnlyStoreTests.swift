import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("A database of settings that is only read", .timeLimit(.minutes(2)))
struct ReadOnlyStoreTests {
    @Test("It has the values and follows them, and every way to write throws readOnly")
    func values() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Vault.sqlite")
            let writing = try SQLiteStore(at: url)
            try writing.set(key("a"), to: Data("1".utf8))
            let store = try SQLiteStore(at: url, access: .readOnly)
            #expect(store.get(key("a")) == Data("1".utf8) && store.keys() == ["a"])
            try writing.set(key("a"), to: Data("2".utf8))
            try store.synchronize()
            #expect(store.get(key("a")) == Data("2".utf8))
            let entry = SettingsStoreBatch.Entry(key: key("a"), data: nil)
            let attempts: [() throws -> Void] = [
                { try store.set(key("a"), to: nil) }, { _ = try store.apply(SettingsStoreBatch(writes: [entry])) },
                { try store.removeAll() },
            ]
            for attempt in attempts {
                let error = #expect(throws: SettingsError.self) { try attempt() }
                #expect(error?.code == .readOnly)
            }
            #expect(try store.apply(SettingsStoreBatch(writes: [])))
            #expect(writing.get(key("a")) == Data("2".utf8))
        }
    }

    @Test("A missing file or table is an error, and is not created")
    func missing() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Vault.sqlite")
            let noFile = #expect(throws: SettingsError.self) { try SQLiteStore(at: url, access: .readOnly) }
            #expect(noFile?.code == .storeUnavailable)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            _ = try SQLiteStore(at: url, table: "other")
            let noTable = #expect(throws: SettingsError.self) { try SQLiteStore(at: url, access: .readOnly) }
            #expect(noTable?.code == .unexpectedTable)
            _ = try SQLiteStore(at: url, table: "other", access: .readOnly)
        }
    }
}
