import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Databases in memory")
struct InMemoryTests {
    @Test("A storage in memory works as one in a file does, and two of them are two databases")
    func storages() async throws {
        let (one, other) = (
            try SQLiteStorage.inMemory(versions: [notesSchema]), try SQLiteStorage.inMemory(versions: [notesSchema])
        )
        var counts = one.values { try $0.count(Note.all) }.makeAsyncIterator()
        #expect(await counts.next() == 0)
        try await one.write { try $0.insert(Note(7, "text")) }
        #expect(await counts.next() == 1)
        await expect(.readOnly) { _ = try await one.read { try $0.delete(Note.all) } }
        await expect(.constraintViolated) { try await one.write { try $0.insert(Note(7, "again")) } }
        #expect(try await one.texts("SELECT text FROM notes") == ["text"])
        #expect(try await other.number("SELECT count(*) FROM notes") == 0)
        try await one.synchronize()
        #expect(one.path == ":memory:" && !FileManager.default.fileExists(atPath: ":memory:"))
    }
}
