import SettingsKitCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file system of the machine.
package struct POSIXFileSystem: FileSystem {
    package init() {}

    package func status(of path: String, followingLink: Bool) throws(SystemError) -> FileStatus? {
        var status = stat()
        let result = Self.restarting { followingLink ? stat(path, &status) : lstat(path, &status) }
        if result == 0 { return FileStatus(status) }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw SystemError(call: "stat", path: path, number: errno)
    }

    package func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        var status = stat()
        try Self.check(Self.restarting { fstat(file.descriptor, &status) }, "fstat", file.path)
        return FileStatus(status)
    }

    package func destination(ofLink path: String) throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        try Self.check(count, "readlink", path)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func openForReading(_ path: String, followingLink: Bool) throws(SystemError) -> FileHandle {
        // Opening must not block: a FIFO without a writer would never open.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
        return try Self.handle(path) { open(path, flags) }
    }

    package func create(_ path: String) throws(SystemError) -> FileHandle {
        let file = try Self.handle(path) { open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        do throws(SystemError) {
            // The umask may have removed bits of the owner.
            try changeMode(of: file, to: 0o600)
        } catch {
            // A file system without permissions may refuse. The file's mode is checked where it matters.
        }
        return file
    }

    package func openForAppending(_ path: String) throws(SystemError) -> FileHandle {
        try Self.handle(path) { open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
    }

    package func openForOverwriting(_ path: String) throws(SystemError) -> FileHandle {
        try Self.handle(path) { open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
    }

    private static func handle(_ path: String, _ open: () -> Int32) throws(SystemError) -> FileHandle {
        let descriptor = Descriptor.aboveStandard { restarting(open) }
        try check(descriptor, "open", path)
        return FileHandle(descriptor: descriptor, path: path)
    }

    package func read(_ file: FileHandle, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = Self.restarting { systemRead(file.descriptor, buffer.baseAddress, buffer.count) }
        try Self.check(count, "read", file.path)
        return count
    }

    package func read(
        _ file: FileHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let count = Self.restarting { pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        try Self.check(count, "pread", file.path)
        return count
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) -> Int {
        let count = Self.restarting { systemWrite(file.descriptor, bytes.baseAddress, bytes.count) }
        try Self.check(count, "write", file.path)
        return count
    }

    package func truncate(_ file: FileHandle, to size: Int64) throws(SystemError) {
        try Self.check(Self.restarting { ftruncate(file.descriptor, off_t(size)) }, "ftruncate", file.path)
    }

    package func touch(_ path: String) throws(SystemError) {
        let result = Self.restarting { utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) }
        try Self.check(result, "utimensat", path)
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        if Self.restarting({ flock(file.descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw SystemError(call: "flock", path: file.path, number: errno)
    }

    package func unlock(_ file: FileHandle) { _ = Self.restarting { flock(file.descriptor, LOCK_UN) } }

    package func synchronize(_ file: FileHandle) throws(SystemError) {
        #if canImport(Darwin)
            // fsync on Darwin leaves the bytes, and those of a directory, in the drive's cache.
            let result = Self.restarting { fcntl(file.descriptor, F_FULLFSYNC) }
            if result == 0 { return }
        #endif
        try Self.check(Self.restarting { fsync(file.descriptor) }, "fsync", file.path)
    }

    package func synchronizeDirectory(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            let directory = try openForReading(path)
            defer { close(directory) }
            try synchronize(directory)
        } catch {
            // Some file systems cannot flush a directory, and some users may not read one.
            guard [EINVAL, ENOTSUP, ENOSYS, EACCES].contains(error.number) else { throw error }
        }
    }

    package func close(_ file: FileHandle) { systemClose(file.descriptor) }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        try Self.check(Self.restarting { systemRename(path, newPath) }, "rename", newPath)
    }

    package func link(_ path: String, as newPath: String) throws(SystemError) {
        try Self.check(Self.restarting { systemLink(path, newPath) }, "link", newPath)
    }

    package func remove(_ path: String) throws(SystemError) {
        try Self.check(Self.restarting { unlink(path) }, "unlink", path)
    }

    @discardableResult
    package func createDirectory(_ path: String) throws(SystemError) -> Bool {
        guard Self.restarting({ mkdir(path, 0o700) }) == 0 else {
            if errno == EEXIST { return false }
            throw SystemError(call: "mkdir", path: path, number: errno)
        }
        if let made = try status(of: path, followingLink: false), made.permissions.mode & 0o700 != 0o700 {
            try Self.check(Self.restarting { chmod(path, 0o700) }, "chmod", path)
        }
        return true
    }

    package func room(beside file: FileHandle) -> Int64? {
        var status = statvfs()
        // Some file systems of programs say that they have no room at all.
        guard Self.restarting({ fstatvfs(file.descriptor, &status) }) == 0, status.f_blocks > 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }

    package func isLocal(_ path: String) -> Bool { FileSystemKind(ofDirectory: path) != .unknown }

    package var user: UInt32 { UInt32(geteuid()) }

    package func changeOwner(of file: FileHandle, to owner: UInt32) throws(SystemError) -> Bool {
        try Self.changed(Self.restarting { fchown(file.descriptor, uid_t(owner), gid_t.max) }, file.path)
    }

    package func changeGroup(of file: FileHandle, to group: UInt32) throws(SystemError) -> Bool {
        try Self.changed(Self.restarting { fchown(file.descriptor, uid_t.max, gid_t(group)) }, file.path)
    }

    private static func changed(_ result: Int32, _ path: String) throws(SystemError) -> Bool {
        if result == 0 { return true }
        switch errno {
        // This user may not do it, or the file system has no such owners.
        case EPERM, EINVAL, ENOTSUP, ENOSYS: return false
        default: throw SystemError(call: "fchown", path: path, number: errno)
        }
    }

    package func changeMode(of file: FileHandle, to mode: UInt16) throws(SystemError) {
        try Self.check(Self.restarting { fchmod(file.descriptor, mode_t(mode)) }, "fchmod", file.path)
    }

    package func names(inDirectory path: String) throws(SystemError) -> [String] {
        let file = try Self.handle(path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let directory = fdopendir(file.descriptor) else {
            let number = errno
            close(file)
            throw SystemError(call: "opendir", path: path, number: number)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    static func restarting<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    private static func check(
        _ result: some FixedWidthInteger, _ call: String, _ path: String
    ) throws(SystemError) {
        if result == -1 { throw SystemError(call: call, path: path, number: errno) }
    }
}

// Inside the type, these names would mean its own functions.

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }

private func systemLink(_ path: String, _ newPath: String) -> Int32 { link(path, newPath) }

extension FileStatus {
    fileprivate init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        linkCount = UInt64(status.st_nlink)
        permissions = FilePermissions(
            owner: UInt32(status.st_uid), group: UInt32(status.st_gid), mode: UInt16(status.st_mode & 0o777))
        #if canImport(Darwin)
            modified = Timestamp(status.st_mtimespec)
            changed = Timestamp(status.st_ctimespec)
            // SF_DATALESS of <sys/stat.h>.
            isDataless = status.st_flags & 0x4000_0000 != 0
        #else
            modified = Timestamp(status.st_mtim)
            changed = Timestamp(status.st_ctim)
        #endif
    }
}

extension FileStatus.Timestamp {
    fileprivate init(_ time: timespec) {
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }
}
