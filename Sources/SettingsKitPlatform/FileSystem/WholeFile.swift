import SettingsKitCore
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

/// A file that is always read and replaced as a whole.
///
/// Replacing writes a temporary file in the same directory, synchronizes it, renames it over the old one and synchronizes the
/// directory: a reader finds the old file or the new one, even after a power failure. A symbolic link at the path stays a link,
/// and its target is replaced.
package final class WholeFile: Sendable {
    /// The bytes of a file, and its state.
    package struct Contents: Sendable {
        package var bytes: Data
        package var status: FileStatus
    }

    package let path: String
    package let fileSystem: any FileSystem
    /// Directories with a new entry that may not survive a power failure yet.
    private let unsynchronized = Mutex<[String]>([], .leaf)

    package init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Returns the state of the file; nil if it is missing.
    package func status() throws(SystemError) -> FileStatus? {
        try fileSystem.status(of: path, followingLink: true)
    }

    /// Reads the file; returns nil if it is missing.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes.
    ///   - isPresent: Whether the caller has just seen a file there.
    /// - Throws: `EISDIR` for a directory, `EFTYPE` or `EINVAL` if it is not a file, `EFBIG` if it has more than
    ///   `limit` bytes, and the errors of the system.
    package func read(limit: Int, isPresent: Bool = false) throws(SystemError) -> Contents? {
        if !isPresent {
            guard let present = try status() else { return nil }
            try requireFile(present)
        }
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.openForReading(path)
        } catch {
            // It existed a moment ago. If it is gone now, there is nothing to read, which is not an error.
            if error.number == ENOENT { return nil }
            throw error
        }
        defer { fileSystem.close(file) }
        let status = try fileSystem.status(of: file)
        try requireFile(status)
        guard status.size <= limit else { throw SystemError(call: "read", path: path, number: EFBIG) }
        return Contents(bytes: try readAll(file, sizeHint: Int(clamping: status.size), limit: limit), status: status)
    }

    /// Copies the file to a new one, and flushes that. If this fails, nothing is left behind.
    package func copy(to path: String) throws(SystemError) {
        let file = try fileSystem.openForReading(self.path)
        defer { fileSystem.close(file) }
        try fileSystem.copy(file, to: path)
    }

    private func requireFile(_ status: FileStatus) throws(SystemError) {
        switch status.kind {
        case .file: return
        case .directory: throw SystemError(call: "open", path: path, number: EISDIR)
        case .link, .other: throw SystemError(call: "open", path: path, number: EINVAL)
        }
    }

    private func readAll(_ file: FileHandle, sizeHint: Int, limit: Int) throws(SystemError) -> Data {
        // One byte more than the file's size, to find its end without another allocation.
        var bytes = Data(count: sizeHint + 1)
        var count = 0
        while true {
            if count == bytes.count { bytes.count += max(65_536, bytes.count / 2) }
            let result: Result<Int, SystemError> = bytes.withUnsafeMutableBytes { buffer in
                do throws(SystemError) {
                    return .success(
                        try fileSystem.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...])))
                } catch {
                    return .failure(error)
                }
            }
            let read = try result.get()
            if read == 0 { return bytes.prefix(count) }
            count += read
            guard count <= limit else { throw SystemError(call: "read", path: path, number: EFBIG) }
        }
    }

    /// A complete and synchronized new file beside the old one, ready to replace it. Its lock keeps other processes from using it.
    package final class Prepared {
        fileprivate let file: FileHandle
        fileprivate let target: String
        fileprivate let status: FileStatus
        /// The mode of the file in its place, if its owner can then not use it. Until then, a process that finds it must be able to.
        fileprivate let mode: UInt16?
        fileprivate var isInUse = true

        fileprivate init(_ file: FileHandle, target: String, status: FileStatus, mode: UInt16?) {
            (self.file, self.target, self.status, self.mode) = (file, target, status, mode)
        }
    }

    /// Replaces the file by `bytes`: ``prepare(_:permissions:waiting:)``, ``put(_:)`` and ``synchronizeDirectory()``.
    ///
    /// - Parameter permissions: The permissions of the file if there is no old one; nil for its owner only.
    /// - Returns: the state of the new file.
    /// - Throws: the errors of the system; `EAGAIN` if another process is replacing the file. The old file then stays, unless
    ///   synchronizing the directory failed: then the new one is in place, but a power failure may undo that.
    @discardableResult
    package func replace(
        with bytes: Data, permissions: FilePermissions? = nil
    ) throws(SystemError) -> FileStatus {
        guard let prepared = try prepare(bytes, permissions: permissions, waiting: PlatformTimings.replacingPatience)
        else { throw SystemError(call: "flock", path: path, number: EAGAIN) }
        let status = try put(prepared)
        try synchronizeDirectory()
        return status
    }

    /// Writes a new file beside the old one and synchronizes it. Creates the directory if it is missing. This step is the slow
    /// one.
    ///
    /// The new file has the permissions of the old one, as far as the system allows. Without an old one, only its owner can use
    /// it.
    ///
    /// - Parameters:
    ///   - permissions: The permissions of the file if there is no old one; nil for its owner only.
    ///   - patience: The time to wait for another process that is replacing the file.
    /// - Returns: Nil if another process is replacing it.
    /// - Throws: the errors of the system; nothing is left behind then.
    package func prepare(
        _ bytes: Data, permissions: FilePermissions? = nil, waiting patience: Duration = .zero
    ) throws(SystemError) -> Prepared? {
        let target = try resolvedPath()
        try createDirectory()
        let (directory, name) = Self.split(target)
        let temporary = Self.join(directory, ".\(name)-new")
        var pause = LockPause(until: Deadline(after: patience))
        var taken = try fileSystem.takeTemporary(temporary)
        while taken == nil, pause.next() { taken = try fileSystem.takeTemporary(temporary) }
        guard let file = taken else { return nil }
        do throws(SystemError) {
            let old = try fileSystem.status(of: target, followingLink: false)?.permissions
            // Before the file has contents.
            if old != nil { fileSystem.protect(file, like: target) }
            var permissions = old ?? permissions
            let mode = permissions?.mode
            permissions?.mode |= 0o600
            try fileSystem.setPermissions(of: file, like: permissions, inDirectoryOf: target)
            try fileSystem.write(all: Array(bytes), to: file)
            try fileSystem.synchronize(file)
            return Prepared(
                file, target: target, status: try fileSystem.status(of: file),
                mode: mode == permissions?.mode ? nil : mode)
        } catch {
            fileSystem.removeOwn(temporary)
            fileSystem.close(file)
            throw error
        }
    }

    /// Removes a prepared file. Does nothing after ``put(_:)``.
    package func discard(_ prepared: Prepared) {
        guard prepared.isInUse else { return }
        prepared.isInUse = false
        fileSystem.removeOwn(prepared.file.path)
        fileSystem.close(prepared.file)
    }

    /// Replaces the old file by a prepared one.
    ///
    /// - Returns: the state of the new file.
    /// - Throws: the errors of the system; the old file then stays, and the prepared one is removed.
    package func put(_ prepared: Prepared) throws(SystemError) -> FileStatus {
        // Removed by its name if it is not in place.
        defer { discard(prepared) }
        if let mode = prepared.mode { try fileSystem.changeMode(of: prepared.file, to: mode) }
        try fileSystem.rename(prepared.file.path, to: prepared.target)
        prepared.isInUse = false
        defer { fileSystem.close(prepared.file) }
        do throws(SystemError) {
            // The rename has changed the change time. If another program has written to the file in the meantime, this must not
            // report it: the status of what was written will not match, and the change will be noticed.
            let present = try fileSystem.status(of: prepared.file)
            let isOurs = present.size == prepared.status.size && present.modified == prepared.status.modified
            return isOurs ? present : prepared.status
        } catch {
            // The file is in place; a later check finds this status outdated.
            return prepared.status
        }
    }

    /// Returns when the file that was last put in place survives a power failure.
    package func synchronizeDirectory() throws(SystemError) {
        try fileSystem.synchronizeDirectory(Self.split(try resolvedPath()).directory)
    }

    /// Creates the file's directory if it is missing, and makes it survive a power failure.
    package func createDirectory() throws(SystemError) {
        try createDirectories(Self.split(try resolvedPath()).directory)
    }

    /// Follows the symbolic links at the end of the path, also to a missing target.
    ///
    /// - Parameter body: Receives the destination of each link.
    package func resolvedPath(_ body: (String) -> Void = { _ in }) throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            guard try fileSystem.status(of: path, followingLink: false)?.kind == .link else { return path }
            let destination = try fileSystem.destination(ofLink: path)
            path = Self.isAbsolute(destination) ? destination : Self.join(Self.split(path).directory, destination)
            body(path)
        }
        throw SystemError(call: "readlink", path: path, number: ELOOP)
    }

    /// The path and the destinations of its symbolic links, one after another. The last one is the file's.
    package var links: [String] {
        var paths = [path]
        do throws(SystemError) {
            _ = try resolvedPath { paths.append($0) }
        } catch {
            // The remaining links cannot be read either, which reading the file reports.
        }
        return paths
    }

    private func createDirectories(_ directory: String) throws(SystemError) {
        var missing: [String] = []
        var path = directory
        while try fileSystem.status(of: path, followingLink: true) == nil {
            missing.append(path)
            let parent = Self.split(path).directory
            if parent == path { break }
            path = parent
        }
        for path in missing.reversed() {
            if try fileSystem.createDirectory(path) { try giveToOwnerOfParent(path) }
            unsynchronized.withLock { $0.append(Self.split(path).directory) }
        }
        // Includes directories that an earlier call created but could not synchronize.
        while let parent = unsynchronized.withLock({ $0.first }) {
            try fileSystem.synchronizeDirectory(parent)
            unsynchronized.withLock { $0.removeAll { $0 == parent } }
        }
    }

    private func giveToOwnerOfParent(_ directory: String) throws(SystemError) {
        guard fileSystem.user == 0,
            let parent = try fileSystem.status(of: Self.split(directory).directory, followingLink: true)
        else { return }
        let file = try fileSystem.openForReading(directory, followingLink: false)
        defer { fileSystem.close(file) }
        try fileSystem.giveToOwner(of: parent.permissions, file)
    }

    // Paths are divided at bytes, not at characters: a name may begin with a combining one.

    /// Returns the directory of a path, and its last component.
    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.utf8.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// Returns the components of a path, without empty ones and `.`.
    package static func components(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
    }

    package static func join(_ directory: String, _ name: String) -> String {
        directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
    }
}
