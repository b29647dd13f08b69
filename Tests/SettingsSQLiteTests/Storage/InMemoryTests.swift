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

    @Test("A store in memory keeps settings as one in a file does, and two of them are separate")
    func stores() throws {
        let (one, other) = (try SQLiteStore.inMemory(), try SQLiteStore.inMemory(table: "others"))
        let counter = Setting<Int>("counter", in: .defaults, default: 0)
        let (service, problems) = SettingsService.over(one)
        service.set(counter, to: 2)
        service.update(counter) { $0 += 1 }
        try service.synchronize()
        #expect(service.get(counter) == 3 && one.keys() == ["counter"] && other.keys() == [])
        try one.removeAll()
        #expect(service.get(counter) == 0 && problems.all.isEmpty)
    }
}
