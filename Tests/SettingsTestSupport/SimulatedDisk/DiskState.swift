import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The reason why a call of a simulated process fails.
struct DiskFailure: Error {
    let number: Int32

    init(_ number: Int32) { self.number = number }
}

/// A file, directory or symbolic link. It uses one of the three kinds of contents. They are not an enumeration, so that
/// a file can be changed in place, without copying it.
struct Inode: Sendable {
    let kind: FileStatus.Kind
    /// The number of its names.
    var linkCount: UInt64 = 0
    /// The number of its open descriptors.
    var openCount = 0
    var modified: FileStatus.Timestamp
    var changed: FileStatus.Timestamp
    var file = FileContents()
    var directory = DirectoryContents(parent: DiskState.root)
    var target: FileName = []
    var mode: UInt16 = 0o600
    /// The extended attributes, by name.
    var attributes: [String: [UInt8]] = [:]

    /// Whether a process can reach it. If not, only a power failure can restore it.
    var isAlive: Bool { linkCount > 0 || openCount > 0 }

    var size: Int {
        switch kind {
        case .file: file.bytes.count
        case .link: target.count
        case .directory, .other: 0
        }
    }
}

/// The state of an open descriptor.
struct OpenFile: Sendable {
    let process: Int
    let inode: UInt64
    var isReadable = false
    var isWritable = false
    var isAppending = false
    var position = 0
    /// Identifies the opening: duplicates of a descriptor have the same.
    var opening = 0
}

/// The state of a simulated disk and its processes, guarded by ``SimulatedDisk``.
struct DiskState: Sendable {
    static let root: UInt64 = 1
    /// The user and group of all processes and files.
    static let (user, group) = (UInt32(1_000), UInt32(1_000))
    private static let device: UInt64 = 0x5D

    var capacity: Int?
    /// The openings whose next flush reports lost writes.
    var failedOpenings: Set<Int> = []
    /// The error of every call that writes; nil while the disk works.
    var writingError: Int32?
    /// Includes inodes without a name that may get one back after a power failure.
    var inodes: [UInt64: Inode] = [:]
    /// Numbers are not reused, so that a test detects the use of a closed descriptor.
    var openFiles: [Int32: OpenFile] = [:]
    /// The descriptor that holds the lock on each locked inode.
    var locks: [UInt64: Int32] = [:]
    var processes: [Int: ProcessState] = [:]
    /// The paths of files that a cloud was asked for, in order.
    var requestedDownloads: [String] = []
    private var lastInode = root
    private var lastDescriptor: Int32 = 2
    private var lastProcess = 0
    private var now: FileStatus.Timestamp

    init(capacity: Int?, startingAt seconds: Int64) {
        self.capacity = capacity
        now = .init(seconds: seconds, nanoseconds: 0)
        inodes[Self.root] = Inode(kind: .directory, linkCount: 1, modified: now, changed: now)
    }

    // MARK: Processes

    mutating func addProcess() -> Int {
        lastProcess += 1
        processes[lastProcess] = ProcessState()
        return lastProcess
    }

    /// Ends a process: closes its descriptors and releases its locks.
    mutating func kill(_ process: Int) {
        processes[process]?.isDead = true
        for (descriptor, file) in openFiles where file.process == process { close(descriptor, of: process) }
    }

    // MARK: Inodes

    /// The time, which advances by a nanosecond with each change, so no two changes have the same.
    mutating func tick() -> FileStatus.Timestamp {
        now.nanoseconds += 1
        if now.nanoseconds == 1_000_000_000 { now = .init(seconds: now.seconds + 1, nanoseconds: 0) }
        return now
    }

    /// Updates the times of a file or directory whose contents have changed.
    mutating func touch(_ number: UInt64) {
        let now = tick()
        inodes[number]?.modified = now
        inodes[number]?.changed = now
    }

    /// Updates the change time of a file or directory with another change.
    mutating func touchStatus(_ number: UInt64) {
        let now = tick()
        inodes[number]?.changed = now
    }

    /// Creates an inode without a name.
    mutating func makeInode(_ kind: FileStatus.Kind, target: FileName = [], in parent: UInt64) -> UInt64 {
        lastInode += 1
        let now = tick()
        inodes[lastInode] = Inode(
            kind: kind, modified: now, changed: now, directory: DirectoryContents(parent: parent), target: target)
        return lastInode
    }

    func kind(of number: UInt64) -> FileStatus.Kind? { inodes[number]?.kind }

    func status(of number: UInt64) throws(DiskFailure) -> FileStatus {
        guard let inode = inodes[number] else { throw DiskFailure(EIO) }
        return FileStatus(
            kind: inode.kind, device: Self.device, inode: number, size: Int64(inode.size), modified: inode.modified,
            changed: inode.changed, linkCount: inode.linkCount,
            permissions: FilePermissions(
                owner: Self.user, group: Self.group, mode: inode.kind == .directory ? 0o700 : inode.mode))
    }

    /// The bytes of all files that a process can reach.
    var usedBytes: Int { inodes.values.reduce(0) { $1.isAlive ? $0 + $1.file.bytes.count : $0 } }

    /// Grows with each change of a file or directory.
    var changeCount: Int64 { now.seconds * 1_000_000_000 + now.nanoseconds }

    /// The number of bytes by which files may still grow.
    var freeBytes: Int { capacity.map { max(0, $0 - usedBytes) } ?? .max }

    func requireWriting() throws(DiskFailure) {
        if let writingError { throw DiskFailure(writingError) }
    }

    // MARK: Descriptors

    mutating func open(_ file: OpenFile) -> Int32 {
        lastDescriptor += 1
        openFiles[lastDescriptor] = file
        if file.opening == 0 { openFiles[lastDescriptor]?.opening = Int(lastDescriptor) }
        inodes[file.inode]?.openCount += 1
        return lastDescriptor
    }

    mutating func close(_ descriptor: Int32, of process: Int) {
        guard let file = openFiles[descriptor], file.process == process else { return }
        openFiles[descriptor] = nil
        if locks[file.inode] == descriptor { locks[file.inode] = nil }
        inodes[file.inode]?.openCount -= 1
    }
}
