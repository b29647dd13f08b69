import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a call of a simulated process fails.
struct DiskFailure: Error {
    let number: Int32

    init(_ number: Int32) { self.number = number }
}

/// A file, directory or symbolic link. Of the three kinds of contents it uses the one of its kind; they are no enumeration
/// so that a file can be changed where it is, without copying it.
struct Inode: Sendable {
    let kind: FileStatus.Kind
    /// How many names it has.
    var linkCount: UInt64 = 0
    /// How many descriptors are open on it.
    var openCount = 0
    var modified: FileStatus.Timestamp
    var changed: FileStatus.Timestamp
    var file = FileContents()
    var directory = DirectoryContents(parent: DiskState.root)
    var target: FileName = []
    var mode: UInt16 = 0o600

    /// Whether a process can still get at it; if not, only a power failure can bring it back.
    var isAlive: Bool { linkCount > 0 || openCount > 0 }

    var size: Int {
        switch kind {
        case .file: file.bytes.count
        case .link: target.count
        case .directory, .other: 0
        }
    }
}

/// What an open descriptor stands for.
struct OpenFile: Sendable {
    let process: Int
    let inode: UInt64
    var isReadable = false
    var isWritable = false
    var isAppending = false
    var position = 0
}

/// Everything about a simulated disk and the processes that use it; ``SimulatedDisk`` guards it.
struct DiskState: Sendable {
    static let root: UInt64 = 1
    /// The user and group of all processes and files.
    static let (user, group) = (UInt32(1_000), UInt32(1_000))
    private static let device: UInt64 = 0x5D

    var capacity: Int?
    /// The error of everything that would write; nil while the disk works.
    var writingError: Int32?
    /// Also holds what has no name any more but may get one back when the power fails.
    var inodes: [UInt64: Inode] = [:]
    /// Numbers are not used again, so that a descriptor used after its end is found out.
    var openFiles: [Int32: OpenFile] = [:]
    /// The descriptor that has the lock on each locked inode.
    var locks: [UInt64: Int32] = [:]
    var processes: [Int: ProcessState] = [:]
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

    /// Ends a process: its descriptors are closed, and its locks are free.
    mutating func kill(_ process: Int) {
        processes[process]?.isDead = true
        for (descriptor, file) in openFiles where file.process == process { close(descriptor, of: process) }
    }

    // MARK: Inodes

    /// The time, which goes on by a nanosecond with each change: no two changes have the same.
    mutating func tick() -> FileStatus.Timestamp {
        now.nanoseconds += 1
        if now.nanoseconds == 1_000_000_000 { now = .init(seconds: now.seconds + 1, nanoseconds: 0) }
        return now
    }

    /// Notes that the contents of a file or directory have changed.
    mutating func touch(_ number: UInt64) {
        let now = tick()
        inodes[number]?.modified = now
        inodes[number]?.changed = now
    }

    /// Notes that something else about it has changed.
    mutating func touchStatus(_ number: UInt64) {
        let now = tick()
        inodes[number]?.changed = now
    }

    /// Makes an inode without a name.
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

    /// The bytes of all files that a process can get at.
    var usedBytes: Int { inodes.values.reduce(0) { $1.isAlive ? $0 + $1.file.bytes.count : $0 } }

    /// How many bytes files may still grow by.
    var freeBytes: Int { capacity.map { max(0, $0 - usedBytes) } ?? .max }

    func requireWriting() throws(DiskFailure) {
        if let writingError { throw DiskFailure(writingError) }
    }

    // MARK: Descriptors

    mutating func open(_ file: OpenFile) -> Int32 {
        lastDescriptor += 1
        openFiles[lastDescriptor] = file
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
