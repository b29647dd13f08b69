import CSettingsKitSQLite
import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Copies a database into a new file, some pages at a time.
///
/// The pages go into a temporary file beside the new one, which is renamed when it is complete.
final class DatabaseBackup: Sendable {
    typealias Progress = @Sendable (SQLiteBackupProgress) -> Void

    /// The files that SQLite may create beside a database.
    private static let companions = ["-wal", "-shm", "-journal"]

    private let path: String
    private let description: String
    private let progress: Progress
    private let isCancelled = Atomic(false)
    private let fileSystem = POSIXFileSystem()

    /// - Throws: `SettingsError` with the code `storeUnavailable` if the path cannot be used.
    init(to url: URL, progress: @escaping Progress) throws {
        path = try DatabaseFile.path(of: url, store: "backup")
        description = "backup \(path)"
        self.progress = progress
    }

    /// Ends the copy soon, without a new file.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Copies one state of the database, while others may write.
    ///
    /// - Throws: `SettingsError`, `CancellationError`; without a new file.
    func run(from source: Connection) throws {
        do {
            try requireFree()
            try WholeFile(path: path, fileSystem: fileSystem).createDirectory()
            try WholeFile(path: path, fileSystem: fileSystem).removeTemporaries(.unlockedForAnHour)
            let temporary = WholeFile.temporaryPath(for: path)
            fileSystem.close(try fileSystem.create(temporary))
            defer { for suffix in [""] + Self.companions { remove(temporary + suffix) } }
            try copy(source, to: temporary)
            try requireNotCancelled()
            try publish(temporary)
        } catch let error as SystemError {
            let code: SettingsError.Code = error.number == ENOSPC || error.number == EDQUOT ? .diskFull : .writeFailed
            throw SettingsError(code, store: description, underlying: error)
        }
    }

    /// - Throws: if there is a file at the path, or the log of an earlier database, which SQLite would use for the copy.
    private func requireFree() throws {
        for path in [path] + Self.companions.map({ path + $0 }) {
            guard try fileSystem.status(of: path, followingLink: false) != nil else { continue }
            throw SettingsError(
                .storeUnavailable, store: description,
                underlying: SQLiteProblem(
                    "There is a file at \(path), which a backup does not replace. Choose another name."))
        }
    }

    private func requireNotCancelled() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }

    // MARK: Pages

    private func copy(_ source: Connection, to temporary: String) throws {
        let target = try Connection(path: temporary, isReadOnly: false, patience: .zero, description: description)
        defer { target.close() }
        // No other connection uses the file, which is synchronized when complete.
        for pragma in ["locking_mode = EXCLUSIVE", "journal_mode = OFF", "synchronous = OFF"] {
            try target.set(pragma: pragma)
        }
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.error(sqlite3_extended_errcode(target.handle), isWriting: true)
        }
        do {
            try copyPages(backup, target)
        } catch {
            // It returns the error of the last step.
            sqlite3_backup_finish(backup)
            throw error
        }
        let code = sqlite3_backup_finish(backup)
        guard Int(code) == SQLITE_OK else { throw target.error(code, isWriting: true) }
        // Without this, reading the copy of a database with a write-ahead log would need files beside it.
        _ = try target.integer("PRAGMA schema_version")
        try target.set(pragma: "journal_mode = DELETE")
    }

    private func copyPages(_ backup: OpaquePointer, _ target: Connection) throws {
        while true {
            try requireNotCancelled()
            let code = sqlite3_backup_step(backup, SQLiteLimits.backupPages)
            guard Int(code) == SQLITE_OK || Int(code) == SQLITE_DONE else { throw target.error(code, isWriting: true) }
            let count = Int(sqlite3_backup_pagecount(backup))
            HeldLocks.requireNone(before: "a closure for the progress")
            progress(
                SQLiteBackupProgress(
                    pageCount: count, copiedPageCount: count - Int(sqlite3_backup_remaining(backup))))
            if Int(code) == SQLITE_DONE { return }
        }
    }

    // MARK: The new file

    /// Renames a complete file, unless another file has that name by now.
    private func publish(_ temporary: String) throws {
        try synchronize(temporary)
        do throws(SystemError) {
            try fileSystem.link(temporary, as: path)
        } catch {
            // Another file has this name by now, or the file system has no hard links.
            try requireFree()
            guard error.isAboutHardLinks else { throw error }
            try fileSystem.rename(temporary, to: path)
        }
        do throws(SystemError) {
            try fileSystem.synchronizeDirectory(WholeFile.split(path).directory)
        } catch {
            remove(path)
            throw error
        }
    }

    /// Flushes the complete file, and closes it before it has the name under which programs open it.
    private func synchronize(_ temporary: String) throws(SystemError) {
        let file = try fileSystem.openForReading(temporary, followingLink: false)
        defer { fileSystem.close(file) }
        try fileSystem.synchronize(file)
    }

    private func remove(_ path: String) {
        do throws(SystemError) {
            try fileSystem.remove(path)
        } catch {
            // Usually there is none. A later backup removes a temporary file that stays.
        }
    }
}
