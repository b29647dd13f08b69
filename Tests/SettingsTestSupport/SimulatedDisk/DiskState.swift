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

/// A file, directory or symbolic link. It uses one of the three kinds of contents. They are not an enumeration, so that a file can be
/// changed in place, without copying it.
struct Inode: Sendable {
    let kind: FileStatus.Kind
    var linkCount: UInt64 = 0
    var modified: FileStatus.Timestamp
    var changed: FileStatus.Timestamp
    var mode: UInt16
    var target = ""
    var file = Unflushed(FileBytes())
    var directory = Unflushed(DirectoryNames())

    var size: Int { kind == .link ? target.utf8.count : file.visible.bytes.count }
}

/// The state of an open descriptor.
struct OpenFile: Sendable {
    enum Access { case reading, appending, overwriting }

    let process: Int
    let inode: Int
    let access: Access
    var position = 0
}

/// The state of a process, without its open files.
struct ProcessState: Sendable {
    var isDead = false
    var fault = SimulatedProcess.Fault.none
    /// The calls since the fault was set.
    var count = 0
}

/// The state of a simulated disk and its processes, guarded by ``SimulatedDisk``.
struct DiskState: Sendable {
    static let root = 1
    /// The user and group of all processes and files.
    static let user: UInt32 = 1_000

    var capacity: Int?
    /// Includes inodes without a name, which may get one back after a power failure.
    var inodes: [Int: Inode] = [:]
    /// Numbers are not reused, so that a test detects the use of a closed descriptor.
    var openFiles: [Int32: OpenFile] = [:]
    /// The descriptors whose next flush reports lost writes.
    var failedDescriptors: Set<Int32> = []
    /// The descriptor that holds the lock on each locked inode.
    var locks: [Int: Int32] = [:]
    var processes: [Int: ProcessState] = [:]
    /// The paths of files that a cloud was asked for, in order.
    var requestedDownloads: [String] = []
    private var lastNumber = root
    private var lastDescriptor: Int32 = 2
    private(set) var now: FileStatus.Timestamp

    init(capacity: Int?, startingAt seconds: Int64) {
        self.capacity = capacity
        now = .init(seconds: seconds, nanoseconds: 0)
        inodes[Self.root] = Inode(kind: .directory, linkCount: 1, modified: now, changed: now, mode: 0o700)
    }

    // MARK: Processes

    mutating func addProcess() -> Int {
        lastNumber += 1
        processes[lastNumber] = ProcessState()
        return lastNumber
    }

    /// Ends a process: closes its descriptors and releases its locks.
    mutating func kill(_ process: Int) {
        processes[process]?.isDead = true
        for (descriptor, file) in openFiles where file.process == process { close(descriptor) }
    }

    // MARK: Inodes

    /// Updates the times of a file or directory. No two changes have the same time.
    mutating func touch(_ number: Int, isModified: Bool = true) {
        now.nanoseconds += 1
        if now.nanoseconds == 1_000_000_000 { now = .init(seconds: now.seconds + 1, nanoseconds: 0) }
        inodes[number]?.changed = now
        if isModified { inodes[number]?.modified = now }
    }

    func status(of number: Int) throws -> FileStatus {
        guard let inode = inodes[number] else { throw DiskFailure(EIO) }
        return FileStatus(
            kind: inode.kind, device: 0x5D, inode: UInt64(number), size: Int64(inode.size), modified: inode.modified,
            changed: inode.changed, linkCount: inode.linkCount,
            permissions: FilePermissions(owner: Self.user, group: Self.user, mode: inode.mode))
    }

    /// The number of bytes by which files may still grow. A file without a name takes room while it is open.
    var freeBytes: Int {
        guard let capacity else { return .max / 2 }
        let open = Set(openFiles.values.map(\.inode))
        let used = inodes.filter { $0.value.linkCount > 0 || open.contains($0.key) }
        return max(0, capacity - used.values.reduce(0) { $0 + $1.file.visible.bytes.count })
    }

    // MARK: Paths

    /// The end of a path: a directory, and a name that may be missing in it.
    struct Place {
        var directory: Int
        var name: String
        var inode: Int?
    }

