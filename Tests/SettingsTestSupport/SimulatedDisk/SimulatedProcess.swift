import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A running program's view of a ``SimulatedDisk``.
///
/// It behaves as POSIX requires of a file system, with the same error numbers. Tests make it fail and die. All functions may be called
/// from any thread. Releasing the object also ends the process.
package final class SimulatedProcess: Sendable {
    /// A fault of the process. Calls are counted from the last ``set(_:)``, beginning with 0: `once(0, errno: EIO)` concerns the next
    /// one.
    ///
    /// Every call that can throw counts, also those of a dead process: not `close` and `unlock`.
    package enum Fault: Sendable, Equatable {
        case none
        /// This call fails without an effect.
        case once(Int, errno: Int32)
        /// Every read and write moves at most seven bytes.
        case short
        /// The process dies as it makes this call: this one and all later ones have no effect and throw `EIO`. Its descriptors are
        /// closed, its locks are released, and its earlier writes stay.
        case death(Int)
        /// The process dies when this call has taken effect, before it returns.
        case deathAfter(Int)
        /// The process dies in the middle of this call: of a write, half of the bytes are written; other calls have no effect.
        case partialDeath(Int)
    }

    private let disk: SimulatedDisk
    let number: Int
    private let hook = Mutex<(@Sendable (_ name: String, _ path: String) -> Void)?>(nil, .leaf)

    init(_ disk: SimulatedDisk) {
        self.disk = disk
        number = disk.state.withLock { $0.addProcess() }
    }

    deinit {
        disk.state.withLock { state in
            state.kill(number)
            state.processes[number] = nil
        }
    }

    /// Sets a fault, in place of an earlier one, and begins to count calls again. It does not revive a dead process.
    package func set(_ fault: Fault) {
        disk.state.withLock { state in
            state.processes[number]?.fault = fault
            state.processes[number]?.count = 0
        }
    }

    /// The number of calls that can throw since the fault was last set.
    package var callCount: Int { disk.state.withLock { $0.processes[number]?.count ?? 0 } }

    /// Whether the process has died, by a fault, by ``kill()`` or by a power failure.
    package var isDead: Bool { disk.state.withLock { $0.isDead(number) } }

    /// Ends the process between two calls.
    package func kill() { disk.state.withLock { $0.kill(number) } }

    /// Calls `hook` before each call that another process can notice, on the thread that makes it, so that a test can decide when it is
    /// made. `close` is not among them: a program unlocks a file before it closes it.
    ///
    /// - Parameter hook: Receives the name of the system's call, or `unlock`, and its path.
    package func beforeEachCall(_ hook: (@Sendable (_ name: String, _ path: String) -> Void)?) {
        self.hook.withLock { $0 = hook }
    }

    /// Makes a call that is not counted and does not throw.
    func withState<R: Sendable>(announcing name: String? = nil, _ path: String = "", _ body: (inout DiskState) -> R)
        -> R
    {
        if let name, let hook = hook.withLock({ $0 }) { hook(name, path) }
        return disk.state.withLock { body(&$0) }
    }

    /// Makes a call, unless a fault makes it fail.
    func perform<R: Sendable>(
        _ name: String, _ path: String, _ body: (inout DiskState) throws -> R
    ) throws(SystemError) -> R {
        try perform(name, path, upTo: 0) { disk, _ in try body(&disk) }
    }

    /// Makes a call that moves bytes.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes. A fault makes it smaller.
    ///   - flushed: The file whose unflushed bytes are lost if the call fails by a fault.
    func perform<R: Sendable>(
        _ name: String, _ path: String, upTo limit: Int, flushing flushed: FileHandle? = nil,
        _ body: (inout DiskState, Int) throws -> R
    ) throws(SystemError) -> R {
        let result = withState(announcing: name, path) { disk in
            Result { try disk.perform(upTo: limit, flushing: flushed, by: number, body) }
        }
        do { return try result.get() } catch {
            throw SystemError(call: name, path: path, number: (error as? DiskFailure)?.number ?? EIO)
        }
    }
}

extension DiskState {
    func isDead(_ process: Int) -> Bool { processes[process]?.isDead ?? true }

    /// Counts a call of a process, and makes it as the process's fault has it.
    fileprivate mutating func perform<R>(
        upTo limit: Int, flushing flushed: FileHandle?, by process: Int, _ body: (inout DiskState, Int) throws -> R
    ) throws -> R {
        let index = processes[process]?.count ?? 0
        processes[process]?.count += 1
        if isDead(process) { throw DiskFailure(EIO) }
        switch processes[process]?.fault {
        case .once(index, let number):
            if let flushed, let file = openFiles[flushed.descriptor], file.process == process {
                loseChanges(of: file.inode, reportedTo: flushed.descriptor)
            }
            throw DiskFailure(number)
        case .short: return try body(&self, min(limit, 7))
        case .deathAfter(index): _ = try? body(&self, limit)
        case .partialDeath(index): if limit > 1 { _ = try? body(&self, limit / 2) }
        case .death(index): break
        default: return try body(&self, limit)
        }
        kill(process)
        throw DiskFailure(EIO)
    }

