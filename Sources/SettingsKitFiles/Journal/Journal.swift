import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An open journal: a file of records to which many processes append, each under a lock.
///
/// It reads, appends to and cuts the file. The store interprets the records. All offsets are offsets in the file.
///
/// One thread at a time uses it, as the compiler ensures: it is not `Sendable`, and is part of ``PropertyListFiles``, which a
/// mutex guards. It is an object only because a structure of this size would be copied too often.
final class Journal {
    private(set) var file: FileHandle
    private(set) var inode: UInt64
    private(set) var device: UInt64
    /// The size of the file when it was opened.
    private var openedSize: Int64
    /// nil while it has none.
    private(set) var header: JournalHeader?
    /// The offset after the last record that was read or written.
    private(set) var position: UInt64 = 0
    /// The difference between a position in the history of journals and the offset in the file.
    private(set) var base: Int64 = 0
    /// Whether the file was opened for writing.
    private(set) var isWritable: Bool
    var condition = Condition()

    /// The condition of the file, apart from its contents.
    struct Condition: Sendable {
        /// Whether a part of it is damaged.
        var isDamaged = false
        /// Whether it is shorter than before.
        var isCut = false
        /// Whether it has another name, under which its contents must stay unchanged.
        var isShared = false
        /// Whether it must be replaced before a record is appended, for example because the property list contains all of it.
        var isSuperseded = false
        /// Whether a flush has failed. Some of its bytes may never reach the disk, although a later flush succeeds.
        var hasFailedFlush = false
        /// The reason to keep it aside when it is replaced; nil to drop it.
        var asideReason: FilesBeside.Reason?
    }

    private let fileSystem: any FileSystem

    /// The name of the file in errors.
    var path: String {
        get { file.path }
        set { file = FileHandle(descriptor: file.descriptor, path: newValue) }
    }

    /// The place of the next record.
    var place: JournalPlace { JournalPlace(journal: header?.id ?? 0, offset: position) }

    /// Whether processes that have followed it must read both files again when another journal replaces it: they may not have read
    /// an edit in the property list, or a part of this journal if it is damaged.
    func mustBeRead(with list: KnownPropertyList) -> Bool {
        list.isUnjournaled || condition.isDamaged || condition.isCut || condition.asideReason != nil
    }

    /// Whether records can be appended to it.
    var isPlain: Bool { header != nil && isWritable && !condition.isSuperseded && !condition.isShared }

    /// ``position`` in the history of journals.
    var historyPosition: Int64 { Int64(position) + base }

    /// Whether the file has bytes that were written before it was opened, which a flush does not cover: it may succeed although
    /// they are not on the disk.
    ///
    /// Linux reports a failed write once for each open file, and the process that has received the report may be gone.
    var hasEarlierBytes: Bool { openedSize > 0 }

    /// Another descriptor of the file, to flush it.
    func duplicate() throws(SystemError) -> FileHandle { try fileSystem.duplicate(file) }

    // MARK: Opening

    /// Opens the journal at a path; returns nil if there is none.
    ///
    /// - Throws: ``JournalProblem`` if the file at the path must not be used as a journal.
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
            // A socket, or a directory opened for writing.
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
    static func permissions(beside list: FilePermissions?) -> FilePermissions? {
        list.map { FilePermissions(owner: $0.owner, group: $0.group, mode: $0.mode | 0o600) }
    }

