import SettingsKitPlatform

/// A journal under a temporary name that is to replace another one. Its beginning was written and flushed.
///
/// Creating it takes time, so it needs no lock. Records that are appended to the other journal meanwhile are missing.
struct JournalDraft: Sendable {
    let beginning: JournalBeginning
    /// The header that was written.
    let header: JournalHeader
    /// Locked, so that no other process treats it as abandoned.
    let file: FileHandle
    let status: FileStatus
    /// The permissions of the property list, which determine the file's.
    let listPermissions: FilePermissions?

    /// - Parameter target: The path of the property list.
    init(_ beginning: JournalBeginning, beside target: String, in fileSystem: any FileSystem) throws {
        self.beginning = beginning
        let (header, bytes) = beginning.encode()
        self.header = header
        listPermissions = try fileSystem.status(of: target, followingLink: true)?.permissions
        let file = try WholeFile.makeTemporary(beside: target, in: fileSystem)
        self.file = file
        do {
            try fileSystem.setPermissions(
                of: file, like: Journal.permissions(beside: listPermissions), inDirectoryOf: target)
            try bytes.withUnsafeBytes { try fileSystem.write(all: $0, to: file) }
            // The other journal may have been flushed.
            _ = try fileSystem.flush(file, .ordered)
            status = try fileSystem.status(of: file)
        } catch {
            Self.discard(file, in: fileSystem)
            throw error
        }
    }

    /// Closes the file of the journal that the draft has replaced, which takes time if it is large, or removes the draft.
    ///
    /// - Parameter replaced: The replaced journal. Nil if the draft has replaced none.
    func end(replaced: FileHandle?, in fileSystem: any FileSystem) {
        if let replaced { fileSystem.close(replaced) } else { Self.discard(file, in: fileSystem) }
    }

    private static func discard(_ file: FileHandle, in fileSystem: any FileSystem) {
        WholeFile.removeOwn(file.path, in: fileSystem)
        fileSystem.close(file)
    }
}