    /// Resolves a path, which begins in the root.
    ///
    /// - Throws: `ENOENT`, `ENOTDIR`, `ELOOP`.
    func place(of path: String, followingLink: Bool = false) throws -> Place {
        var names = Self.names(in: path)
        var place = Place(directory: Self.root, name: "", inode: Self.root)
        var linkCount = 0
        while let name = names.popLast() {
            guard let directory = place.inode else { throw DiskFailure(ENOENT) }
            guard let inode = inodes[directory], inode.kind == .directory else { throw DiskFailure(ENOTDIR) }
            place = Place(directory: directory, name: name, inode: inode.directory.visible.entries[name])
            guard let target = place.inode.flatMap({ inodes[$0] }), target.kind == .link,
                followingLink || !names.isEmpty
            else {
                continue
            }
            linkCount += 1
            if linkCount > 40 { throw DiskFailure(ELOOP) }
            place.inode = target.target.hasPrefix("/") ? Self.root : directory
            names += Self.names(in: target.target)
        }
        return place
    }

    /// The names in a path, the last one first.
    private static func names(in path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

    func inode(at path: String, followingLink: Bool = false) throws -> Int {
        guard let number = try place(of: path, followingLink: followingLink).inode else { throw DiskFailure(ENOENT) }
        return number
    }

    /// The contents of the directory at a path.
    func entries(inDirectory path: String) throws -> [String: Int] {
        let inode = inodes[try inode(at: path, followingLink: true)]
        guard let inode, inode.kind == .directory else { throw DiskFailure(ENOTDIR) }
        return inode.directory.visible.entries
    }

    // MARK: Names

    /// Gives a file a name, and takes another away in the same directory.
    mutating func change(_ place: Place, removing removed: String? = nil, adding added: String?, _ number: Int) {
        if let replaced = place.inode {
            inodes[replaced]?.linkCount -= 1
            touch(replaced, isModified: false)
        }
        inodes[place.directory]?.directory.make(.init(removed: removed, added: added, inode: number))
        touch(place.directory)
    }

    /// Creates a file, directory or link.
    mutating func make(_ kind: FileStatus.Kind, target: String = "", mode: UInt16 = 0o600, at place: Place) throws
        -> Int
    {
        if place.inode != nil { throw DiskFailure(EEXIST) }
        lastNumber += 1
        let number = lastNumber
        inodes[number] = Inode(kind: kind, linkCount: 1, modified: now, changed: now, mode: mode, target: target)
        touch(number)
        change(place, adding: place.name, number)
        return number
    }

    // MARK: Descriptors

    mutating func open(_ inode: Int, _ access: OpenFile.Access, by process: Int) throws -> Int32 {
        let kind = inodes[inode]?.kind
        if kind == .link { throw DiskFailure(ELOOP) }
        if kind == .directory, access != .reading { throw DiskFailure(EISDIR) }
        lastDescriptor += 1
        openFiles[lastDescriptor] = OpenFile(process: process, inode: inode, access: access)
        return lastDescriptor
    }

    mutating func close(_ descriptor: Int32) {
        unlock(descriptor)
        openFiles[descriptor] = nil
    }

    mutating func unlock(_ descriptor: Int32) {
        guard let inode = openFiles[descriptor]?.inode, locks[inode] == descriptor else { return }
        locks[inode] = nil
    }

    // MARK: Durability

    /// Loses the unflushed changes of a file. The next flush through each of its descriptors reports it, except through the one whose
    /// flush has just failed.
    mutating func loseChanges(of inode: Int, reportedTo reported: Int32? = nil) {
        inodes[inode]?.file.loseChanges()
        for (descriptor, file) in openFiles where file.inode == inode && descriptor != reported {
            failedDescriptors.insert(descriptor)
        }
    }

    mutating func flush(_ number: Int) {
        inodes[number]?.file.flush()
        inodes[number]?.directory.flush()
    }

    mutating func failPower(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in inodes.keys.sorted() {
            guard let inode = inodes[number] else { continue }
            inodes[number]?.file = Unflushed(inode.file.afterPowerFailure(using: &generator))
            inodes[number]?.directory = Unflushed(inode.directory.surviving(using: &generator))
        }
        restart()
    }

    /// Ends all processes, counts names again, and drops inodes without a name.
    mutating func restart() {
        for process in processes.keys { kill(process) }
        var counts = [Self.root: 1 as UInt64]
        var directories = [Self.root]
        while let directory = directories.popLast() {
            for number in inodes[directory]?.directory.visible.entries.values ?? [:].values {
                counts[number, default: 0] += 1
                if inodes[number]?.kind == .directory { directories.append(number) }
            }
        }
        inodes = inodes.filter { counts[$0.key] != nil }
        for (number, count) in counts { inodes[number]?.linkCount = count }
    }
}
