import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform

extension Connection {
    /// Makes the database keep a write-ahead log. Then readers and a writer do not wait for each other, and a commit
    /// survives the end of the process without waiting for the disk.
    func useWriteAheadLog() throws {
        guard !isReadOnly, !isInMemory else { return }
        #if canImport(Darwin)
            // fsync on Darwin leaves the bytes in the drive's cache.
            try set(pragma: "fullfsync = ON")
            try set(pragma: "checkpoint_fullfsync = ON")
        #endif
        // SQLite itself does not wait in this case.
        var pause = LockPause(until: Deadline(after: patience))
        while true {
            do {
                try set(pragma: "journal_mode = WAL")
                break
            } catch SettingsError.Code.busy where pause.next() {
                // Another connection has the database locked.
            }
        }
        try set(pragma: "synchronous = NORMAL")
        try set(pragma: "journal_size_limit = \(SQLiteLimits.logSize)")
    }

    /// Returns when every earlier commit survives a power failure: flushes the log, or what SQLite has in its place.
    func synchronize() throws {
        let code = csqlite_synchronize_log(handle)
        guard Int(code) == SQLITE_OK else { throw error(code, isWriting: true) }
    }

    /// Rewrites the database without the space of deleted rows, and returns that space to the system.
    func compact() throws {
        isForWriting = true
        defer { isForWriting = false }
        try authorizer.trusting { try run(script: "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Copies the database into an empty file.
    func copy(to path: String) throws {
        isForWriting = true
        defer { isForWriting = false }
        try authorizer.trusting { try run(script: "VACUUM INTO \(Quotes.around(path, "'"))") }
    }
}
