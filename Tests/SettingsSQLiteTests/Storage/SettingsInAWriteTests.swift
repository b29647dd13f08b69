import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Settings that a write of a storage sets", .timeLimit(Rounds.timeLimit))
struct SettingsInAWriteTests {
    private let count = SettingsService.Setting<Int>("count", in: .custom(id: "vault"), default: 0) { min($0, 100) }

    /// Runs `body` with a storage, a service over a store on the same file, and the values that its listener receives.
    private func withVault(
        _ body: (SQLiteStorage, SettingsService, Recorder<Int>) async throws -> Void
    ) async throws {
        try await withStorage { storage in
            let settings = SettingsService(storesForCustomScopes: [.custom(id: "vault"): try openStore(storage.path)])
            let values = Recorder<Int>()
            let subscription = settings.observe(count) { change in
                // A listener may use the storage.
                #expect(throws: Never.self) { let _: Int? = try storage.read { try $0.count(Note.all) } }
                values.append(change.newValue)
            }
            try await body(storage, settings, values)
            subscription.cancel()
        }
    }

    @Test("A setting is stored with the records, in force when the write has returned, and told to its listeners")
    func stored() async throws {
        try await withVault { storage, settings, values in
            try await storage.write {
                try $0.save(Note(1, "one"))
                try $0.set(count, to: 7)
            }
            #expect(settings.get(count) == 7)
            try await until { values.all == [7] }
            func setNow() throws { try storage.write { try $0.set(count, to: 700) } }
            try setNow()
            #expect(settings.get(count) == 100)
            try await until { values.all == [7, 100] }
            #expect(try await storage.texts("SELECT name || ' ' || value FROM settings") == ["count 100"])
        }
    }

    @Test("A write that throws, or whose setting is refused, stores neither records nor settings")
    func rolledBack() async throws {
        let even = SettingsService.Setting<Int>(
            "count", in: .custom(id: "vault"), default: 0, validation: .init("must be even") { $0 % 2 == 0 })
        try await withVault { storage, settings, values in
            await expect(.invalidValue, saying: "count") {
                try await storage.write {
                    try $0.save(Note(1, "goes"))
                    try $0.set(even, to: 4)
                    try $0.set(even, to: 5)
                }
            }
            await expect(.readOnly) { try await storage.read { try $0.set(even, to: 4) } }
            #expect(settings.get(count) == 0 && values.all.isEmpty)
            let rowCount = try await storage.number("SELECT count(*) FROM notes")
            #expect(rowCount == 0)
        }
    }

    @Test("A query of the table of settings is live, and the table is created where it is missing")
    func live() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.set(count, to: 1, table: "mine") }
            var numbers = storage.values { try $0.select(sql: "SELECT value FROM mine") as String? }.makeAsyncIterator()
            #expect(await numbers.next() == "1")
            try await storage.write { try $0.set(count, to: 2, table: "mine") }
            #expect(await numbers.next() == "2")
            await expect(.unexpectedTable) { try await storage.write { try $0.set(count, to: 1, table: "notes") } }
        }
    }

    @Test("A name keeps the spelling of its row")
    func spelling() async throws {
        try await withStorage { storage in
            let composed = SettingsService.Setting<Int>("caf\u{e9}", in: .custom(id: "vault"), default: 0)
            let decomposed = SettingsService.Setting<Int>("cafe\u{301}", in: .custom(id: "vault"), default: 0)
            try await storage.write { try $0.set(composed, to: 1) }
            try await storage.write { try $0.set(decomposed, to: 2) }
            #expect(try await storage.texts("SELECT value FROM settings") == ["2"])
        }
    }

    @Test("Saving a record gives the number of its row")
    func rowNumber() async throws {
        let script = notesSchema.script + "; CREATE TABLE words (word TEXT PRIMARY KEY, text TEXT)"
        try await withStorage(script) { storage in
            let numbers = try await storage.write { database in
                [
                    try database.save(Note(7, "new")), try database.save(Note(nil, "new")),
                    try database.insert(Note(nil, "new")), try database.save(Note(7, "old")),
                    try database.save(nil as Note?), try database.save(Word(word: "a", text: "b")),
                ]
            }
            #expect(numbers == [7, 8, 9, 7, nil, nil])
        }
    }
}

private struct Word: SQLiteRecord {
    static let tableName = "words"
    var word: String
    var text: String

    init(word: String, text: String) { (self.word, self.text) = (word, text) }

    func save(into row: inout SQLiteRow) throws { (row["word"], row["text"]) = (word, text) }

    static func load(from row: SQLiteRow) throws -> Word { Word(word: try row["word"], text: try row["text"]) }
}
