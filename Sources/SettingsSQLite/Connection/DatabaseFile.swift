import SettingsKitCore
import SettingsKitPlatform
import Synchronization

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

/// The file of a database.
enum DatabaseFile {
    /// Held while a new file is open here: closing the file would release SQLite's locks on it in this process.
    private static let making = Mutex((), .leaf)

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

    /// Creates an empty file, readable by its owner only, and the missing directories that lead to it, if there is no
    /// file. (SQLite gives the files beside it the same mode.)
    ///
    /// - Throws: `SettingsError` with the code `storeUnavailable`, also if there is something at the path that is not a
    ///   file.
    static func make(_ path: String, store: String) throws {
        try SQLiteLibrary.requireUsable()
        do throws(SystemError) {
            try requireFile(path)
            try WholeFile(path: path, fileSystem: POSIXFileSystem()).createDirectory()
            try making.withLock { _ throws(SystemError) in
                // An existing file is not opened here, for the same reason.
                let descriptor = Descriptor.aboveStandard(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
                let number = errno
                if descriptor != -1 {
                    close(descriptor)
                } else if number != EEXIST {
                    throw SystemError(call: "open", path: path, number: number)
                }
            }
        } catch {
            throw SettingsError(.storeUnavailable, store: store, underlying: error)
        }
    }

    /// - Throws: `SettingsError` with the code `storeUnavailable` if there is something at the path that is not a file.
    static func requireFile(_ path: String, store: String) throws {
        do throws(SystemError) {
            try requireFile(path)
        } catch {
            throw SettingsError(.storeUnavailable, store: store, underlying: error)
        }
    }

    /// Fails for a file that is not a database, before SQLite sees it: SQLite takes a file named `NAME-journal` beside it for
    /// its own, and removes it. A property list has its journal there.
    ///
    /// A file that this process has open as a database is not examined: closing it would release SQLite's locks on it.
    ///
    /// - Throws: `SettingsError` with the code `notADatabase`. What the system reports is reported by SQLite, too.
    static func requireDatabase(_ path: String, _ status: FileStatus?, store: String) throws(SettingsError) {
        guard let status, status.kind == .file, status.size > 0 else { return }
        var beginning: [UInt8] = []
        OpenDatabases.unlessOpen(status) {
            let fileSystem = POSIXFileSystem()
            guard let file = try? fileSystem.openForReading(path) else { return }
            beginning = (try? fileSystem.read(header.count, of: file, at: 0)) ?? []
            fileSystem.close(file)
        }
        if !beginning.isEmpty, beginning != header { throw SettingsError(.notADatabase, store: store) }
    }

    /// How every database begins.
    private static let header = Array("SQLite format 3\0".utf8)

    private static func requireFile(_ path: String) throws(SystemError) {
        switch try POSIXFileSystem().status(of: path, followingLink: true)?.kind {
        case nil, .file: return
        case .directory: throw SystemError(call: "open", path: path, number: EISDIR)
        case .link, .other: throw SystemError(call: "open", path: path, number: EINVAL)
        }
    }

    /// Identifies the file at a path among all that were or will be there; empty if that is not known.
    static func identity(of path: String) -> String {
        let status = try? POSIXFileSystem().status(of: path, followingLink: true)
        return status.map { "\($0.device) \($0.inode)" } ?? ""
    }
}
