import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The calls about names.
extension DiskState {
    func status(of path: String, followingLink: Bool) throws(DiskFailure) -> FileStatus? {
        let number: UInt64
        do throws(DiskFailure) {
            number = try inode(at: path, followingLink: followingLink)
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return nil }
            throw error
        }
        return try status(of: number)
    }

    func destination(ofLink path: String) throws(DiskFailure) -> String {
        let number = try inode(at: path, followingLink: false)
        guard let inode = inodes[number], inode.kind == .link else { throw DiskFailure(EINVAL) }
        return String(decoding: inode.target, as: UTF8.self)
    }

    mutating func openForReading(_ path: String, followingLink: Bool, process: Int) throws(DiskFailure) -> Int32 {
        let number = try inode(at: path, followingLink: followingLink)
        if kind(of: number) == .link { throw DiskFailure(ELOOP) }
        return open(OpenFile(process: process, inode: number, isReadable: true))
    }

    mutating func create(_ path: String, process: Int) throws(DiskFailure) -> Int32 {
        let place = try place(of: path, .notFollowing)
        if place.name != nil, place.requiresDirectory { throw DiskFailure(EISDIR) }
        try place.requireShortName()
        guard place.inode == nil, let name = place.name else { throw DiskFailure(EEXIST) }
        let number = try makeNamed(.file, name, in: place.directory)
        return open(
            OpenFile(process: process, inode: number, isReadable: true, isWritable: true, isAppending: true))
    }

    mutating func openForAppending(_ path: String, process: Int) throws(DiskFailure) -> Int32 {
        let number = try writableInode(at: path)
        return open(
            OpenFile(process: process, inode: number, isReadable: true, isWritable: true, isAppending: true))
    }

    mutating func openForOverwriting(_ path: String, process: Int) throws(DiskFailure) -> Int32 {
        open(OpenFile(process: process, inode: try writableInode(at: path), isWritable: true))
    }

    private func writableInode(at path: String) throws(DiskFailure) -> UInt64 {
        let number = try inode(at: path, followingLink: false)
        switch kind(of: number) {
        case .directory: throw DiskFailure(EISDIR)
        case .link: throw DiskFailure(ELOOP)
        default: return number
        }
    }

    /// An existing entry of any kind is not an error, as in the machine's file system.
    mutating func createDirectory(_ path: String) throws(DiskFailure) -> Bool {
        let place = try place(of: path, .notFollowing)
        try place.requireShortName()
        guard place.inode == nil, let name = place.name else { return false }
        _ = try makeNamed(.directory, name, in: place.directory)
        return true
    }

    mutating func makeLink(_ path: String, to target: String) throws(DiskFailure) {
        let place = try place(of: path, .notFollowing)
        guard place.inode == nil, let name = place.name else { throw DiskFailure(EEXIST) }
        _ = try makeNamed(.link, target: FileName(target.utf8), name, in: place.directory)
    }

    private mutating func makeNamed(
        _ kind: FileStatus.Kind, target: FileName = [], _ name: FileName, in directory: UInt64
    ) throws(DiskFailure) -> UInt64 {
        try requireWriting()
        let number = makeInode(kind, target: target, in: directory)
        inodes[number]?.linkCount = 1
        inodes[directory]?.directory.set(name, to: number)
        touch(directory)
        return number
    }

    mutating func link(_ path: String, as newPath: String) throws(DiskFailure) {
        let number = try inode(at: path, followingLink: false)
        let place = try place(of: newPath, .notFollowing)
        try place.requireShortName()
        guard place.inode == nil, let name = place.name else { throw DiskFailure(EEXIST) }
        if place.requiresDirectory { throw DiskFailure(ENOENT) }
        if kind(of: number) == .directory { throw DiskFailure(EPERM) }
        try requireWriting()
        inodes[number]?.linkCount += 1
        touchStatus(number)
        inodes[place.directory]?.directory.set(name, to: number)
        touch(place.directory)
    }

    mutating func remove(_ path: String) throws(DiskFailure) {
        let place = try place(of: path, .notFollowing)
        guard let name = place.name else { throw DiskFailure(EISDIR) }
        try place.requireShortName()
        guard let number = place.inode else { throw DiskFailure(ENOENT) }
        if kind(of: number) == .directory { throw DiskFailure(EISDIR) }
        if place.requiresDirectory { throw DiskFailure(ENOTDIR) }
        inodes[place.directory]?.directory.remove(name)
        touch(place.directory)
        loseName(number)
    }

    mutating func rename(_ path: String, to newPath: String) throws(DiskFailure) {
        let old = try place(of: path, .notFollowing)
        let new = try place(of: newPath, .notFollowing)
        guard let oldName = old.name, let newName = new.name else { throw DiskFailure(EBUSY) }
        try old.requireShortName()
        guard let moved = old.inode else { throw DiskFailure(ENOENT) }
        try new.requireShortName()
        let isDirectory = kind(of: moved) == .directory
        if !isDirectory, old.requiresDirectory || new.requiresDirectory { throw DiskFailure(ENOTDIR) }
        if isDirectory, isAncestor(moved, of: new.directory) { throw DiskFailure(EINVAL) }
        if let replaced = new.inode {
            if old.directory != new.directory, isAncestor(replaced, of: old.directory) { throw DiskFailure(ENOTEMPTY) }
            if replaced == moved { return }
            switch (isDirectory, kind(of: replaced) == .directory) {
            case (true, false): throw DiskFailure(ENOTDIR)
            case (false, true): throw DiskFailure(EISDIR)
            default: break
            }
            if inodes[replaced]?.directory.entries.isEmpty == false { throw DiskFailure(ENOTEMPTY) }
        }
        try requireWriting()
        if old.directory == new.directory {
            inodes[old.directory]?.directory.rename(oldName, to: newName)
        } else {
            // Two changes: after a power failure, the file may have both names, or neither.
            inodes[new.directory]?.directory.set(newName, to: moved)
            inodes[old.directory]?.directory.remove(oldName)
            if isDirectory { inodes[moved]?.directory.parent = new.directory }
            touch(old.directory)
        }
        touch(new.directory)
        touchStatus(moved)
        if let replaced = new.inode { loseName(replaced) }
    }

    private mutating func loseName(_ number: UInt64) {
        inodes[number]?.linkCount -= 1
        touchStatus(number)
    }

    private func isAncestor(_ number: UInt64, of directory: UInt64) -> Bool {
        var current = directory
        while current != number {
            guard current != Self.root, let parent = inodes[current]?.directory.parent else { return false }
            current = parent
        }
        return true
    }

    /// In the order of their bytes.
    func names(inDirectory path: String) throws(DiskFailure) -> [String] {
        let number = try inode(at: path, followingLink: true)
        guard let inode = inodes[number], inode.kind == .directory else { throw DiskFailure(ENOTDIR) }
        return inode.directory.entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
