import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rest of the world: what a test looks at and prepares, and what editors and tools do to the files of the program
/// under test.
///
/// Nothing here is a call of the program under test, but it meets the same full or failing disk. What is made is not synchronised until ``synchronizeAll()``.
extension SimulatedDisk {
    /// The bytes of the file at a path; nil where there is none.
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

    /// The names in a directory, in the order of their bytes; none where there is no directory.
    package func names(in directory: String) -> [String] {
        state.withLock { state in
            do throws(DiskFailure) { return try state.names(inDirectory: directory) } catch { return [] }
        }
    }

    /// Writes a file in place, as an editor without atomic saving does, and makes it where there is none.
    ///
    /// - Throws: `ENOENT` where its directory is missing, and so on; `ENOSPC` when it does not fit.
    package func write(_ data: Data, to path: String) throws(SystemError) {
        let editor = process()
        // An editor follows links; the library's files are no links.
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

    /// Writes a new file and puts it in the place of the old one, as an editor with atomic saving does.
    package func replace(_ path: String, with data: Data) throws(SystemError) {
        try write(data, to: path + "~")
        try process().rename(path + "~", to: path)
    }

    /// Makes a symbolic link.
    package func makeLink(_ path: String, to target: String) throws(SystemError) {
        do throws(DiskFailure) {
            try state.withLock { (state) throws(DiskFailure) in try state.makeLink(path, to: target) }
        } catch {
            throw SystemError(call: "symlink", path: path, number: error.number)
        }
    }

    /// Makes a directory; it may be there.
    package func makeDirectory(_ path: String) throws(SystemError) { try process().createDirectory(path) }

    /// Removes a file.
    package func remove(_ path: String) throws(SystemError) { try process().remove(path) }

    /// Sets the time at which a file is said to have been written last, as `touch` does.
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

    /// Makes durable everything there is, as the tool `sync` does.
    package func synchronizeAll() {
        state.withLock { $0.synchronizeAll() }
    }
}
