import Dispatch
import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteStorage {
    /// Copies the database into a new file, while others read and write.
    ///
    /// ```swift
    /// try await storage.backup(to: folder.appendingPathComponent("Users 2026-11-22.sqlite")) { progress in
    ///     print("\(Int(progress.fractionCompleted * 100)) %")
    /// }
    /// ```
    ///
    /// The copy is the database as it is when the backup begins. Later writes stay in the write-ahead log until the
    /// end. The new file is complete or absent: it gets its name when it is complete and survives a power failure. Only
    /// its owner can use it, and it needs no other file beside it. When the task is cancelled, nothing is left behind.
    ///
    /// - Parameters:
    ///   - url: The new file. Missing directories are created. An existing file is not replaced, because a program may
    ///     have it open.
    ///   - progress: Called in the background after each part of the pages.
    /// - Throws: `SettingsError`, with the code `storeUnavailable` if there is a file at `url`, `diskFull`,
    ///   `writeFailed`, `readFailed`, `corruptDatabase`, `fileReplaced`; `CancellationError`.
    public func backup(
        to url: URL, progress: @escaping @Sendable (SQLiteBackupProgress) -> Void = { _ in }
    ) async throws {
        let backup = try DatabaseBackup(to: url, progress: progress)
        try await withTaskCancellationHandler {
            // A database in memory has no file, and only the storage's own connection can use it.
            let file = try await read { database in
                let connection = try database.openConnection()
                if connection.file == nil { try backup.run(from: connection) }
                return connection.file
            }
            if let file { try await backup.run(path: path, file, description: description) }
        } onCancel: {
            backup.cancel()
        }
    }
}

extension SQLiteStore {
    /// Copies the database into a new file, with all of its tables, while others read and write.
    ///
    /// As with ``SQLiteStorage/backup(to:progress:)``, the new file is complete or absent, and replaces no other.
    ///
    /// - Parameters:
    ///   - url: The new file.
    ///   - progress: Called in the background after each part of the pages.
    /// - Throws: `SettingsError`, `CancellationError`.
    public func backup(
        to url: URL, progress: @escaping @Sendable (SQLiteBackupProgress) -> Void = { _ in }
    ) async throws {
        let backup = try DatabaseBackup(to: url, progress: progress)
        try await withTaskCancellationHandler {
            try await backup.run(path: path, nil, description: storeDescription)
        } onCancel: {
            backup.cancel()
        }
    }
}

extension DatabaseBackup {
    /// Copies the database at a path with a separate connection, in the background.
    ///
    /// - Parameter file: The file expected at the path; nil for any.
    fileprivate func run(path: String, _ file: FileStatus?, description: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "SettingsKit.\(description).backup").async {
                continuation.resume(with: Result { try self.run(path: path, file, description) })
            }
        }
    }

    private func run(path: String, _ file: FileStatus?, _ description: String) throws {
        let source = try Connection(
            path: path, isReadOnly: true, patience: SQLiteTimings.patience, description: description)
        defer { source.close() }
        try source.requireSameFile(as: file)
        try source.transaction(writing: false) {
            // From the first read, the transaction sees one state.
            _ = try source.integer("PRAGMA schema_version")
            try run(from: source)
        }
    }
}
