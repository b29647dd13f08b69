import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Backups of databases in memory")
struct InMemoryBackupTests {
    @Test("A database in memory can be backed up into a file")
    func inMemory() async throws {
        try await withTemporaryFolder { folder in
            let storage = try SQLiteStorage.inMemory(versions: [notesSchema])
            try await storage.write { try $0.insert(Note(1, "text")) }
            let file = folder.appendingPathComponent("copy.sqlite")
            try await storage.backup(to: file)
            let copy = try SQLiteStorage(at: file, versions: [notesSchema])
            #expect(try await copy.dump() == storage.dump())
            try await storage.write { try $0.insert(Note(2, "goes on")) }
        }
    }
}
