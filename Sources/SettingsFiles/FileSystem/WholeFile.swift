import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is only ever read whole and replaced whole.
///
/// Replacing writes a temporary file in the same directory, synchronises it, renames it over the old one and synchronises
/// the directory: whoever reads, and whenever the power fails, there is the old file or the new one. A symbolic link at
/// the path stays a link, and what it points to is replaced.
package final class WholeFile: Sendable {
    /// What was read, and the state of the file that it was read from.
    package struct Contents: Sendable {
        package var bytes: Data
        package var status: FileStatus
    }

    package let path: String
    private let fileSystem: any FileSystem
    /// Directories that got a new entry which may not survive a power failure yet.
    private let unsynchronized = Mutex<[String]>([])

    package init(path: String, fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The state of the file; nil where there is none.
    package func status() throws(SystemError) -> FileStatus? {
        try fileSystem.status(of: path, followingLink: true)
    }

    /// Reads the file; nil where there is none.
    ///
    /// - Throws: `EISDIR` for a directory, `EFTYPE` or `EINVAL` for what is no file, `EFBIG` for one of more than `limit`
    ///   bytes, and whatever the system reports.
    package func read(limit: Int) throws(SystemError) -> Contents? {
        guard let present = try status() else { return nil }
        try requireFile(present)
        let file: FileHandle
        do throws(SystemError) {
            file = try fileSystem.openForReading(path)
        } catch {
            // It was there a moment ago; if it is not any more, there is nothing to read, and that is no error.
            if error.number == ENOENT { return nil }
            throw error
        }
        defer { fileSystem.close(file) }
        let status = try fileSystem.status(of: file)
        try requireFile(status)
        guard status.size <= limit else { throw SystemError(call: "read", path: path, number: EFBIG) }
        return Contents(bytes: try readAll(file, sizeHint: Int(status.size), limit: limit), status: status)
    }

    private func requireFile(_ status: FileStatus) throws(SystemError) {
        switch status.kind {
        case .file: return
        case .directory: throw SystemError(call: "open", path: path, number: EISDIR)
        case .link, .other: throw SystemError(call: "open", path: path, number: EINVAL)
        }
    }

    private func readAll(_ file: FileHandle, sizeHint: Int, limit: Int) throws(SystemError) -> Data {
        // One byte more than the file is said to have, so that its end is met without growing.
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

    /// A new file, complete and synchronised, that waits beside the old one to take its place.
    package struct Prepared: Sendable {
        fileprivate let temporary: String
        fileprivate let target: String
        fileprivate let status: FileStatus
    }

    /// Puts `bytes` in the place of the file: ``prepare(_:)``, ``put(_:keepAside:)`` and ``synchronizeDirectory()``.
    ///
    /// - Returns: the state of the new file.
    /// - Throws: whatever the system reports. The old file then is still there, unless the error is of the last step,
    ///   synchronising the directory: then the new one is there, but a power failure may undo it.
    package func replace(with bytes: Data, keepAside asideName: String? = nil) throws(SystemError) -> FileStatus {
        let status = try put(prepare(bytes), keepAside: asideName)
        try synchronizeDirectory()
        return status
    }

    /// Writes a new file beside the old one and synchronises it, making the directory if there is none. This is what
    /// takes time.
    ///
    /// - Throws: whatever the system reports; nothing is left behind then.
    package func prepare(_ bytes: Data) throws(SystemError) -> Prepared {
        let target = try resolvedPath()
        try createDirectory()
        let temporary = Self.temporaryPath(for: target)
        do throws(SystemError) {
            return Prepared(temporary: temporary, target: target, status: try write(bytes, toNew: temporary))
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Removes a prepared file that is not to take the old one's place after all.
    package func discard(_ prepared: Prepared) { remove(prepared.temporary) }

    /// Puts a prepared file in the place of the old one.
    ///
    /// - Parameter keepAside: If not nil, the present file gets this as an additional name first, in its own directory.
    /// - Returns: the state of the new file.
    /// - Throws: whatever the system reports; the old file is still there then, and the prepared one is gone.
    package func put(_ prepared: Prepared, keepAside asideName: String? = nil) throws(SystemError) -> FileStatus {
        let (written, target) = (prepared.status, prepared.target)
        let aside = asideName.map { Self.join(Self.split(target).directory, $0) }
        var kept = Kept.notAtAll
        do throws(SystemError) {
            if let aside { kept = try keepAside(target, as: aside) }
            try fileSystem.rename(prepared.temporary, to: target)
        } catch {
            do throws(SystemError) {
                switch (kept, aside) {
                case (.linked, let aside?): try fileSystem.remove(aside)
                case (.moved, let aside?): try fileSystem.rename(aside, to: target)
                default: break
                }
            } catch {
                // The first error says what is wrong. What is left loses nothing: a second name of the damaged file.
            }
            discard(prepared)
            throw error
        }
        let present: FileStatus?
        do throws(SystemError) {
            present = try fileSystem.status(of: target, followingLink: false)
        } catch {
            // The file is in its place, and that is what counts; what is known of it will be found out of date.
            return written
        }
        // The rename has changed the change time. If somebody has put another file there since, that is not ours to
        // report: the status of what we wrote will not match it, and it will be noticed.
        let isOurs = present.map {
            $0.isSameFile(as: written) && $0.size == written.size && $0.modified == written.modified
        }
        return if let present, isOurs == true { present } else { written }
    }

    /// Returns when the file that was last put in place survives a power failure.
    package func synchronizeDirectory() throws(SystemError) {
        try fileSystem.synchronizeDirectory(Self.split(try resolvedPath()).directory)
    }

    /// Makes the directory in which the file is, if there is none, and sees to it that it survives a power failure.
    package func createDirectory() throws(SystemError) {
        try createDirectories(Self.split(try resolvedPath()).directory)
    }

    /// Removes a file of our own that is of no use. If that fails, a later run removes it.
    private func remove(_ temporary: String) {
        do throws(SystemError) {
            try fileSystem.remove(temporary)
        } catch {
            // It loses nothing, and the reason for which it is removed says what is wrong.
        }
    }

    /// A name for a file that is to take the place of the one at `path`. ``removeTemporaries(from:)`` knows it again.
    ///
    package static func temporaryPath(for target: String) -> String {
        let (directory, name) = split(target)
        return join(directory, ".\(name).\(uniqueSuffix()).tmp")
    }

    private func write(_ bytes: Data, toNew path: String) throws(SystemError) -> FileStatus {
        let file = try fileSystem.create(path)
        defer { fileSystem.close(file) }
        try Array(bytes).withUnsafeBufferPointer { buffer throws(SystemError) in
            try fileSystem.write(all: UnsafeRawBufferPointer(buffer), to: file)
        }
        try fileSystem.synchronize(file)
        return try fileSystem.status(of: file)
    }

    private enum Kept {
        case notAtAll, linked, moved
    }

    private func keepAside(_ target: String, as aside: String) throws(SystemError) -> Kept {
        do throws(SystemError) {
            try fileSystem.link(target, as: aside)
            return .linked
        } catch {
            switch error.number {
            case ENOENT: return .notAtAll
            // File systems without hard links: move it; for a moment there is no file.
            case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
                try fileSystem.rename(target, to: aside)
                return .moved
            default: throw error
            }
        }
    }

    /// Removes what earlier runs have left behind when they died between writing and renaming.
    ///
    /// - Parameter time: Only files that were last written before this time, in seconds since 1970, are removed: a younger
    ///   one may be another process's work at this moment.
    package func removeTemporaries(from time: Int64) throws(SystemError) {
        let (directory, name) = Self.split(try resolvedPath())
        guard try fileSystem.status(of: directory, followingLink: true)?.kind == .directory else { return }
        for candidate in try fileSystem.names(inDirectory: directory)
        where candidate.hasPrefix(".\(name).") && candidate.hasSuffix(".tmp") {
            let path = Self.join(directory, candidate)
            guard let status = try fileSystem.status(of: path, followingLink: false), status.kind == .file,
                status.modified.seconds < time
            else { continue }
            try fileSystem.remove(path)
        }
    }

    /// The path with the symbolic links at its end followed, also to a target that is not there.
    package func resolvedPath() throws(SystemError) -> String {
        var path = path
        for _ in 0..<40 {
            guard try fileSystem.status(of: path, followingLink: false)?.kind == .link else { return path }
            let destination = try fileSystem.destination(ofLink: path)
            path = destination.hasPrefix("/") ? destination : Self.join(Self.split(path).directory, destination)
        }
        throw SystemError(call: "readlink", path: path, number: ELOOP)
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
            try fileSystem.createDirectory(path)
            unsynchronized.withLock { $0.append(Self.split(path).directory) }
        }
        // Also those that an earlier call has made and then failed to synchronise.
        while let parent = unsynchronized.withLock({ $0.first }) {
            try fileSystem.synchronizeDirectory(parent)
            unsynchronized.withLock { $0.removeAll { $0 == parent } }
        }
    }

    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    package static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    private static func uniqueSuffix() -> String {
        String(getpid(), radix: 36) + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
