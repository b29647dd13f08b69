import SettingsCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// @unchecked: nobody but `JournaledPropertyList.Access` keeps one, and that is guarded by a mutex; before it is there, one
// thread has it. An object only because a structure of this size is copied too often.
/// An open journal: a file of records that many processes append to, each under the file's lock.
///
/// Knows how to lock, read, append and cut the file; what its records mean is for the store. All offsets are those of the
/// file.
///
/// Not to be used from two threads at once; whoever has it open guards it.
final class Journal: @unchecked Sendable {
    private(set) var file: FileHandle
    let inode: UInt64
    /// nil while nobody has written it.
    var header: JournalHeader?
    /// Behind the last record that was read or written.
    var position: UInt64 = 0
    /// What is added to an offset in the file to get a position in the whole history of journals.
    var base: Int64 = 0
    /// Why the file cannot be written; nil if it can.
    private(set) var refusal: SystemError?
    /// Whether something in it is damaged.
    var isDamaged = false
    /// Whether it is shorter than it was.
    var isCut = false
    /// Whether the property list holds everything in it, so that it must be replaced before anything is appended.
    var isSuperseded = false

    private let fileSystem: any FileSystem

    /// What errors say that it is.
    var path: String {
        get { file.path }
        set { file = FileHandle(descriptor: file.descriptor, path: newValue) }
    }

    /// Where the next record is to stand.
    var place: JournalPlace { JournalPlace(journal: header?.id ?? 0, offset: position) }

    /// Whether it can be appended to as it is.
    var isPlain: Bool { header != nil && refusal == nil && !isSuperseded }

    /// ``position`` in the whole history of journals.
    var historyPosition: Int64 { Int64(position) + base }

    /// Larger ones are not read: a journal is folded long before it has this size.
    static let sizeLimit: Int64 = 1 << 31

    // MARK: Opening

    /// Opens the journal at a path; nil where there is none.
    static func open(_ path: String, in fileSystem: any FileSystem) throws(SystemError) -> Journal? {
        let refusal: SystemError
        do throws(SystemError) {
            return try Journal(fileSystem.openForAppending(path, creating: false), in: fileSystem)
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: return nil
            case EACCES, EPERM, EROFS: refusal = error
            default: throw error
            }
        }
        do throws(SystemError) {
            let journal = try Journal(fileSystem.openForReading(path), in: fileSystem)
            journal.refusal = refusal
            return journal
        } catch {
            if error.number == ENOENT { return nil }
            throw refusal
        }
    }

    /// Opens the journal at a path, and makes an empty one where there is none.
    static func create(_ path: String, in fileSystem: any FileSystem) throws(SystemError) -> Journal {
        try Journal(fileSystem.openForAppending(path, creating: true), in: fileSystem)
    }

    private init(_ file: FileHandle, in fileSystem: any FileSystem) throws(SystemError) {
        self.file = file
        self.fileSystem = fileSystem
        do throws(SystemError) {
            let status = try fileSystem.status(of: file)
            guard status.kind == .file else { throw SystemError(call: "open", path: file.path, number: EINVAL) }
            inode = status.inode
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    func close() { fileSystem.close(file) }

    func status() throws(SystemError) -> FileStatus { try fileSystem.status(of: file) }

    // MARK: Locking

    /// Takes the file's lock, waiting for it if somebody else has it.
    ///
    /// - Parameter patience: How long nobody may do anything. As long as the journal grows, others work, and it is a
    ///   matter of luck when it is our turn.
    /// - Returns: false if somebody else has it all the time, and does nothing.
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

    /// Takes the file's lock if nobody has it.
    func tryLock() throws(SystemError) -> Bool { try fileSystem.lock(file) }

    /// The end of the file.
    func size() throws(SystemError) -> UInt64 { UInt64(try fileSystem.size(of: file)) }

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
                // What was written is no whole record; whoever locks the file next cuts it off.
            }
            throw error
        }
        position += UInt64(bytes.count)
    }

    /// Cuts off what stands behind ``position``. The lock is held.
    func cut() throws(SystemError) { try fileSystem.truncate(file, to: Int64(position)) }
}
