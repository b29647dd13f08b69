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

/// The replica's own file in the shared directory: a copy of the log, to which it is appended what the copy lacks.
struct ReplicaExport {
    let path: String
    let fileSystem: any FileSystem

    /// What is at the path.
    enum Present {
        case missing
        case file([UInt8], FileStatus)
        /// Something other than a file.
        case unusable
    }

    /// - Throws: The system's errors. A file that cannot be read is not a missing one.
    func read() throws -> Present {
        let (directory, name) = WholeFile.split(path)
        guard let status = try fileSystem.status(of: path, followingLink: false) else {
            let placeholder = WholeFile.join(directory, ReplicaFileName.placeholder(of: name))
            guard try fileSystem.status(of: placeholder, followingLink: false) == nil else {
                throw ReplicaProblem.notDelivered(name)
            }
            return .missing
        }
        guard status.kind == .file else { return .unusable }
        if status.isDataless { throw ReplicaProblem.notDelivered(name) }
        return try fileSystem.coordinating(.reading, of: path) { () throws(SystemError) in
            let file = try fileSystem.openForReading(path, followingLink: false)
            defer { fileSystem.close(file) }
            let size = Int(clamping: min(status.size, Int64(DirectoryLimits.fileSize)))
            return .file(try fileSystem.read(size, of: file, at: 0), status)
        }
    }

    /// Whether bytes are a beginning of a log.
    func isBeginning(_ bytes: [UInt8], of log: LogFile, _ end: Int64) throws(SystemError) -> Bool {
        guard bytes.count <= end else { return false }
        return try log.bytes(from: 0, to: Int64(bytes.count)) == bytes
    }

    /// Appends what the file lacks of a log, and flushes it, and the directory: another process may have died before it did.
    ///
    /// - Returns: The file's status. Nil if another program has changed the file.
    func append(_ log: LogFile, to end: Int64, after old: FileStatus) throws(SystemError) -> FileStatus? {
        try fileSystem.coordinating(.replacing, of: path) { () throws(SystemError) in
            let file = try fileSystem.openForAppending(path)
            defer { fileSystem.close(file) }
            guard try fileSystem.status(of: file) == old else { return nil }
            if old.size < end { try fileSystem.write(all: log.bytes(from: old.size, to: end), to: file) }
            try fileSystem.synchronize(file)
            try fileSystem.synchronizeDirectory(WholeFile.split(path).directory)
            return try fileSystem.status(of: file)
        }
    }

    /// Replaces the file by a copy of a log.
    ///
    /// - Parameter old: The present file's status. Nil if there is none.
    /// - Returns: The file's status. Nil if another program has changed the file.
    func write(_ log: LogFile, to end: Int64, after old: FileStatus?) throws(SystemError) -> FileStatus? {
        let file = WholeFile(path: path, fileSystem: fileSystem)
        guard let new = try file.prepare(Data(try log.bytes(from: 0, to: end))) else { return nil }
        // Does nothing for a file in its place.
        defer { file.discard(new) }
        let status = try fileSystem.coordinating(.replacing, of: path) { () throws(SystemError) -> FileStatus? in
            guard try fileSystem.status(of: path, followingLink: false) == old else { return nil }
            return try file.put(new)
        }
        guard let status else { return nil }
        try file.synchronizeDirectory()
        return status
    }
}
