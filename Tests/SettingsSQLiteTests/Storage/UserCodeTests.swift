#if DEBUG
    import Foundation
    import SettingsKitCore
    import Testing

    @testable import SettingsSQLite

    @Suite("Code of a user that a storage runs", .timeLimit(Rounds.timeLimit))
    struct UserCodeTests {
        /// Runs code of a user in an access of a database, inside `locked`.
        private static let accesses: [@Sendable (SQLiteDatabase) throws -> Void] = [
            { try $0.save(Note(1, "one")) }, { let _: Note? = try $0.select(sql: "SELECT 1 AS id, 'one' AS text") },
            { try $0.forEachRow(sql: "SELECT 1") { _ in } }, { let _: Int? = try $0.select(sql: "SELECT 1") },
        ]

        private static func run(_ number: Int, inside locked: (() throws -> Void) throws -> Void) throws {
            let storage = try SQLiteStorage.inMemory(versions: [notesSchema])
            if number < accesses.count {
                try storage.write { database in try locked { try accesses[number](database) } }
            } else {
                try locked { try storage.read { _ in } }
            }
        }

        @Test("With a lock held, it ends the process", arguments: 0...accesses.count)
        func checked(number: Int) async {
            await #expect(processExitsWith: .exitCode(7)) { [number] in
                try Self.run(number) { try $0() }
                exit(7)
            }
            await #expect(processExitsWith: .failure) { [number] in
                // An error is no failure of the process.
                try? Self.run(number) { body in try RankedMutex(0, .store).withLock { _ in try body() } }
            }
        }
    }
#endif
