import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Databases that GRDB has migrated")
struct GRDBMigrationTests {
    private static let adopting: SQLiteStorage.Options = {
        var options = SQLiteStorage.Options()
        options.adoptsGRDBMigrations = true
        return options
    }()

    /// A database as GRDB leaves it behind.
    private func migrate(_ url: URL, _ identifiers: String...) throws -> OtherProgram {
        let program = try OtherProgram(url.path)
        try program.run(
            """
            CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            CREATE TABLE IF NOT EXISTS log (id TEXT);
            """)
        for identifier in identifiers {
            try program.run("INSERT INTO grdb_migrations VALUES ('\(identifier)'); INSERT INTO log VALUES ('GRDB')")
        }
        return program
    }

    @Test("Migrations of GRDB count as the versions with their ids, or that replace them; its table stays as it is")
    func adopting() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let program = try migrate(url, "createUsers", "addAvatars", "v03")
            let versions = [
                loggingVersion("v01", replacing: "createUsers", "addAvatars"), loggingVersion("v03"),
                loggingVersion("v04"),
            ]
            let storage = try SQLiteStorage(at: url, versions: versions, options: Self.adopting)
            #expect(try await storage.texts("SELECT id FROM log") == ["GRDB", "GRDB", "GRDB", "v04"])
            #expect(
                try await storage.texts("SELECT id FROM settingskit_versions ORDER BY position")
                    == ["createUsers", "addAvatars", "v03", "v04"])
            #expect(
                try program.run("SELECT identifier FROM grdb_migrations ORDER BY rowid")
                    == [["createUsers"], ["addAvatars"], ["v03"]])
            // Once is enough: what GRDB does later does not count, and the options need not say so again.
            try program.run("INSERT INTO grdb_migrations VALUES ('later')")
            for options in [Self.adopting, .init()] {
                _ = try SQLiteStorage(at: url, versions: versions, options: options)
            }
            #expect(try await storage.number("SELECT count(*) FROM log") == 4)
        }
    }

    @Test("A migration of GRDB that is not known here is a newer program's, wherever it stands")
    func unknown() async throws {
        try await withTemporaryFolder { folder in
            for (name, identifiers) in [("first", ["x", "v01"]), ("last", ["v01", "x"]), ("only", ["x"])] {
                let url = folder.appendingPathComponent("\(name).sqlite")
                let program = try migrate(url)
                for identifier in identifiers {
                    try program.run("INSERT INTO grdb_migrations VALUES ('\(identifier)')")
                }
                await expect(.newerVersion, saying: "Not known here: x.") {
                    _ = try SQLiteStorage(
                        at: url, versions: [loggingVersion("v01"), loggingVersion("v02")], options: Self.adopting)
                }
                #expect(try program.run("SELECT name FROM sqlite_master WHERE name LIKE 'settingskit%'") == [])
                #expect(try program.text("SELECT count(*) FROM log") == "0")
            }
        }
    }

    @Test("A database with a part of the migrations that a version replaces is refused")
    func partly() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try migrate(url, "createUsers")
            await expect(.schemaTooOld, saying: "lacks addAvatars") {
                _ = try SQLiteStorage(
                    at: url, versions: [loggingVersion("v01", replacing: "createUsers", "addAvatars")],
                    options: Self.adopting)
            }
        }
    }

    @Test("Migrations of GRDB count for nothing unless the options says so, nor where there are none")
    func notAdopting() async throws {
        try await withTemporaryFolder { folder in
            let beside = folder.appendingPathComponent("beside.sqlite")
            _ = try migrate(beside, "v01")
            let storage = try SQLiteStorage(at: beside, versions: [loggingVersion("v01")])
            #expect(try await storage.texts("SELECT id FROM log") == ["GRDB", "v01"])
            for name in ["new", "empty"] {
                let url = folder.appendingPathComponent("\(name).sqlite")
                if name == "empty" { _ = try migrate(url) }
                let storage = try SQLiteStorage(
                    at: url, versions: [loggingVersion("v01")], options: Self.adopting)
                #expect(try await storage.texts("SELECT id FROM log") == ["v01"])
            }
        }
    }

    @Test("Migrations of GRDB also count in a database that is only read")
    func readOnly() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let program = try migrate(url, "createUsers")
            var options = Self.adopting
            options.access = .readOnly
            let versions = [loggingVersion("v01", replacing: "createUsers")]
            let storage = try SQLiteStorage(at: url, versions: versions, options: options)
            #expect(try await storage.texts("SELECT id FROM log") == ["GRDB"])
            #expect(try program.run("SELECT name FROM sqlite_master WHERE name LIKE 'settingskit%'") == [])
            let readOnly = options
            await expect(.schemaTooOld, saying: "It lacks v02 but is opened read-only.") {
                _ = try SQLiteStorage(at: url, versions: versions + [loggingVersion("v02")], options: readOnly)
            }
        }
    }

    @Test("Storages that are opened at once adopt the migrations once")
    func atOnce() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try migrate(url, "createUsers")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        _ = try SQLiteStorage(
                            at: url,
                            versions: [loggingVersion("v01", replacing: "createUsers"), loggingVersion("v02")],
                            options: Self.adopting)
                    }
                }
                try await group.waitForAll()
            }
            let storage = try SQLiteStorage(at: url)
            #expect(try await storage.texts("SELECT id FROM log") == ["GRDB", "v02"])
            #expect(try await storage.texts("SELECT id FROM settingskit_versions") == ["createUsers", "v02"])
        }
    }
}
