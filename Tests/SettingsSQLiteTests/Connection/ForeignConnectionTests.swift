import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

/// A connection of this process that is not the module's, such as one of another library, keeps its locks on the file. They
/// belong to the process: closing any descriptor of the file would release them all.
@Suite("Another connection of the process keeps its locks", .timeLimit(Rounds.timeLimit))
struct ForeignConnectionTests {
    enum Use: CaseIterable, Sendable {
        case storage, readOnlyStorage, store, readOnlyStore, backup, findings

        /// Opens the database, and closes it.
        func run(_ path: String, round: Int) async throws {
            let url = URL(fileURLWithPath: path)
            switch self {
            case .storage: _ = try await SQLiteStorage(at: url).number("SELECT count(*) FROM notes")
            case .readOnlyStorage:
                let storage = try SQLiteStorage(at: url, options: .with { $0.access = .readOnly })
                _ = try await storage.number("SELECT count(*) FROM notes")
            case .store: try freshStore(path).set(key("a"), to: Data("\(round)".utf8))
            case .readOnlyStore: _ = try? SQLiteStore(at: url, access: .readOnly).keys()
            case .backup: try await SQLiteStorage(at: url).backup(to: URL(fileURLWithPath: "\(path)-copy\(round)"))
            case .findings: _ = SQLiteStore.findings(path: path, table: "settings")
            }
        }
    }

    private func logInode(_ path: String) throws -> UInt64 {
        var status = stat()
        try #require(stat(path + "-wal", &status) == 0, "the log was removed")
        return UInt64(status.st_ino)
    }

    @Test("Its log stays, whatever opens the database, while other programs come and go", arguments: Use.allCases)
    func staysLocked(_ use: Use) async throws {
        try await withDatabase { path in
            let foreign = try OtherProgram(path)
            try foreign.run("PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER, text TEXT)")
            let log = try logInode(path)
            for round in 0..<3 {
                try foreign.run("INSERT INTO notes VALUES (\(round), 'own')")
                try await use.run(path, round: round)
                // The last program that closes a database removes the log; this one is not the last.
                try await Worker.run("database-insert", path, "\(100 + round)", "other")
                #expect(try logInode(path) == log)
            }
            for other in [foreign, try OtherProgram(path)] {
                #expect(try other.text("SELECT count(DISTINCT id) FROM notes") == "6")
            }
        }
    }
}