    /// The open file of a descriptor of a process.
    fileprivate func file(_ file: FileHandle, of process: SimulatedProcess) throws -> OpenFile {
        guard let open = openFiles[file.descriptor], open.process == process.number else { throw DiskFailure(EBADF) }
        return open
    }
}

/// The calls. Their meaning is in the protocol.
extension SimulatedProcess: FileSystem {
    package func status(of path: String, followingLink: Bool) throws(SystemError) -> FileStatus? {
        try perform("stat", path) { disk in
            do {
                return try disk.status(of: disk.inode(at: path, followingLink: followingLink))
            } catch let failure as DiskFailure where [ENOENT, ENOTDIR].contains(failure.number) {
                return nil
            }
        }
    }

    package func status(of file: FileHandle) throws(SystemError) -> FileStatus {
        try perform("fstat", file.path) { disk in try disk.status(of: disk.file(file, of: self).inode) }
    }

    package func extent(of file: FileHandle) throws(SystemError) -> FileExtent { FileExtent(try status(of: file)) }

    package func destination(ofLink path: String) throws(SystemError) -> String {
        try perform("readlink", path) { disk in
            guard let inode = disk.inodes[try disk.inode(at: path)], inode.kind == .link else {
                throw DiskFailure(EINVAL)
            }
            return inode.target
        }
    }

    package func openForReading(_ path: String, followingLink: Bool) throws(SystemError) -> FileHandle {
        try open(path, .reading) { disk in try disk.inode(at: path, followingLink: followingLink) }
    }

    package func create(_ path: String) throws(SystemError) -> FileHandle {
        try open(path, .appending) { disk in try disk.make(.file, at: disk.place(of: path)) }
    }

    package func openForAppending(_ path: String) throws(SystemError) -> FileHandle {
        try open(path, .appending) { disk in try disk.inode(at: path) }
    }

    package func openForOverwriting(_ path: String) throws(SystemError) -> FileHandle {
        try open(path, .overwriting) { disk in try disk.inode(at: path) }
    }

    private func open(
        _ path: String, _ access: OpenFile.Access, _ inode: (inout DiskState) throws -> Int
    ) throws(SystemError) -> FileHandle {
        try perform("open", path) { disk in
            FileHandle(descriptor: try disk.open(inode(&disk), access, by: number), path: path)
        }
    }

    package var user: UInt32 { DiskState.user }

    package func room(beside file: FileHandle) -> Int64? { withState { Int64($0.freeBytes) } }

    package func isLocal(_ path: String) -> Bool { true }

    package func changeOwner(of file: FileHandle, to owner: UInt32) throws(SystemError) -> Bool {
        try perform("fchown", file.path) { disk in try disk.file(file, of: self).inode > 0 && owner == DiskState.user }
    }

    package func changeGroup(of file: FileHandle, to group: UInt32) throws(SystemError) -> Bool {
        try changeOwner(of: file, to: group)
    }

    package func changeMode(of file: FileHandle, to mode: UInt16) throws(SystemError) {
        try perform("fchmod", file.path) { disk in
            let inode = try disk.file(file, of: self).inode
            disk.inodes[inode]?.mode = mode
            disk.touch(inode, isModified: false)
        }
    }

    package func read(_ file: FileHandle, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try read(file, at: nil, into: buffer)
    }

    package func read(
        _ file: FileHandle, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try read(file, at: Int(offset), into: buffer)
    }

