import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Backups", .timeLimit(Rounds.timeLimit))
struct BackupTests {
    /// Runs `body` with a database, and an empty directory for its backups.
    private func withBackups(_ body: (SQLiteStorage, _ backups: URL) async throws -> Void) async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, String(repeating: "one", count: 25_000))) }
            let folder = URL(fileURLWithPath: storage.path).deletingLastPathComponent()
            try makeDirectory(folder.path + "/copies")
            try await body(storage, folder.appendingPathComponent("copies"))
        }
    }

    @Test("A backup is one private file with everything that was committed, and opens as a storage")
    func complete() async throws {
        try await withBackups { storage, backups in
            let file = backups.appendingPathComponent("deep/it's a copy.sqlite")
            try await storage.backup(to: file)
            #expect(try contents(of: file.deletingLastPathComponent().path).keys.sorted() == ["it's a copy.sqlite"])
            #expect(try permissions(of: file.path) == 0o600)
            let copy = try SQLiteStorage(at: file, versions: [ScriptVersion("1", notesSchema.script)])
            #expect(try await copy.dump() == storage.dump())
            try await copy.write { try $0.insert(Note(99, "goes on")) }
            #expect(try await storage.read { try !$0.exists(Note.where(Column("id") == 99)) })
        }
    }

    @Test("A file that is there is not replaced, and one whose backup cannot be made is not left")
    func refused() async throws {
        try await withBackups { storage, backups in
            let occupied = backups.appendingPathComponent("file")
            try Data("old".utf8).write(to: occupied)
            await expect(.storeUnavailable, saying: "/copies/file") { try await storage.backup(to: occupied) }
            await expect(.storeUnavailable) { try await storage.backup(to: occupied.appendingPathComponent("below")) }
            await expect(.storeUnavailable) { try await storage.backup(to: URL(fileURLWithPath: storage.path)) }
            await expect(.storeUnavailable) { try await storage.backup(to: try #require(URL(string: "https://a.b/c"))) }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: storage.path + suffix)
            }
            await expect(.fileReplaced, saying: storage.path) {
                try await storage.backup(to: backups.appendingPathComponent("copy.sqlite"))
            }
            #expect(try contents(of: backups.path) == ["file": Data("old".utf8)])
        }
    }
}
