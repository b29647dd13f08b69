import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Inspects and prepares the disk for a test, and changes the files of the tested program as editors and tools do.
///
/// These calls are not the tested program's, but they also fail on a full or failing disk. Changes are not synchronized until
/// ``synchronizeAll()``.
extension SimulatedDisk {
    /// Returns the bytes of the file at a path; nil if there is none.
    package func contents(of path: String) -> Data? {
        state.withLock { state in
            do throws(DiskFailure) {
                let number = try state.inode(at: path, followingLink: true)
                guard let inode = state.inodes[number], inode.kind == .file else { return nil }
                return Data(inode.file.bytes)
            } catch {
                return nil
            }
        }
    }

    /// Returns the names in a directory, in the order of their bytes; an empty list if there is no directory.
    package func names(in directory: String) -> [String] {
        state.withLock { state in
            do throws(DiskFailure) { return try state.names(inDirectory: directory) } catch { return [] }
        }
    }

    /// Writes a file in place, as an editor without atomic saving does, and creates it if it is missing.
    ///
    /// - Throws: for example `ENOENT` if its directory is missing; `ENOSPC` if it does not fit.
    package func write(_ data: Data, to path: String) throws(SystemError) {
        let editor = process()
        // An editor follows links; the library's files are not links.
        let file = try editor.openOrCreate(WholeFile(path: path, fileSystem: editor).resolvedPath()).file
        try editor.truncate(file, to: 0)
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let written: Result<Int, SystemError> = rest.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    return .success(try editor.write(bytes, to: file))
                } catch {
                    return .failure(error)
                }
            }
            rest = rest.dropFirst(try written.get())
        }
    }

    /// Writes a new file and puts it in place of the old one, as an editor with atomic saving does.
    package func replace(_ path: String, with data: Data) throws(SystemError) {
        try write(data, to: path + "~")
        try process().rename(path + "~", to: path)
    }

    /// The paths of the files that programs have asked a cloud for, in order.
    package var requestedDownloads: [String] { state.withLock { $0.requestedDownloads } }

    /// Creates a symbolic link.
    package func makeLink(_ path: String, to target: String) throws(SystemError) {
        do throws(DiskFailure) {
            try state.withLock { (state) throws(DiskFailure) in try state.makeLink(path, to: target) }
        } catch {
            throw SystemError(call: "symlink", path: path, number: error.number)
        }
    }

    /// Creates a directory, if it is missing.
    package func makeDirectory(_ path: String) throws(SystemError) { try process().createDirectory(path) }

    /// Removes a file.
    package func remove(_ path: String) throws(SystemError) { try process().remove(path) }

    /// Sets the modification time of a file, as `touch` does.
    package func setModificationTime(of path: String, toSeconds seconds: Int64) throws(SystemError) {
        do throws(DiskFailure) {
            try state.withLock { (state) throws(DiskFailure) in
                let number = try state.inode(at: path, followingLink: true)
                state.touch(number)
                state.inodes[number]?.modified = .init(seconds: seconds, nanoseconds: 0)
            }
        } catch {
            throw SystemError(call: "utimensat", path: path, number: error.number)
        }
    }

    /// Makes everything durable, as the tool `sync` does.
    package func synchronizeAll() {
        state.withLock { $0.synchronizeAll() }
    }
}
