import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("The file of a store", .timeLimit(Rounds.timeLimit))
struct StoreFileTests {
    private static func refused(_ path: String, table: String = "settings") throws -> SettingsError? {
        let before = try contents(of: (path as NSString).deletingLastPathComponent)
        let error = #expect(throws: SettingsError.self) { try openStore(path, table: table) }
        let after = try contents(of: (path as NSString).deletingLastPathComponent)
        // SQLite puts the file for its locks beside a database that is read, and none of them holds anything.
        for (name, bytes) in after where !bytes.isEmpty && !name.hasSuffix("-shm") { #expect(before[name] == bytes) }
        #expect(error?.description.contains(path) == true)
        return error
    }

    @Test("Missing directories are made; the database, its log and its index are readable by their owner only")
    func modes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/a/b/Vault.sqlite"
            let store = try openStore(path)
            try store.set(key("a"), to: Data("1".utf8))
            for suffix in ["", "-wal", "-shm"] { #expect(try permissions(of: path + suffix) == 0o600, "\(suffix)") }
            #expect(try permissions(of: folder.path + "/a") == 0o700)
        }
    }

    @Test("Symbolic links are followed, to the file and on the way to it")
    func links() async throws {
        try await withTemporaryFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: folder.path + "/alias", withDestinationPath: "real")
            try manager.createSymbolicLink(
                atPath: folder.path + "/link.sqlite", withDestinationPath: "alias/Vault.sqlite")
            let one = try openStore(folder.path + "/link.sqlite")
            try one.set(key("a"), to: Data("1".utf8))
            #expect(try openStore(folder.path + "/real/Vault.sqlite").feed === one.feed)
            #expect(try Set(contents(of: folder.path + "/real").keys).contains("Vault.sqlite-wal"))
            #expect(one.path.hasSuffix("/real/Vault.sqlite"))
        }
    }

    // (A file of one byte is an empty database to SQLite.)
    @Test("A file that is no database is refused, and not a byte of it is changed", arguments: [2, 15, 100, 5_000])
    func noDatabase(size: Int) async throws {
        try await withDatabase { path in
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }).write(to: URL(fileURLWithPath: path))
            #expect(try Self.refused(path)?.code == .notADatabase)
        }
    }

    @Test("An empty file is an empty database")
    func empty() async throws {
        try await withDatabase { path in
            try Data().write(to: URL(fileURLWithPath: path))
            try openStore(path).set(key("a"), to: Data("1".utf8))
            #expect(try freshStore(path).keys() == ["a"])
        }
    }

    @Test(
        "A table that is not one of settings is refused, and the file is unchanged, its journal mode included",
        arguments: [
            "CREATE TABLE settings (id INTEGER PRIMARY KEY, theme TEXT)",
            "CREATE TABLE settings (name TEXT, value TEXT)",
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT, owner TEXT NOT NULL)",
            "CREATE TABLE settings (owner TEXT, name TEXT, value TEXT, PRIMARY KEY (owner, name))",
            "CREATE TABLE x (name TEXT PRIMARY KEY, value); CREATE VIEW settings AS SELECT * FROM x",
            // SQLite would make 1 of "1.0" in these.
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value JSON)",
            "CREATE TABLE settings (name INTEGER PRIMARY KEY, value TEXT)",
        ], ["DELETE", "WAL"])
    func otherTable(definition: String, journal: String) async throws {
        try await withDatabase { path in
            try OtherProgram(path).run("PRAGMA journal_mode = \(journal); \(definition)")
            #expect(try Self.refused(path)?.code == .unexpectedTable)
        }
    }

    @Test("A newer format is refused, also if it appears while the store is open, and the file is unchanged")
    func newer() async throws {
        try await withDatabase { path in
            let newer = "(-- SettingsKit, format 2: something new.\n name TEXT NOT NULL PRIMARY KEY, value NOT NULL)"
            try OtherProgram(path).run("CREATE TABLE settings \(newer); INSERT INTO settings VALUES ('a', 1)")
            #expect(try Self.refused(path)?.code == .newerVersion)
            let store = try openStore(path, table: "other")
            try store.set(key("a"), to: Data("1".utf8))
            try OtherProgram(path).run("BEGIN; DROP TABLE other; CREATE TABLE other \(newer); COMMIT")
            expectError(.newerVersion) { try store.set(key("a"), to: Data("2".utf8)) }
            #expect(try OtherProgram(path).text("SELECT count(*) FROM other") == "0")
            #expect(store.get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A damaged database is reported, or its settings are whole; the damaged file is left unchanged")
    func damaged() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("damaged: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        try await withDatabase { path in
            let expected = Set((0..<400).map { "name \($0)" })
            do {
                let store = try freshStore(path)
                for name in expected { try store.set(key(name), to: Data("\"\(name) \(name)\"".utf8)) }
            }
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            let pageSize = 4_096
            var refusals = 0
            for _ in 0..<40 {
                // A page's kind, its cells and their places; those of the first page are behind the file's header.
                var bad = good
                let page = Int.random(in: 0..<good.count / pageSize, using: &generator)
                let start = page * pageSize + (page == 0 ? 100 : 0)
                for _ in 0..<3 { bad[start + Int.random(in: 0..<8, using: &generator)] ^= 0xA5 }
                try bad.write(to: URL(fileURLWithPath: path))
                do {
                    let store = try freshStore(path)
                    #expect(Set(store.keys()) == expected, "seed \(seed)")
                } catch let error as SettingsError {
                    refusals += 1
                    #expect([.corruptDatabase, .notADatabase].contains(error.code), "\(error), seed \(seed)")
                    #expect(!"\(error)".contains("name "), "seed \(seed)")
                }
                for suffix in ["-wal", "-shm"] { _ = try? FileManager.default.removeItem(atPath: path + suffix) }
            }
            #expect(refusals > 0, "seed \(seed)")
            try good.write(to: URL(fileURLWithPath: path))
            #expect(try Set(freshStore(path).keys()) == expected)
        }
    }

    @Test(
        "A file that was removed or replaced takes no writes, which would be lost; opened again, it does",
        arguments: [false, true])
    func replaced(isRemoved: Bool) async throws {
        try await withDatabase { path in
            let store = try openStore(path)
            try store.set(key("a"), to: Data("1".utf8))
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            if !isRemoved { try OtherProgram(path).run("CREATE TABLE users (id)") }
            for _ in 0..<2 {
                let error = expectError(.fileReplaced) { try store.set(key("a"), to: Data("\"secret\"".utf8)) }
                #expect(error?.description.contains(path) == true)
            }
            expectError(.fileReplaced) { try store.synchronize() }
            #expect(store.get(key("a")) == Data("1".utf8))
            // The old one is still there.
            let again = try openStore(path)
            #expect(again.keys().isEmpty)
            try again.set(key("a"), to: Data("2".utf8))
            #expect(try freshStore(path).get(key("a")) == Data("2".utf8))
            #expect(store.get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A table dropped by another program is an error for writes, the last values stay, and it is made when opened")
    func dropped() async throws {
        try await withDatabase { path in
            let store = try freshStore(path)
            try store.set(key("a"), to: Data("1".utf8))
            try OtherProgram(path).run("DROP TABLE settings")
            for _ in 0..<2 { expectError(.unexpectedTable) { try store.set(key("b"), to: Data("2".utf8)) } }
            expectError(.unexpectedTable) { try store.refresh() }
            #expect(store.get(key("a")) == Data("1".utf8))
            #expect(try freshStore(path).keys() == [])
            try store.set(key("b"), to: Data("2".utf8))
            #expect(store.keys() == ["b"])
        }
    }

    @Test("Where nothing may be made, the store cannot be opened, and says where", .enabled(if: isRoot))
    func readOnlyDirectory() async throws {
        try await withDatabase { path in
            let directory = (path as NSString).deletingLastPathComponent
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
            await #expect(processExitsWith: .success) { [path = path as String] in
                guard setuid(65_534) == 0 else { Foundation.exit(2) }
                do {
                    _ = try SQLiteStore(at: URL(fileURLWithPath: path))
                    Foundation.exit(3)
                } catch let error as SettingsError {
                    Foundation.exit(error.code == .storeUnavailable && error.description.contains(path) ? 0 : 4)
                }
            }
            #expect(try contents(of: directory).isEmpty)
        }
    }

    @Test(
        "A full disk is an error that says so, keeps the old value, and is over when there is room",
        .enabled(if: isRoot))
    func fullDisk() async throws {
        try await withTemporaryFolder { folder in
            guard try mountSmallDisk(at: folder) else { return }
            defer { unmountDisk(at: folder) }
            let path = folder.path + "/Vault.sqlite"
            let filler = folder.path + "/filler"
            try Data(repeating: 1, count: 200_000).write(to: URL(fileURLWithPath: filler))
            let store = try freshStore(path)
            func value(_ number: Int) -> Data {
                Data("\"secret \(number) \(String(repeating: "x", count: 2_000))\"".utf8)
            }
            var last = 0
            let error = expectError(.diskFull) {
                while last < 1_000 {
                    try store.set(key("a"), to: value(last + 1))
                    last += 1
                }
            }
            #expect(error?.description.contains(path) == true)
            #expect(last > 0)
            #expect(store.get(key("a")) == value(last))
            expectError(.diskFull) {
                for number in 0..<20 { try store.set(key("b \(number)"), to: value(number)) }
            }
            try FileManager.default.removeItem(atPath: filler)
            // The file system may give the room free a moment later.
            try await until { thrownCode { try store.set(key("a"), to: value(-1)) } == nil }
            try store.synchronize()
            #expect(try freshStore(path).get(key("a")) == value(-1))
            #expect(try OtherProgram(path).text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test("A missing file or table is an error for a store that is only read, and is not created")
    func missing() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Vault.sqlite")
            let noFile = #expect(throws: SettingsError.self) { try SQLiteStore(at: url, access: .readOnly) }
            #expect(noFile?.code == .storeUnavailable)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            _ = try SQLiteStore(at: url, table: "other")
            let noTable = #expect(throws: SettingsError.self) { try SQLiteStore(at: url, access: .readOnly) }
            #expect(noTable?.code == .unexpectedTable)
            _ = try SQLiteStore(at: url, table: "other", access: .readOnly)
        }
    }
}
