#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileSystem {
    /// Opens a file for reading. Follows a symbolic link at the path.
    package func openForReading(_ path: String) throws(SystemError) -> FileHandle {
        try openForReading(path, followingLink: true)
    }

    /// Opens a file for appending, and creates it if it is missing.
    ///
    /// - Returns: the file, and whether this call has created it.
    package func openOrCreate(_ path: String) throws(SystemError) -> (file: FileHandle, isNew: Bool) {
        var attempts = 0
        while true {
            do throws(SystemError) {
                return (try openForAppending(path), false)
            } catch {
                guard error.number == ENOENT else { throw error }
            }
            do throws(SystemError) {
                return (try create(path), true)
            } catch {
                // Another process has created it first. If it cannot be opened, the first call throws.
                attempts += 1
                guard error.number == EEXIST, attempts < PlatformLimits.racingAttempts else { throw error }
            }
        }
    }

    /// Opens the file at a path that is to replace another one: empty, locked, and this user's.
    ///
    /// There is one for each file. A process locks it while it uses it: the one that does not get the lock gives up, or waits. What
    /// a process that died has left is used again.
    ///
    /// - Returns: Nil if another process or thread uses it.
    package func takeTemporary(_ path: String) throws(SystemError) -> FileHandle? {
        for _ in 0..<PlatformLimits.racingAttempts {
            let (file, isNew) = try openOrCreate(path)
            do throws(SystemError) {
                guard try lock(file) else {
                    close(file)
                    return nil
                }
                let status = try status(of: file)
                if try self.status(of: path, followingLink: false)?.isSameFile(as: status) == true {
                    if status.kind == .file, status.linkCount == 1, status.permissions.owner == user {
                        try truncate(file, to: 0)
                        return file
                    }
                    // Another user may have put it there.
                    try remove(path)
                }
            } catch {
                if isNew { removeOwn(path) }
                close(file)
                throw error
            }
            close(file)
        }
        throw SystemError(call: "flock", path: path, number: EAGAIN)
    }

    /// Removes a file that this process has made and does not need.
    package func removeOwn(_ path: String) {
        do throws(SystemError) {
            try remove(path)
        } catch {
            // A later run uses it again or removes it. The error that led here is reported.
        }
    }

    /// Copies an open file to a new one, and flushes that. If this fails, nothing is left behind.
    package func copy(_ file: FileHandle, to path: String) throws(SystemError) {
        let copy = try create(path)
        defer { close(copy) }
        do throws(SystemError) {
            var position: Int64 = 0
            while case let bytes = try read(1 << 20, of: file, at: position), !bytes.isEmpty {
                try write(all: bytes, to: copy)
                position += Int64(bytes.count)
            }
            try synchronize(copy)
        } catch {
            removeOwn(path)
            throw error
        }
    }

    /// Takes the exclusive lock on an open file, and waits while another process or descriptor holds it.
    ///
    /// - Returns: false if the lock was not free in time.
    package func lock(_ file: FileHandle, waiting patience: Duration) throws(SystemError) -> Bool {
        var pause = LockPause(until: Deadline(after: patience))
        while try !lock(file) {
            guard pause.next() else { return false }
        }
        return true
    }

    /// Writes all of the bytes, with as many calls as necessary.
    package func write(all bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), to: file)
        }
    }

    /// Writes all of the bytes, with as many calls as necessary.
    package func write(all bytes: [UInt8], to file: FileHandle) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { buffer throws(SystemError) in
            try write(all: UnsafeRawBufferPointer(buffer), to: file)
        }
    }

    /// Returns the file's bytes from an offset; fewer than `count` if the file ends earlier.
    package func read(_ count: Int, of file: FileHandle, at offset: Int64) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
            var read = 0
            while read < count {
                let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[read...]))
                let more = try self.read(file, at: offset + Int64(read), into: rest)
                if more == 0 { break }
                read += more
            }
            return read
        }
        bytes.removeLast(count - read)
        return bytes
    }
}
