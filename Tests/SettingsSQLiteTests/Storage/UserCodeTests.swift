#if DEBUG
    import Foundation
    import SettingsKitCore
    import Testing

    @testable import SettingsSQLite

    /// Code of a user that a storage runs.
    enum UserCode: String, Codable, CaseIterable, Sendable {
        case read, write, savedRecord, loadedRecord, row, converted

        /// Has a storage run it inside `locked`. The closure of an access runs it for the storage there.
        func run(inside locked: (() -> Void) -> Void) {
            attempt {
                let storage = try SQLiteStorage.inMemory(versions: [notesSchema])
                if self == .read { return locked { attempt { try storage.read { _ in } } } }
                if self == .write { return locked { attempt { try storage.write { _ in } } } }
                let access = { database in locked { attempt { try use(database) } } }
                if self == .savedRecord { try storage.write(access) } else { try storage.read(access) }
            }
        }

        private func use(_ database: SQLiteDatabase) throws {
            switch self {
            case .read, .write: break
            case .savedRecord: try database.save(Note(1, "one"))
            case .loadedRecord: let _: Note? = try database.select(sql: "SELECT 1 AS id, 'one' AS text")
            case .row: try database.forEachRow(sql: "SELECT 1") { _ in }
            case .converted: let _: Int? = try database.select(sql: "SELECT 1")
            }
        }

        private func attempt(_ body: () throws -> Void) {
            do {
                try body()
            } catch {
                print(error)
                exit(0)
            }
        }
    }

    @Suite("Code of a user that a storage runs", .timeLimit(Rounds.timeLimit))
    struct UserCodeTests {
        @Test("With a lock held, it ends the process", arguments: UserCode.allCases)
        func checked(code: UserCode) async {
            await #expect(processExitsWith: .exitCode(7)) { [code] in
                code.run { $0() }
                exit(7)
            }
            await #expect(processExitsWith: .failure) { [code] in
                code.run { body in RankedMutex(0, .standardStore).withLock { _ in body() } }
            }
        }
    }
#endif
