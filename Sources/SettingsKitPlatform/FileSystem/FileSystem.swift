import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The properties that distinguish one state of a file from another.
///
/// They include the change time, because a tool can set the modification time, but not the change time.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Sendable {
        case file, directory, link, other
    }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: Timestamp
    package var changed: Timestamp
    /// The number of the file's names; 0 after it was removed or replaced.
    package var linkCount: UInt64
    /// Not compared: a change of permissions changes the change time.
    package var permissions: FilePermissions
    /// Whether only the file's name is local. Reading would download its contents.
    package var isDataless = false

    package init(
        kind: Kind, device: UInt64, inode: UInt64, size: Int64, modified: Timestamp, changed: Timestamp,
        linkCount: UInt64, permissions: FilePermissions = FilePermissions(owner: 0, group: 0, mode: 0)
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
        self.linkCount = linkCount
        self.permissions = permissions
    }

    package static func == (one: FileStatus, other: FileStatus) -> Bool {
        one.kind == other.kind && one.device == other.device && one.inode == other.inode && one.size == other.size
            && one.modified == other.modified && one.changed == other.changed && one.linkCount == other.linkCount
            && one.isDataless == other.isDataless
    }

    package struct Timestamp: Equatable, Sendable {
        package var seconds: Int64
        package var nanoseconds: Int64

        package init(seconds: Int64, nanoseconds: Int64) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }
    }
}

extension FileStatus {
    /// Whether both are states of one file, whatever its name and contents.
    package func isSameFile(as other: FileStatus?) -> Bool { inode == other?.inode && device == other?.device }
}

/// The numbers of bytes and of names of a file.
package struct FileExtent: Equatable, Sendable {
    package var size: Int64
    /// 0 after the file was removed or replaced.
    package var linkCount: UInt64

    package init(size: Int64, linkCount: UInt64) {
        self.size = size
        self.linkCount = linkCount
    }

    package init(_ status: FileStatus) { self.init(size: status.size, linkCount: status.linkCount) }
}

/// An open file.
package struct FileHandle: Sendable {
    package let descriptor: Int32
    package let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}

/// The system calls of the file stores, and their only access to the disk.
///
/// Tests use another implementation that makes any call fail. An implementation restarts calls that a signal has interrupted
/// (`EINTR`), and throws all other errors.
package protocol FileSystem: Sendable {
    /// Returns the status of the file at a path; nil if there is none.
    func status(of path: String, followingLink: Bool) throws(SystemError) -> FileStatus?
    func status(of file: FileHandle) throws(SystemError) -> FileStatus
    /// Returns the numbers of bytes and of names of an open file. Cheaper than its status, also for the next write: a file system
    /// whose file times were read keeps the next times with more precision.
    func extent(of file: FileHandle) throws(SystemError) -> FileExtent
    /// Returns the target of a symbolic link, as it is stored.
    func destination(ofLink path: String) throws(SystemError) -> String
    /// - Parameter followingLink: If false, a symbolic link at the path is an error (`ELOOP`).
    func openForReading(_ path: String, followingLink: Bool) throws(SystemError) -> FileHandle
    /// Creates a file that must not exist. It is read at any offset and written at its end. Its mode is 0600, regardless of the
    /// process's umask.
    func create(_ path: String) throws(SystemError) -> FileHandle
    /// Opens a file that is read at any offset and written at its end. A symbolic link is an error (`ELOOP`).
    func openForAppending(_ path: String) throws(SystemError) -> FileHandle
    /// Opens a file that is written from its beginning on, over its bytes. A symbolic link is an error (`ELOOP`).
    func openForOverwriting(_ path: String) throws(SystemError) -> FileHandle
    /// The user with whose rights the process runs.
    var user: UInt32 { get }
    /// - Returns: false if this user cannot give files to that one.
    func changeOwner(of file: FileHandle, to owner: UInt32) throws(SystemError) -> Bool
    /// - Returns: false if this user cannot give files to that group.
    func changeGroup(of file: FileHandle, to group: UInt32) throws(SystemError) -> Bool
    func changeMode(of file: FileHandle, to mode: UInt16) throws(SystemError)
    /// Gives a new file the class of Apple's data protection of the file at a path, if that has one.
    func protect(_ file: FileHandle, like path: String)
    /// Reads into the buffer from the end of the last call; returns 0 at the end of the file.
    func read(_ file: FileHandle, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    /// Reads into the buffer from `offset`; returns 0 at the end of the file.
    func read(
        _ file: FileHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int
    /// Writes some of the bytes, and returns their number. Writes at the end of the file if it was opened for
    /// appending.
    func write(_ bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) -> Int
    func truncate(_ file: FileHandle, to size: Int64) throws(SystemError)
    /// Sets a file's times to now, which notifies watchers of its directory. Does not follow a symbolic link.
    func touch(_ path: String) throws(SystemError)
    /// Takes the exclusive lock on an open file, without waiting. It belongs to the open file, not to the process or the thread,
    /// and ends when the file is closed for any reason.
    ///
    /// - Returns: false if another open file has the lock.
    func lock(_ file: FileHandle) throws(SystemError) -> Bool
    func unlock(_ file: FileHandle)
    /// Returns when the file's contents survive a power failure.
    func synchronize(_ file: FileHandle) throws(SystemError)
    /// Returns when the directory's entries survive a power failure.
    func synchronizeDirectory(_ path: String) throws(SystemError)
    func close(_ file: FileHandle)
    /// Renames a file over another, atomically.
    func rename(_ path: String, to newPath: String) throws(SystemError)
    /// Gives a file a second name, which must be free.
    func link(_ path: String, as newPath: String) throws(SystemError)
    func remove(_ path: String) throws(SystemError)
    /// Creates a directory with the mode 0700, regardless of the process's umask.
    ///
    /// - Returns: false if the path already exists.
    @discardableResult
    func createDirectory(_ path: String) throws(SystemError) -> Bool
    func names(inDirectory path: String) throws(SystemError) -> [String]
    /// The number of bytes for which there is room beside an open file. Nil if it is unknown.
    func room(beside file: FileHandle) -> Int64?
    /// Whether the directory at a path is on a volume of this machine, as far as is known.
    func isLocal(_ path: String) -> Bool
    /// Asks the cloud, if there is one, to download the contents of the file at a path. Returns immediately.
    func requestDownload(of path: String)
    /// Calls `body` once. If the file at a path is in the directory of a cloud, coordinates with the cloud's process.
    func coordinate(_ access: CoordinatedAccess, of path: String, _ body: () -> Void)
}

/// The access to a file in the directory of a cloud.
package enum CoordinatedAccess: Equatable, Sendable {
    case reading, replacing
}

extension FileSystem {
    package func protect(_ file: FileHandle, like path: String) {}

    package func coordinate(_ access: CoordinatedAccess, of path: String, _ body: () -> Void) { body() }

    /// The same for a function with a result.
    package func coordinating<Result, Failure: Error>(
        _ access: CoordinatedAccess, of path: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        coordinate(access, of: path) {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { preconditionFailure("A coordinated access is carried out.") }
        return try result.get()
    }
}
