import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform

extension Connection {
    /// Makes the database keep a write-ahead log. Then readers and a writer do not wait for each other, and a commit
    /// survives the end of the process without waiting for the disk.
    ///
    /// - Parameter patience: The time to wait for others; SQLite itself does not wait in this case.
    func useWriteAheadLog(patience: Duration) throws {
        guard !isReadOnly, !isInMemory else { return }
        #if canImport(Darwin)
            // fsync on Darwin leaves the bytes in the drive's cache.
            try set(pragma: "fullfsync = ON")
            try set(pragma: "checkpoint_fullfsync = ON")
        #endif
        var pause = LockPause(until: Deadline(after: patience))
        while true {
            do {
                let mode = try authorizer.trusting { try journalMode(setting: "WAL") }
                // If the file system cannot hold one, each commit waits for the disk, as without these settings.
                if mode == .text("wal") {
                    try set(pragma: "synchronous = NORMAL")
                    try set(pragma: "journal_size_limit = \(SQLiteLimits.logSize)")
                }
                return
            } catch SettingsError.Code.busy where pause.next() {
                // Another connection has the database locked.
            }
        }
    }

    private func journalMode(setting mode: String) throws -> SQLiteValue? {
        let statement = try prepare("PRAGMA journal_mode = \(mode)", from: 0).0
        var present: SQLiteValue?
        try statement?.forEachRow([]) {
            present = statement?.value(at: 0)
            return true
        }
        return present
    }

    /// Returns when every earlier commit survives a power failure. The log is then empty, unless others use it.
    func synchronize() throws {
        if isReadOnly || isInMemory { return }
        if try copyLog(waiting: SQLiteTimings.logReaderPatience) { return }
        // Readers of an older state prevent it, or another connection does the same. A commit that waits for the disk writes the
        // whole log.
        try set(pragma: "synchronous = FULL")
        defer {
            do {
                try set(pragma: "synchronous = NORMAL")
            } catch {
                // Commits continue to wait for the disk: slower, and equally safe.
            }
        }
        // The transaction must write something, and must not undo writes of others, so it writes the value that it reads.
        try transaction(writing: true) { try set(pragma: "user_version = \(try integer("PRAGMA user_version"))") }
    }

    /// Rewrites the database without the space of deleted rows, and returns that space to the system.
    func compact() throws {
        try synchronize()
        isForWriting = true
        defer { isForWriting = false }
        try authorizer.trusting { try run(script: "VACUUM") }
        _ = try copyLog(waiting: patience)
    }

    /// Copies the database into an empty file.
    func copy(to path: String) throws {
        isForWriting = true
        defer { isForWriting = false }
        try authorizer.trusting { try run(script: "VACUUM INTO \(Quotes.around(path, "'"))") }
    }

    /// Copies the log into the database, waits for the disk, and empties the log if no other connection uses it.
    ///
    /// - Parameter duration: The time to wait for readers of the log.
    /// - Returns: whether all of the log is in the database, and on the disk.
    private func copyLog(waiting duration: Duration) throws -> Bool {
        let usual = patience
        patience = min(usual, duration)
        defer { patience = usual }
        var (frames, copied): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", Int32(SQLITE_CHECKPOINT_TRUNCATE), &frames, &copied)
        switch Int(code) {
        case SQLITE_OK: return frames == copied
        // Readers prevent it, or another connection does the same; there are no numbers in that case.
        case SQLITE_BUSY, SQLITE_LOCKED:
            try requireNotCancelled()
            return frames >= 0 && frames == copied
        default: throw error(code, isWriting: true)
        }
    }
}