    private func read(
        _ file: FileHandle, at offset: Int?, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let name = offset == nil ? "read" : "pread"
        let bytes = try perform(name, file.path, upTo: buffer.count) { disk, limit in
            let open = try disk.file(file, of: self)
            guard let inode = disk.inodes[open.inode], inode.kind == .file else { throw DiskFailure(EISDIR) }
            let bytes = inode.file.visible.bytes.dropFirst(offset ?? open.position).prefix(limit)
            if offset == nil { disk.openFiles[file.descriptor]?.position += bytes.count }
            return [UInt8](bytes)
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func write(_ bytes: UnsafeRawBufferPointer, to file: FileHandle) throws(SystemError) -> Int {
        let bytes = [UInt8](bytes)
        return try perform("write", file.path, upTo: bytes.count) { disk, limit in
            let open = try disk.file(file, of: self)
            if open.access == .reading { throw DiskFailure(EBADF) }
            let size = disk.inodes[open.inode]?.size ?? 0
            let offset = open.access == .appending ? size : open.position
            let count = min(limit, size - offset + disk.freeBytes)
            if bytes.isEmpty { return 0 }
            guard count > 0 else { throw DiskFailure(ENOSPC) }
            disk.inodes[open.inode]?.file.write([UInt8](bytes.prefix(count)), at: offset)
            disk.openFiles[file.descriptor]?.position = offset + count
            disk.touch(open.inode)
            return count
        }
    }

    package func truncate(_ file: FileHandle, to size: Int64) throws(SystemError) {
        try perform("ftruncate", file.path) { disk in
            let open = try disk.file(file, of: self)
            if open.access == .reading { throw DiskFailure(EINVAL) }
            disk.inodes[open.inode]?.file.make(.resize(Int(size)))
            disk.touch(open.inode)
        }
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        try perform("flock", file.path) { disk in
            let inode = try disk.file(file, of: self).inode
            if let holder = disk.locks[inode], holder != file.descriptor { return false }
            disk.locks[inode] = file.descriptor
            return true
        }
    }

    // Descriptors are closed and locks released even without an error.

    package func unlock(_ file: FileHandle) {
        withState(announcing: "unlock", file.path) { disk in
            if (try? disk.file(file, of: self)) != nil { disk.unlock(file.descriptor) }
        }
    }

    package func close(_ file: FileHandle) {
        withState { disk in if (try? disk.file(file, of: self)) != nil { disk.close(file.descriptor) } }
    }

    package func synchronize(_ file: FileHandle) throws(SystemError) {
        try perform("fsync", file.path, upTo: 0, flushing: file) { disk, _ in
            let open = try disk.file(file, of: self)
            if disk.failedDescriptors.remove(file.descriptor) != nil { throw DiskFailure(EIO) }
            disk.flush(open.inode)
        }
    }

    package func synchronizeDirectory(_ path: String) throws(SystemError) {
        try perform("fsync", path) { disk in disk.flush(try disk.inode(at: path, followingLink: true)) }
    }

    package func rename(_ path: String, to newPath: String) throws(SystemError) {
        try perform("rename", newPath) { disk in
            var old = try disk.place(of: path)
            let new = try disk.place(of: newPath)
            guard let moved = old.inode else { throw DiskFailure(ENOENT) }
            if moved == new.inode { return }
            let isPlain = disk.inodes[moved]?.kind != .directory || new.inode == nil && old.directory == new.directory
            precondition(isPlain, "The disk does not move directories to another one, or over something.")
            if let replaced = new.inode, disk.inodes[replaced]?.kind == .directory { throw DiskFailure(EISDIR) }
            if old.directory == new.directory {
                disk.change(new, removing: old.name, adding: new.name, moved)
            } else {
                // Two changes: after a power failure, the file may have both names, or neither.
                disk.change(new, adding: new.name, moved)
                old.inode = nil
                disk.change(old, removing: old.name, adding: nil, moved)
            }
            disk.touch(moved, isModified: false)
        }
    }

    package func link(_ path: String, as newPath: String) throws(SystemError) {
        try perform("link", newPath) { disk in
            let number = try disk.inode(at: path)
            let place = try disk.place(of: newPath)
            if place.inode != nil { throw DiskFailure(EEXIST) }
            if disk.inodes[number]?.kind == .directory { throw DiskFailure(EPERM) }
            disk.inodes[number]?.linkCount += 1
            disk.touch(number, isModified: false)
            disk.change(place, adding: place.name, number)
        }
    }

    package func remove(_ path: String) throws(SystemError) {
        try perform("unlink", path) { disk in
            let place = try disk.place(of: path)
            guard let number = place.inode else { throw DiskFailure(ENOENT) }
            if disk.inodes[number]?.kind == .directory { throw DiskFailure(EISDIR) }
            disk.change(place, removing: place.name, adding: nil, number)
        }
    }

    @discardableResult
    package func createDirectory(_ path: String) throws(SystemError) -> Bool {
        try perform("mkdir", path) { disk in
            let place = try disk.place(of: path)
            if place.inode != nil { return false }
            _ = try disk.make(.directory, mode: 0o700, at: place)
            return true
        }
    }

    package func names(inDirectory path: String) throws(SystemError) -> [String] {
        try perform("opendir", path) { disk in try disk.entries(inDirectory: path).keys.sorted() }
    }

    /// Has no effect, because there is no cloud. The disk records the path.
    package func requestDownload(of path: String) { withState { $0.requestedDownloads.append(path) } }

    /// Affects only watchers, which a simulated disk does not have.
    package func touch(_ path: String) {}
}
