import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// @unchecked: only `JournaledPropertyList.Access` keeps one, and that is guarded by a mutex; before it is there, one thread
// has it. An object only because a structure of this size is copied too often.
/// An open journal: a file of records that many processes append to, each under the file's lock.
///
/// Knows how to lock, read, append and cut the file; what its records mean is for the store. All offsets are those of the
/// file.
///
/// Not to be used from two threads at once; the object that has it open guards it.
final class Journal: @unchecked Sendable {
    private(set) var file: FileHandle
    let inode: UInt64
    /// nil while it has none.
    var header: JournalHeader?
    /// Behind the last record that was read or written.
    var position: UInt64 = 0
    /// What is added to an offset in the file to get a position in the whole history of journals.
    var base: Int64 = 0
    /// Whether the file was opened for writing.
    private(set) var isWritable: Bool
    var condition = Condition()

    /// What is known of the file besides what is in it.
    struct Condition: Sendable {
        /// Whether something in it is damaged.
        var isDamaged = false
        /// Whether it is shorter than it was.
        var isCut = false
        /// Whether it must be replaced before anything is appended: because the property list holds everything in it, for
        /// example.
        var isSuperseded = false
        /// Why it is kept aside when it is replaced; nil if it is not.
        var asideReason: FilesBeside.Reason?
    }

    private let fileSystem: any FileSystem

    /// What errors say that it is.
    var path: String {
        get { file.path }
        set { file = FileHandle(descriptor: file.descriptor, path: newValue) }
    }

    /// Where the next record is to stand.
    var place: JournalPlace { JournalPlace(journal: header?.id ?? 0, offset: position) }

    /// Whether it can be appended to as it is.
    var isPlain: Bool { header != nil && isWritable && !condition.isSuperseded }

    /// ``position`` in the whole history of journals.
    var historyPosition: Int64 { Int64(position) + base }

    /// Longer ones are not read, nor written: a journal is folded, or rewritten, long before it has this size.
    static let sizeLimit: Int64 = 1 << 29

    // MARK: Opening

    /// Opens the journal at a path; nil where there is none.
    ///
    /// - Throws: ``JournalProblem`` if what is there must not be used as a journal.
    static func open(
        _ path: String, forWriting: Bool, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal? {
        let file: FileHandle
        do throws(SystemError) {
            file =
                try forWriting
                ? fileSystem.openForAppending(path) : fileSystem.openForReading(path, followingLink: false)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: return nil
            case ELOOP: throw JournalProblem.symbolicLink
            // A socket, and a directory that is opened for writing.
            case ENXIO, EISDIR: throw JournalProblem.notAFile
            case EACCES where !forWriting, EPERM where !forWriting: throw JournalProblem.unreadable(error)
            default: throw error
            }
        }
        return try Journal(file, isWritable: forWriting, in: fileSystem) { status throws(SystemError) in
            let protection = JournalProtection(list: list, user: fileSystem.user)
            return try protection.problem(with: status) { () throws(SystemError) in
                try fileSystem.status(of: WholeFile.split(path).directory, followingLink: true)?.permissions
            }
        } isSuperseded: { status in
            JournalProtection(list: list, user: fileSystem.user).isReadByMore(status.permissions)
        }
    }

    /// The permissions of a journal beside a property list. Its owner must be able to write it.
    private static func permissions(beside list: FilePermissions?) -> FilePermissions? {
        list.map { FilePermissions(owner: $0.owner, group: $0.group, mode: $0.mode | 0o600) }
    }

