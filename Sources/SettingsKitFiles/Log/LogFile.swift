import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The open file of a log.
///
/// The descriptor is closed with the last reference: a thread may flush a log that another thread has just replaced.
final class LogFile: Sendable {
    let file: FileHandle
    let status: FileStatus
    /// Whether the file was opened for reading only.
    let isReadOnly: Bool
    private let fileSystem: any FileSystem

    private init(_ file: FileHandle, _ status: FileStatus, isReadOnly: Bool, in fileSystem: any FileSystem) {
        (self.file, self.status, self.isReadOnly, self.fileSystem) = (file, status, isReadOnly, fileSystem)
    }

    deinit { fileSystem.close(file) }

    // MARK: Opening

    /// Opens the log at a path.
    ///
    /// - Parameter access: Nil to write, or only to read where this process may not write.
    /// - Returns: Nil if there is none.
    /// - Throws: ``LogProblem`` if the file must not be used; the system's errors.
    static func open(
        _ path: String, _ access: SettingsStoreAccess?, like model: String? = nil, in fileSystem: any FileSystem
    ) throws -> LogFile? {
        do {
            if access == .readOnly {
                let file = try refusingLinks { () throws(SystemError) in
                    try fileSystem.openForReading(path, followingLink: false)
                }
                return try own(file, isReadOnly: true, like: model, in: fileSystem)
            }
            let file = try refusingLinks { () throws(SystemError) in try fileSystem.openForAppending(path) }
            return try own(file, like: model, in: fileSystem)
        } catch let error as SystemError where access == nil && [EACCES, EPERM, EROFS].contains(error.number) {
            return try open(path, .readOnly, like: model, in: fileSystem)
        } catch let error as SystemError where [ENOENT, ENOTDIR].contains(error.number) {
            return nil
        }
    }

    /// Takes over an open file.
    static func own(
        _ file: FileHandle, isReadOnly: Bool = false, like model: String?, in fileSystem: any FileSystem
    ) throws -> LogFile {
        do {
            let status = try requireOwn(file, like: model, in: fileSystem)
            return LogFile(file, status, isReadOnly: isReadOnly, in: fileSystem)
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    static func refusingLinks<File>(_ open: () throws(SystemError) -> File) throws -> File {
        do throws(SystemError) {
            return try open()
        } catch {
            switch error.number {
            case ELOOP: throw LogProblem.symbolicLink
            case EISDIR, ENXIO: throw LogProblem.notAFile
            default: throw error
            }
        }
    }

    /// Refuses a file that another user may have put at the path, to read what is appended or to have it written into another file.
    ///
    /// - Parameter model: The path of the property list: users who may write it may write the file, and no others.
    /// - Returns: The file's status.
    @discardableResult
    static func requireOwn(
        _ file: FileHandle, like model: String?, in fileSystem: any FileSystem
    ) throws -> FileStatus {
        let status = try fileSystem.status(of: file)
        let directory = try fileSystem.status(of: WholeFile.split(file.path).directory, followingLink: true)
        let list = try model.flatMap { try fileSystem.status(of: $0, followingLink: true)?.permissions }
        let problem = problem(
            with: status, list: list, directory: directory?.permissions, user: fileSystem.user)
        if let problem { throw problem }
        return status
    }

    /// The reason to refuse a file.
    ///
    /// - Parameters:
    ///   - list: The permissions of the property list. Nil if there is none.
    ///   - directory: The permissions of the directory. Nil if they are unknown.
    ///   - user: The user with whose rights the process runs.
    static func problem(
        with status: FileStatus, list: FilePermissions?, directory: FilePermissions?, user: UInt32
    ) -> LogProblem? {
        guard status.kind == .file else { return status.kind == .link ? .symbolicLink : .notAFile }
        guard let directory else { return nil }
        let permissions = status.permissions
        guard [0, user, directory.owner, list?.owner].contains(permissions.owner) else { return .foreignOwner }
        if let list { return permissions.isWider(than: list, in: FilePermissions.writing) ? .tooOpen : nil }
        let isSharedByGroup =
            permissions.group == directory.group && directory.groupAccess & FilePermissions.writing != 0
        let groupAccess = isSharedByGroup ? 0 : permissions.groupAccess
        return (permissions.othersAccess | groupAccess) & FilePermissions.writing == 0 ? nil : .tooOpen
    }

    // MARK: Reading and writing

    /// Reads the complete lines from an offset on, a part at a time.
    ///
    /// - Parameters:
    ///   - end: The offset at which reading ends.
    ///   - body: Receives each line, and the offset of its end.
    /// - Returns: The offset of the end of the last complete line.
    func read(
        from start: Int64, to end: Int64, _ body: (LogLineReader.Result, Int64) -> Void
    ) throws(SystemError) -> Int64 {
        var position = start
        var part = LogLimits.part
        while position < end {
            let bytes = try bytes(from: position, to: min(position + Int64(part), end))
            let begin = position
            let length = LogLineReader.read(bytes) { body($0, begin + Int64($1)) }
            position += Int64(length)
            if length == 0 {
                // The line is longer than a part, or it has no end yet.
                guard bytes.count == part else { return position }
                part *= 2
            }
        }
        return position
    }

    func size() throws(SystemError) -> Int64 { try fileSystem.extent(of: file).size }

    func bytes(from start: Int64, to end: Int64) throws(SystemError) -> [UInt8] {
        try fileSystem.read(Int(clamping: end - start), of: file, at: start)
    }

    func append(_ bytes: [UInt8]) throws(SystemError) { try fileSystem.write(all: bytes, to: file) }

    /// Copies the file to a new one, and flushes that. If this fails, nothing is left behind.
    func copy(to path: String) throws(SystemError) { try fileSystem.copy(file, to: path) }

    func truncate(to size: Int64) throws(SystemError) { try fileSystem.truncate(file, to: size) }

    func flush() throws(SystemError) { try fileSystem.synchronize(file) }
}
