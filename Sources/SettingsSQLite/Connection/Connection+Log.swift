import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform

extension Connection {
    /// How large the log stays at most when it is begun again, in bytes: what one large write has made of it goes.
    private static let logLimit = 4 << 20
    /// How long readers of the log are waited for when it is to be truncated.
    private static let readerPatience = Duration.milliseconds(50)

    /// Has the database keep a write-ahead log: readers and a writer do not wait for each other then, and a commit is safe
    /// from the end of the process without waiting for the disk.
    ///
    /// - Parameter patience: How long it waits for others; SQLite itself does not, in this case.
    func useWriteAheadLog(patience: Duration) throws {
        guard !isReadOnly, !isInMemory else { return }
        let deadline = Deadline(after: patience)
        var pause = LockPause()
        while true {
            do {
                let mode = try authorizer.trusting { try journalMode(setting: "WAL") }
                // Where the file system has no place for one, each commit waits for the disk, as without these settings.
                if mode == .text("wal") {
                    try set(pragma: "synchronous = NORMAL")
                    try set(pragma: "journal_size_limit = \(Self.logLimit)")
                }
                return
            } catch SettingsError.Code.busy where !deadline.hasPassed {
                pause.next()
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

    /// Returns when everything committed so far survives a power failure; the log is then empty, unless others use it.
    func synchronize() throws {
        if isReadOnly || isInMemory { return }
        if try copyLog(waiting: Self.readerPatience) { return }
        // Readers of an older state are in the way, or another connection does the same. A commit that waits for the disk
        // has the whole log written.
        try set(pragma: "synchronous = FULL")
        defer {
            do {
                try set(pragma: "synchronous = NORMAL")
            } catch {
                // Commits go on to wait for the disk: slower, and no less safe.
            }
        }
        // It must write something. What others write there is not to be set back: it is read in the transaction.
        try transaction(writing: true) { try set(pragma: "user_version = \(try integer("PRAGMA user_version"))") }
    }

    /// Writes the database anew, without the room that deleted rows have left, and gives what it does not need to the system.
    func compact() throws {
        try synchronize()
        isForWriting = true
        defer { isForWriting = false }
        try authorizer.trusting { try run(script: "VACUUM") }
        _ = try copyLog(waiting: patience)
    }

    /// Copies the log into the database, waits for the disk, and empties the log if no one else uses it.
    ///
    /// - Parameter duration: How long it waits for those who read from the log.
    /// - Returns: whether all of the log is in the database, and on the disk.
    private func copyLog(waiting duration: Duration) throws -> Bool {
        let usual = patience
        patience = min(usual, duration)
        defer { patience = usual }
        var (frames, copied): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, "main", Int32(SQLITE_CHECKPOINT_TRUNCATE), &frames, &copied)
        switch Int(code) {
        case SQLITE_OK: return frames == copied
        // Readers are in the way, or another connection does the same; then there are no numbers.
        case SQLITE_BUSY, SQLITE_LOCKED:
            try requireNotCancelled()
            return frames >= 0 && frames == copied
        default: throw error(code, isWriting: true)
        }
    }
}