    /// Opens the journal at a path to follow it; nil where there is none.
    ///
    /// - Parameter isWriting: Whether it is also to be appended to. Where that is not allowed, it can still be followed.
    /// - Throws: as ``open(_:forWriting:in:beside:)`` does.
    static func openPresent(
        _ path: String, isWriting: Bool, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal? {
        if isWriting {
            do {
                return try open(path, forWriting: true, in: fileSystem, beside: list)
            } catch let error as SystemError where [EACCES, EPERM, EROFS].contains(error.number) {
                // As a process that only reads has it.
            }
        }
        return try open(path, forWriting: false, in: fileSystem, beside: list)
    }

    /// Makes an empty journal at a path where there is none, with the permissions of the property list.
    ///
    /// - Throws: `EEXIST` if there is one now.
    static func create(
        _ path: String, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal {
        let file = try fileSystem.create(path)
        return try Journal(file, isWritable: true, in: fileSystem) { _ throws(SystemError) in
            try fileSystem.setPermissions(of: file, like: permissions(beside: list), inDirectoryOf: path)
            return nil
        }
    }

    /// Makes an empty journal that waits, locked, under a temporary name.
    static func makeTemporary(
        beside target: String, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal {
        let file = try WholeFile.makeTemporary(beside: target, in: fileSystem)
        do {
            return try Journal(file, isWritable: true, in: fileSystem) { _ throws(SystemError) in
                try fileSystem.setPermissions(of: file, like: permissions(beside: list), inDirectoryOf: target)
                return nil
            }
        } catch {
            WholeFile.removeOwn(file.path, in: fileSystem)
            throw error
        }
    }

    /// - Parameters:
    ///   - examine: Says what is wrong with the file, if anything.
    ///   - isSuperseded: Says whether it must be replaced before anything is appended.
    private init(
        _ file: FileHandle, isWritable: Bool, in fileSystem: any FileSystem,
        examine: (FileStatus) throws(SystemError) -> JournalProblem?,
        isSuperseded: (FileStatus) -> Bool = { _ in false }
    ) throws {
        self.file = file
        self.isWritable = isWritable
        self.fileSystem = fileSystem
        do {
            let status = try fileSystem.status(of: file)
            if let problem = try examine(status) { throw problem }
            inode = status.inode
            condition.isSuperseded = isSuperseded(status)
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    /// Opens the file for writing, which was opened for reading.
    ///
    /// - Returns: false if there is another file, or none, at its path now.
    func openForWriting(beside list: FilePermissions?) throws -> Bool {
        guard let same = try Self.open(path, forWriting: true, in: fileSystem, beside: list) else { return false }
        do throws(SystemError) {
            guard try same.status().isSameFile(as: status()) else {
                same.close()
                return false
            }
        } catch {
            same.close()
            throw error
        }
        close()
        file = same.file
        isWritable = true
        return true
    }

    func close() { fileSystem.close(file) }

    func status() throws(SystemError) -> FileStatus { try fileSystem.status(of: file) }

    // MARK: Locking

    /// Takes the file's lock, waiting for it while another process has it.
    ///
    /// - Parameter patience: How long to wait while nothing happens. As long as the journal grows, others work, and it is a
    ///   matter of luck when it is our turn.
    /// - Returns: false if another process has it all the time, and does nothing.
    func lock(waiting patience: Duration) throws(SystemError) -> Bool {
        if try tryLock() { return true }
        var pause = LockPause()
        var deadline = Deadline(after: patience)
        var size = try size()
        while !ExitHook.isOutOfPatience {
            if deadline.hasPassed {
                let newSize = try self.size()
                if newSize == size { return false }
                size = newSize
                deadline = Deadline(after: patience)
            }
            pause.next()
            if try tryLock() { return true }
        }
        return false
    }

    /// Takes the file's lock if it is free.
    func tryLock() throws(SystemError) -> Bool { try fileSystem.lock(file) }

    /// The end of the file.
    func size() throws(SystemError) -> UInt64 { UInt64(max(0, try fileSystem.size(of: file))) }

    func unlock() { fileSystem.unlock(file) }

    // MARK: Reading

    /// The bytes from ``position`` up to an end.
    func bytes(upTo end: Int64) throws(SystemError) -> [UInt8] {
        try bytes(from: Int64(position), upTo: end)
    }

    /// The file's bytes from an offset on, fewer if the file ends before `end`.
    func bytes(from start: Int64, upTo end: Int64) throws(SystemError) -> [UInt8] {
        guard end > start else { return [] }
        guard end - start <= Self.sizeLimit else { throw SystemError(call: "pread", path: file.path, number: EFBIG) }
        return try fileSystem.read(Int(end - start), of: file, at: start)
    }

    // MARK: Writing

    /// Appends a record, whole or not at all. The lock is held, and ``position`` is the end of the file.
    func append(_ record: JournalRecord) throws(SystemError) {
        var bytes: [UInt8] = []
        JournalFrame.append(record, at: place, to: &bytes)
        try append(bytes)
    }

    /// Appends bytes, all or none. The lock is held, and ``position`` is the end of the file.
    func append(_ bytes: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try bytes.withUnsafeBufferPointer { buffer throws(SystemError) in
                try fileSystem.write(all: UnsafeRawBufferPointer(buffer), to: file)
            }
        } catch {
            do throws(SystemError) {
                try cut()
            } catch {
                // What was written is no whole record; the next process to lock the file cuts it off.
            }
            throw error
        }
        position += UInt64(bytes.count)
    }

    /// Cuts off what stands behind ``position``. The lock is held.
    func cut() throws(SystemError) { try fileSystem.truncate(file, to: Int64(position)) }
}
