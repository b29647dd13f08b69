import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsSQLite

/// A connection of this process that is not the module's, such as one of another library, keeps its locks on the file. They
/// belong to the process: closing any descriptor of the file would release them all.
@Suite("Another connection of the process keeps its locks", .timeLimit(Rounds.timeLimit))
struct ForeignConnectionTests {
    enum Use: CaseIterable, Sendable {
        case storage, readOnlyStorage, store, readOnlyStore, backup, inspection

        /// Opens the database, and closes it.
        func run(_ path: String, round: Int) async throws {
            let url = URL(fileURLWithPath: path)
            switch self {
            case .storage:
                _ = try await SQLiteStorage(at: url).number("SELECT count(*) FROM notes")
            case .readOnlyStorage:
                var options = SQLiteStorage.Options()
                options.access = .readOnly
                _ = try await SQLiteStorage(at: url, options: options).number("SELECT count(*) FROM notes")
            case .store: try freshStore(path).set(key("a"), to: Data("\(round)".utf8))
            case .readOnlyStore: _ = try? SQLiteStore(at: url, access: .readOnly).keys()
            case .backup:
                let target = URL(fileURLWithPath: "\(path)-copy\(round)")
                try await SQLiteStorage(at: url).backup(to: target)
                #expect(try OtherProgram(target.path).text("PRAGMA integrity_check") == "ok")
            case .inspection: _ = SQLiteStore.findings(path: path, table: "settings")
            }
        }
    }

    private func logInode(_ path: String) throws -> UInt64 {
        var status = stat()
        try #require(stat(path + "-wal", &status) == 0, "the log was removed")
        return UInt64(status.st_ino)
    }

    @Test(
        "What another connection of the process has committed stays, whatever opens the database, and other programs come and go",
        arguments: Use.allCases)
    func staysLocked(_ use: Use) async throws {
        try await withDatabase { path in
            let foreign = try OtherProgram(path)
            try foreign.run("PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER, text TEXT)")
            let log = try logInode(path)
            var count = 0
            for round in 0..<5 {
                for _ in 0..<20 {
                    count += 1
                    try foreign.run("INSERT INTO notes VALUES (\(count), 'own')")
                }
                try await use.run(path, round: round)
                // The last program that closes a database removes the log; this one is not the last.
                count += 1
                try await Worker.run("database-insert", path, "\(count)", "other")
                #expect(try logInode(path) == log)
            }
            for other in [foreign, try OtherProgram(path)] {
                #expect(try other.text("SELECT count(DISTINCT id) FROM notes") == "\(count)")
                #expect(try other.text("PRAGMA integrity_check") == "ok")
            }
        }
    }

    @Test("What is no database is refused without opening it beside SQLite, and the file beside it stays")
    func refusesOtherFiles() async throws {
        try await withDatabase { path in
            for size in [2, 15, 16, 5_000] {
                try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
                try Data("a journal".utf8).write(to: URL(fileURLWithPath: path + "-journal"))
                expectError(.notADatabase) { _ = try SQLiteStorage(at: URL(fileURLWithPath: path)) }
                #expect(FileManager.default.contents(atPath: path + "-journal") == Data("a journal".utf8))
            }
        }
    }
}
