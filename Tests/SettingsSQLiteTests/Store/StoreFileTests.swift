import Foundation
import SettingsKitCore
import SettingsSQLite
import Testing

@Suite("The file of a store", .timeLimit(Rounds.timeLimit))
struct StoreFileTests {
    /// Expects that a file cannot be opened, and that no byte in its directory changes.
    private func expectRefused(
        _ path: String, _ code: SettingsError.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let directory = (path as NSString).deletingLastPathComponent
        let before = try contents(of: directory)
        let error = expectError(code, sourceLocation: sourceLocation) { _ = try openStore(path) }
        // SQLite puts the file for its locks beside a database that is read, and an empty log.
        for (name, bytes) in try contents(of: directory) where !bytes.isEmpty && !name.hasSuffix("-shm") {
            #expect(before[name] == bytes, sourceLocation: sourceLocation)
        }
        #expect(error?.description.contains(path) == true, sourceLocation: sourceLocation)
    }

    @Test("Symbolic links are followed, to the file and on the way to it")
    func links() async throws {
        try await withTemporaryFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: folder.path + "/alias", withDestinationPath: "real")
            try manager.createSymbolicLink(
                atPath: folder.path + "/link.sqlite", withDestinationPath: "alias/Vault.sqlite")
            let store = try openStore(folder.path + "/link.sqlite")
            #expect(try openStore(folder.path + "/real/Vault.sqlite").feed === store.feed)
            #expect(store.path.hasSuffix("/real/Vault.sqlite"))
        }
    }

    // (A file of one byte is an empty database to SQLite.)
    @Test(
        "A file that is no database is refused, and it and the file beside it stay", arguments: [2, 15, 16, 100, 5_000])
    func noDatabase(size: Int) async throws {
        try await withDatabase { path in
            try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }).write(to: URL(fileURLWithPath: path))
            try Data("a journal".utf8).write(to: URL(fileURLWithPath: path + "-journal"))
            try expectRefused(path, .notADatabase)
            #expect(SQLiteStore.findings(path: path, table: "settings").contains { $0.kind == .notADatabase })
            #expect(FileManager.default.contents(atPath: path + "-journal") == Data("a journal".utf8))
        }
    }

    @Test(
        "A table that is not one of settings is refused, and the file is unchanged, its journal mode included",
        arguments: [
            "(name TEXT, value TEXT)", "(name TEXT PRIMARY KEY)",
            "(name TEXT PRIMARY KEY, value TEXT, owner TEXT NOT NULL)",
            "(name TEXT, value TEXT, PRIMARY KEY (name, value))",
            // SQLite would make 1 of "1.0" in these.
            "(name TEXT PRIMARY KEY, value JSON)", "(name INTEGER PRIMARY KEY, value TEXT)",
        ])
    func otherTable(definition: String) async throws {
        try await withDatabase { path in
            try OtherProgram(path).run("CREATE TABLE settings \(definition)")
            try expectRefused(path, .unexpectedTable)
            try OtherProgram(path).run("DROP TABLE settings; CREATE TABLE x (name, value)")
            try OtherProgram(path).run("CREATE VIEW settings AS SELECT * FROM x")
            try expectRefused(path, .unexpectedTable)
        }
    }

    @Test("A newer format is refused, also if it appears while the store is open, and the file is unchanged")
    func newer() async throws {
        try await withDatabase { path in
            let newer = "(-- SettingsKit, format 2: something new.\n name TEXT NOT NULL PRIMARY KEY, value NOT NULL)"
            try OtherProgram(path).run("CREATE TABLE settings \(newer); INSERT INTO settings VALUES ('a', 1)")
            try expectRefused(path, .newerVersion)
            let store = try openStore(path, table: "other")
            try store.set(key("a"), to: Data("1".utf8))
            try OtherProgram(path).run("BEGIN; DROP TABLE other; CREATE TABLE other \(newer); COMMIT")
            expectError(.newerVersion) { try store.set(key("a"), to: Data("2".utf8)) }
            #expect(try OtherProgram(path).text("SELECT count(*) FROM other") == "0")
            #expect(store.get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A table dropped by another program is an error for writes, and the last values stay")
    func dropped() async throws {
        try await withDatabase { path in
            let store = try freshStore(path)
            try store.set(key("a"), to: Data("1".utf8))
            try OtherProgram(path).run("DROP TABLE settings")
            for _ in 0..<2 { expectError(.unexpectedTable) { try store.set(key("b"), to: Data("2".utf8)) } }
            expectError(.unexpectedTable) { try store.refresh() }
            #expect(store.get(key("a")) == Data("1".utf8))
            // Opening makes it.
            #expect(try freshStore(path).keys() == [])
            try store.set(key("b"), to: Data("2".utf8))
            #expect(store.keys() == ["b"])
        }
    }

    @Test("A damaged database is reported, and left unchanged")
    func damaged() async throws {
        try await withDatabase { path in
            do {
                let store = try freshStore(path)
                for number in 0..<400 { try store.set(key("name \(number)"), to: Data("\"secret\"".utf8)) }
            }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // The kinds of all pages but the first.
            for page in 1..<bytes.count / 4_096 { bytes[page * 4_096] ^= 0xA5 }
            try bytes.write(to: URL(fileURLWithPath: path))
            try expectRefused(path, .corruptDatabase)
            #expect(SQLiteStore.findings(path: path, table: "settings").contains { $0.kind == .corruptDatabase })
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
            // The old one is still there.
            let again = try openStore(path)
            #expect(again.keys().isEmpty)
            try again.set(key("a"), to: Data("2".utf8))
            #expect(try freshStore(path).get(key("a")) == Data("2".utf8))
            #expect(store.get(key("a")) == Data("1".utf8))
        }
    }

    @Test("A missing file or table is an error for a store that is only read, and is not created")
    func missing() async throws {
        try await withDatabase { path in
            let url = URL(fileURLWithPath: path)
            expectError(.storeUnavailable) { _ = try SQLiteStore(at: url, access: .readOnly) }
            #expect(!FileManager.default.fileExists(atPath: path))
            _ = try SQLiteStore(at: url, table: "other")
            expectError(.unexpectedTable) { _ = try SQLiteStore(at: url, access: .readOnly) }
            #expect(SQLiteStore.findings(path: path, table: "settings").map(\.kind) == [.unexpectedTable])
            let store = try SQLiteStore(at: url, table: "other", access: .readOnly)
            expectError(.readOnly) { try store.set(key("a"), to: nil) }
            #expect(SQLiteStore.findings(path: path, table: "other").isEmpty)
        }
    }
}
