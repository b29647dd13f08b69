import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a database. Only SQLite may open it, and the files `-wal` and `-shm` beside it: closing a file releases all locks
/// of the process on it, including those of other connections, of this library or of another.
enum DatabaseFile {
    /// The path of a URL, with symbolic links followed.
    static func path(of url: URL, store: String) throws -> String {
        guard url.isFileURL else {
            throw SettingsError(.storeUnavailable, store: store, underlying: NotAFileURL())
        }
        let path = url.path
        guard !path.utf8.contains(0) else {
            throw SettingsError(.storeUnavailable, store: store, underlying: NulInPath())
        }
        do {
            return try WholeFile.realPath(WholeFile(path: path, fileSystem: POSIXFileSystem()).resolvedPath())
        } catch {
            throw SettingsError(.storeUnavailable, store: "\(store) \(path)", underlying: error)
        }
    }

    /// Creates an empty file, readable by its owner only, and the missing directories above it, unless there is a file or the
    /// database is only read. (SQLite gives the files beside it the same mode.)
    ///
    /// - Parameter isNew: Whether an existing file is an error.
    /// - Throws: `SettingsError` with the code `storeUnavailable`, also if there is something other than a file at the path.
    static func prepare(_ path: String, isReadOnly: Bool = false, isNew: Bool = false, store: String) throws {
        try AccessMark.requireOutside(store: store)
        do throws(SystemError) {
            switch try POSIXFileSystem().status(of: path, followingLink: true)?.kind {
            case nil, .file: break
            case .directory: throw SystemError(call: "open", path: path, number: EISDIR)
            case .link, .other: throw SystemError(call: "open", path: path, number: EINVAL)
            }
            if isReadOnly { return }
            try WholeFile(path: path, fileSystem: POSIXFileSystem()).createDirectory()
            try create(path, isNew: isNew)
        } catch {
            throw SettingsError(.storeUnavailable, store: store, underlying: error)
        }
    }

    private static func create(_ path: String, isNew: Bool) throws(SystemError) {
        #if os(Linux)
            // Unlike open, it creates no descriptor that must be closed.
            let result = mknod(path, S_IFREG | 0o600, 0)
            let number = errno
            if result == 0 || number == EEXIST && !isNew { return }
            throw SystemError(call: "mknod", path: path, number: number)
        #else
            // Only the superuser may use mknod there. A file that did not exist has no contents, and hardly any lock.
            let descriptor = Descriptor.aboveStandard { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            let number = errno
            if descriptor != -1 {
                close(descriptor)
            } else if number != EEXIST || isNew {
                throw SystemError(call: "open", path: path, number: number)
            }
        #endif
    }

    /// Identifies the file at a path among all files that ever have that path; empty if it is unknown.
    static func identity(of path: String) -> String {
        let status = try? POSIXFileSystem().status(of: path, followingLink: true)
        return status.map { "\($0.device) \($0.inode)" } ?? ""
    }
}
