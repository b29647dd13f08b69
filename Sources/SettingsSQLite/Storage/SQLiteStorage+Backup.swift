import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteStorage {
    /// Copies the database into a new file, with `VACUUM INTO` (SQLite 3.27), while others read and write.
    ///
    /// The copy is the database as it is when the backup begins, without the space of deleted rows. Only its owner can use the
    /// file, which needs no other file beside it. When the backup fails, or its task is cancelled, the file is removed.
    ///
    /// - Parameter url: The new file. Missing directories are created. An existing file is not replaced, because a program may
    ///   have it open.
    /// - Throws: `SettingsError`, with the code `storeUnavailable` if there is a file at `url`, or none can be created there;
    ///   `diskFull`, `writeFailed`, `fileReplaced`; `CancellationError`.
    public func backup(to url: URL) async throws {
        let copy = try DatabaseFile.path(of: url, store: "backup")
        try await using(readers) { pooled, limits in
            let connection = try self.connection(of: pooled)
            try DatabaseFile.prepare(copy, isNew: true, store: "backup \(copy)")
            do {
                try connection.within(limits) { try connection.copy(to: copy) }
            } catch {
                // SQLite leaves what it has copied.
                try? POSIXFileSystem().remove(copy)
                throw error
            }
        }
    }
}

extension SQLiteStore {
    /// Copies the database into a new file, with all of its tables, as ``SQLiteStorage/backup(to:)`` does.
    ///
    /// A database in memory cannot be copied.
    public func backup(to url: URL) async throws {
        var options = SQLiteStorage.Options()
        options.access = .readOnly
        try await SQLiteStorage(at: URL(fileURLWithPath: path), options: options).backup(to: url)
    }
}