    /// Opens the journal at a path to follow it; returns nil if there is none.
    ///
    /// - Parameter isWriting: Whether to open it for appending, too. If that is not permitted, it is only followed.
    /// - Throws: as ``open(_:forWriting:in:beside:)`` does.
    static func openPresent(
        _ path: String, isWriting: Bool, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal? {
        if isWriting {
            do {
                return try open(path, forWriting: true, in: fileSystem, beside: list)
            } catch let error as SystemError where [EACCES, EPERM, EROFS].contains(error.number) {
                // The journal is only followed, as in a process that only reads.
            }
        }
        return try open(path, forWriting: false, in: fileSystem, beside: list)
    }

    /// Creates an empty journal at a path, with the permissions of the property list.
    ///
    /// - Throws: `EEXIST` if there is a file at the path.
    static func create(
        _ path: String, in fileSystem: any FileSystem, beside list: FilePermissions?
    ) throws -> Journal {
        let file = try fileSystem.create(path)
        return try Journal(file, isWritable: true, in: fileSystem) { _ throws(SystemError) in
            try fileSystem.setPermissions(of: file, like: permissions(beside: list), inDirectoryOf: path)
            return nil
        }
    }

    /// Follows a draft, whose bytes were written through the same open file.
    ///
    /// - Parameter history: The end of the repeated records, in the history of journals.
    init(_ draft: JournalDraft, at history: Int64, in fileSystem: any FileSystem) {
        (file, inode, device, openedSize) = (draft.file, draft.status.inode, draft.status.device, 0)
        (isWritable, self.fileSystem) = (true, fileSystem)
        follow(draft.header, from: draft.header.carriedEnd, at: history)
    }

    /// - Parameters:
    ///   - examine: Returns the problem of the file, if any.
    ///   - isSuperseded: Returns whether it must be replaced before a record is appended.
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
            (inode, device, openedSize) = (status.inode, status.device, status.size)
            condition.isSuperseded = isSuperseded(status)
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    /// Opens a file for writing that was opened for reading.
    ///
    /// - Returns: false if its path now has another file, or none.
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
        // An overlay file system may have given it another number.
        (file, inode, device, openedSize) = (same.file, same.inode, same.device, same.openedSize)
        isWritable = true
        return true
    }

    func close() { fileSystem.close(file) }

    func status() throws(SystemError) -> FileStatus { try fileSystem.status(of: file) }

    /// Whether a status belongs to this file: no other file has its number while it is open.
    func has(_ status: FileStatus) -> Bool { status.inode == inode && status.device == device }

    /// The offset of the end of the file.
    func size() throws(SystemError) -> UInt64 { UInt64(max(0, try fileSystem.extent(of: file).size)) }

    /// Whether the file ends at ``position``, and has one name.
    func isUnchanged() throws(SystemError) -> Bool {
        try fileSystem.extent(of: file) == FileExtent(size: Int64(position), linkCount: 1)
    }

    // MARK: Reading

    /// Sets the place from which records are read or written.
    ///
    /// - Parameters:
    ///   - header: The header. Nil while there is none.
    ///   - position: The offset in the file.
    ///   - history: The same position, in the history of journals.
    func follow(_ header: JournalHeader?, from position: UInt64, at history: Int64) {
        (self.header, self.position, base) = (header, position, history - Int64(position))
    }

    /// Records that everything before an offset was read.
    func didRead(to end: UInt64) { position = end }

    /// Finds the records from ``position`` to an end. The journal has a header.
    func scan(upTo end: Int64) throws(SystemError) -> JournalScan {
        try bytes(from: Int64(position), upTo: end).withUnsafeBytes {
            JournalScanner.scan($0, from: position, of: header?.id)
        }
    }

    /// Returns the file's bytes from an offset on; fewer if the file ends before `end`.
    func bytes(from start: Int64, upTo end: Int64) throws(SystemError) -> [UInt8] {
        guard end > start else { return [] }
        guard end - start <= PropertyListLimits.journalSize else {
            throw SystemError(call: "pread", path: file.path, number: EFBIG)
        }
        return try fileSystem.read(Int(clamping: end - start), of: file, at: start)
    }

    /// Whether the header was written. The file may be empty.
    func hasHeader() throws(SystemError) -> Bool {
        let bytes = try bytes(from: 0, upTo: Int64(JournalHeader.size))
        if case .absent = bytes.withUnsafeBytes(JournalHeader.read) { return false }
        return true
    }

