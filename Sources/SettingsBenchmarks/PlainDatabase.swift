import CSettingsKitSQLite
import Foundation

/// A database used through SQLite's C interface, with the pragmas that this library uses.
final class PlainDatabase {
    private let handle: OpaquePointer

    init(_ url: URL) {
        precondition(FileManager.default.createFile(atPath: url.path, contents: nil))
        var handle: OpaquePointer?
        precondition(sqlite3_open_v2(url.path, &handle, Int32(SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX), nil) == 0)
        guard let handle else { fatalError("There is no database at \(url.path).") }
        self.handle = handle
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        execute("PRAGMA foreign_keys = ON")
    }

    // Statements may outlive it.
    deinit { sqlite3_close_v2(handle) }

    /// Writes a row of the table `settings`.
    static let upsert =
        "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"

    /// Makes the table `settings`, with a text under each of a number of names.
    func makeSettings(count: Int) {
        execute("CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value NOT NULL)")
        let upsert = statement(Self.upsert)
        execute("BEGIN")
        for number in 0..<count { upsert.run("setting number \(number)", "value \(number)") }
        execute("COMMIT")
    }

    func statement(_ sql: String) -> PlainStatement {
        var statement: OpaquePointer?
        precondition(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        guard let statement else { fatalError("There is no statement in \(sql).") }
        return PlainStatement(statement)
    }

    func execute(_ sql: String) { statement(sql).run() }
}

/// A prepared statement.
final class PlainStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    func bind(_ text: String?, at index: Int32) {
        guard let text else {
            sqlite3_bind_null(handle, index)
            return
        }
        // SQLITE_TRANSIENT
        let copying = unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copying)
    }

    func bind(_ number: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(number)) }

    /// Whether there is another row.
    func step() -> Bool {
        let code = Int(sqlite3_step(handle))
        precondition(code == SQLITE_ROW || code == SQLITE_DONE, "SQLite reports \(code).")
        return code == SQLITE_ROW
    }

    func reset() { sqlite3_reset(handle) }

    func run() {
        while step() {}
        reset()
    }

    func run(_ name: String, _ value: String) {
        bind(name, at: 1)
        bind(value, at: 2)
        run()
    }

    func integer(_ column: Int32) -> Int { Int(clamping: sqlite3_column_int64(handle, column)) }

    func text(_ column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }
}
