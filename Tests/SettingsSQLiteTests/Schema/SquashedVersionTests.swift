import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("Versions that replace others")
struct SquashedVersionTests {
    private static let old = ["a", "b", "c"].map { loggingVersion($0) }
    private static let squashed = loggingVersion("abc", replacing: "a", "b", "c")

    /// Opens a database with each list of versions in turn, and returns which versions have run in the end.
    private func log(
        _ programs: [[ScriptVersion]], _ options: SQLiteStorage.Options = .init()
    ) async throws -> [String] {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            for versions in programs { _ = try SQLiteStorage(at: url, versions: versions) }
            let storage = try SQLiteStorage(at: url, options: options)
            return try await storage.texts("SELECT id FROM log ORDER BY rowid")
        }
    }

    @Test("A squashed version alone makes a new database, also where its program lists the versions that it replaces")
    func newDatabase() async throws {
        let next = loggingVersion("d")
        #expect(try await log([[Self.squashed, next]]) == ["abc", "d"])
        #expect(try await log([Self.old + [Self.squashed, next], Self.old + [Self.squashed, next]]) == ["abc", "d"])
    }

    @Test("A database with all replaced versions has the squashed one, and only gets what follows")
    func oldDatabase() async throws {
        let next = loggingVersion("d")
        for program in [[Self.squashed, next], Self.old + [Self.squashed, next]] {
            #expect(try await log([Self.old, program, program]) == ["a", "b", "c", "d"])
        }
        // Nothing is to be done, so it may be opened for reading.
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try SQLiteStorage(at: url, versions: Self.old)
            var options = SQLiteStorage.Options()
            options.access = .readOnly
            _ = try SQLiteStorage(at: url, versions: [Self.squashed], options: options)
        }
    }

    @Test("An old program refuses a squashed newer database, and does not run its versions on it")
    func oldProgram() async throws {
        try await withTemporaryFolder { folder in
            for (name, newer) in [
                ("new", [[Self.squashed]]), ("newer", [[Self.squashed, loggingVersion("d")]]),
                ("upgraded", [Self.old, [Self.squashed, loggingVersion("d")]]),
            ] {
                let url = folder.appendingPathComponent("\(name).sqlite")
                for versions in newer { _ = try SQLiteStorage(at: url, versions: versions) }
                let storage = try SQLiteStorage(at: url)
                let before = try await storage.dump()
                await expect(.newerVersion, saying: "Not known here") {
                    _ = try SQLiteStorage(at: url, versions: Self.old)
                }
                #expect(try await storage.dump() == before, "\(name)")
            }
        }
    }

    @Test("Versions of which none is known here are a newer program's")
    func unknown() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try SQLiteStorage(at: url, versions: Self.old)
            await expect(.newerVersion, saying: "Not known here: a, b, c") {
                _ = try SQLiteStorage(at: url, versions: [loggingVersion("x"), loggingVersion("y")])
            }
            #expect(try await SQLiteStorage(at: url).texts("SELECT id FROM log") == ["a", "b", "c"])
        }
    }

    @Test("A database with a part of what was squashed is refused, unless the program has the rest")
    func partlyUpgraded() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try SQLiteStorage(at: url, versions: Array(Self.old.prefix(2)))
            let storage = try SQLiteStorage(at: url)
            let before = try await storage.dump()
            for next in [[], [loggingVersion("d")]] {
                await expect(.schemaTooOld, saying: "The database lacks c, which version abc replaces.") {
                    _ = try SQLiteStorage(at: url, versions: [Self.squashed] + next)
                }
            }
            #expect(try await storage.dump() == before)
            _ = try SQLiteStorage(at: url, versions: Self.old.suffix(1) + [Self.squashed, loggingVersion("d")])
            #expect(try await storage.texts("SELECT id FROM log ORDER BY rowid") == ["a", "b", "c", "d"])
            _ = try SQLiteStorage(at: url, versions: [Self.squashed, loggingVersion("d"), loggingVersion("e")])
            #expect(try await storage.texts("SELECT id FROM log ORDER BY rowid") == ["a", "b", "c", "d", "e"])
        }
    }

    @Test("Squashed versions can be squashed again, whichever way a database has come")
    func twice() async throws {
        let (d, whole) = (loggingVersion("d"), loggingVersion("whole", replacing: "abc", "d"))
        let program = [Self.squashed, d, whole, loggingVersion("e")]
        #expect(try await log([program]) == ["whole", "e"])
        #expect(try await log([Self.old, program]) == ["a", "b", "c", "d", "e"])
        #expect(try await log([Self.old + [d], program]) == ["a", "b", "c", "d", "e"])
        #expect(try await log([[Self.squashed], program]) == ["abc", "d", "e"])
        #expect(try await log([[Self.squashed, d], program]) == ["abc", "d", "e"])
        #expect(try await log([Self.old.dropLast(), Self.old + program]) == ["a", "b", "c", "d", "e"])
        #expect(
            try await log([Self.old + [d], [Self.squashed, whole, loggingVersion("e")]]) == ["a", "b", "c", "d", "e"])
        await expect(.schemaTooOld, saying: "lacks d") {
            _ = try await log([Self.old, [Self.squashed, whole, loggingVersion("e")]])
        }
    }
}