    // MARK: Replacing

    /// Waits until every process checks the paths before it appends to the journal. The lock is held: no record announces that
    /// another journal or lock file replaces the current one.
    static func waitForTrust() {
        let end = Deadline(after: PropertyListTimings.trust)
        while !end.hasPassed { ThreadPause.sleep(for: .milliseconds(1)) }
    }

    /// Keeps a copy before the journal is replaced. A journal with a second name would not be trusted.
    func keepCopy(as path: String, beside list: FilePermissions?) throws {
        let bytes = try bytes(from: 0, upTo: status().size)
        let copy = try Self.create(path, in: fileSystem, beside: list)
        defer { copy.close() }
        do {
            try copy.append(bytes)
        } catch {
            WholeFile.removeOwn(path, in: fileSystem)
            throw error
        }
    }

    // MARK: Writing

    /// Touches a file for other processes: the journal, which they watch, or the lock file, to show that this process waits.
    static func touch(_ path: String, in fileSystem: any FileSystem) {
        do throws(SystemError) {
            try fileSystem.touch(path)
        } catch {
            // Other processes also poll from time to time, and waiting for the lock continues.
        }
    }

    /// Appends a record completely, or not at all. The lock is held, and ``position`` is the end of the file.
    func append(_ record: JournalRecord) throws(SystemError) {
        try append(JournalFrame.bytes(of: record, at: place))
    }

    /// Appends all bytes, or none. The lock is held, and ``position`` is the end of the file.
    func append(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.withUnsafeBufferPointer { buffer throws(SystemError) in try append(UnsafeRawBufferPointer(buffer)) }
    }

    /// Appends all bytes, or none. The lock is held, and ``position`` is the end of the file.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        do throws(SystemError) {
            try fileSystem.write(all: bytes, to: file)
        } catch {
            do throws(SystemError) {
                try cut()
            } catch {
                // The bytes are not a complete record; the next process that locks the file cuts them off.
            }
            throw error
        }
        position += UInt64(bytes.count)
    }

    /// Writes the bytes before ``position`` again, so that the next flush covers them. The lock is held, and the header is there.
    ///
    /// - Returns: false if they are not intact. After a failed write, the system may have dropped them from memory.
    func writeAgain() throws -> Bool {
        let bytes = try bytes(from: 0, upTo: Int64(position))
        let isIntact = bytes.withUnsafeBytes { bytes in
            guard case .intact(let found) = JournalHeader.read(bytes), found == header else { return false }
            let records = UnsafeRawBufferPointer(rebasing: bytes[JournalHeader.size...])
            let scan = JournalScanner.scan(records, from: UInt64(JournalHeader.size), of: found.id)
            return !scan.isDamaged && scan.end == position
        }
        guard try isIntact && overwrite(with: bytes) else { return false }
        openedSize = 0
        return true
    }

    /// Writes bytes over the first ones of the file. Bytes can only be appended through the open file.
    ///
    /// - Returns: false, with nothing written, if the path has another file.
    private func overwrite(with bytes: [UInt8]) throws -> Bool {
        let same = try fileSystem.openForOverwriting(path)
        defer { fileSystem.close(same) }
        guard has(try fileSystem.status(of: same)) else { return false }
        try bytes.withUnsafeBytes { try fileSystem.write(all: $0, to: same) }
        return true
    }

    /// Records in the header that all records so far only repeat those of the journal before, and the same position in the history.
    func setCarriedEnd() throws {
        guard var header else { return }
        let history = Int64(header.carriedEnd) + base
        header.carriedEnd = position
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        guard try overwrite(with: bytes) else { throw SystemError(call: "open", path: path, number: ENOENT) }
        follow(header, from: position, at: history)
    }

    /// Cuts off the bytes after ``position``. The lock is held.
    func cut() throws(SystemError) { try fileSystem.truncate(file, to: Int64(position)) }
}
