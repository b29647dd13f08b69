import CSettingsKitSQLite
import Foundation
import SettingsKitCore
import Synchronization
import Testing

@testable import SettingsSQLite

/// The flushes of connections' logs in this process, and what they return.
private enum Flushes {
    static let count = Atomic(0)
    static let code = Atomic(Int32(SQLITE_OK))

    /// Counts the flushes of a connection's log instead of making them.
    static func replace(in connection: Connection) throws {
        var file: UnsafeMutablePointer<csqlite_file>?
        try #require(sqlite3_file_control(connection.handle, "main", 28, &file) == SQLITE_OK)
        let methods = try #require(file?.pointee.methods)
        // Thirteen more methods follow those that are declared. SQLite uses the copy as long as the file is open.
        let size = MemoryLayout<csqlite_file_methods>.size + 13 * MemoryLayout<Int>.size
        let own = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        own.copyMemory(from: methods, byteCount: size)
        let counting = own.assumingMemoryBound(to: csqlite_file_methods.self)
        counting.pointee.synchronize = { _, _ in
            Flushes.count.add(1, ordering: .relaxed)
            return Flushes.code.load(ordering: .relaxed)
        }
        file?.pointee.methods = UnsafePointer(counting)
    }
}

@Suite("The log and the size of a database", .serialized)
struct LogTests {
    @Test("Synchronizing flushes the log, waits for no other program, and throws what the system says")
    func synchronized() async throws {
        try await withStorage { storage in
            try await storage.write { try $0.insert(Note(1, "one")) }
            let store = try openStore(storage.path)
            try store.set(key("a"), to: Data("1".utf8))
            try store.settings.access.withLock { access in try Flushes.replace(in: access.connection) }
            try await storage.maintain { try Flushes.replace(in: $0) }
            let other = try OtherProgram(storage.path)
            try other.run("BEGIN IMMEDIATE; SELECT * FROM notes")
            let before = Flushes.count.load(ordering: .relaxed)
            try store.synchronize()
            #expect(Flushes.count.load(ordering: .relaxed) == before + 1)
            try await storage.synchronize()
            #expect(Flushes.count.load(ordering: .relaxed) == before + 2)
            Flushes.code.store(Int32(SQLITE_IOERR), ordering: .relaxed)
            defer { Flushes.code.store(Int32(SQLITE_OK), ordering: .relaxed) }
            expectError(.writeFailed) { try store.synchronize() }
            await expect(.writeFailed, saying: storage.path) { try await storage.synchronize() }
        }
    }

    private func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
    }

    @Test("Compacting gives the room of deleted rows back and keeps every row")
    func compacted() async throws {
        try await withStorage { storage in
            try await storage.write { database in
                for number in 0..<600 { try database.save(Note(number, String(repeating: "x", count: 10_000))) }
            }
            #expect(try size(storage.path + "-wal") > 5_000_000)
            try await storage.write { _ = try $0.delete(Note.where(Column("id") >= 10)) }
            let rows = try await storage.dump()
            try await storage.compact()
            #expect(try size(storage.path) < 500_000 && size(storage.path + "-wal") == 0)
            #expect(try await storage.dump() == rows)
            try await storage.write { try $0.insert(Note(5_000, "after")) }
            try await SQLiteStorage.inMemory(versions: [notesSchema]).compact()
        }
    }
}
