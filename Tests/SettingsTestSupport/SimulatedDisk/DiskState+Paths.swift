#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The end of a path.
struct Place {
    /// The directory of the last name.
    var directory: UInt64
    /// The last name; nil if the path ends in the root, `.` or `..`.
    var name: FileName?
    /// The inode; nil if there is none.
    var inode: UInt64?
    /// Whether the path ends in a slash, which only a directory's path may.
    var requiresDirectory: Bool

    /// Throws if the last name is too long. The system checks that after other errors of a path.
    func requireShortName() throws(DiskFailure) {
        if let name, name.count > DiskState.nameLimit { throw DiskFailure(ENAMETOOLONG) }
    }
}

/// The purpose of a path.
enum PathUse {
    /// The target of the link, if there is one at the end of the path.
    case following
    /// The link itself.
    case notFollowing
    /// A file to create, even where a link points to a missing file; its path must not end in a slash.
    case making
}

extension DiskState {
    private static let linkLimit = 40
    fileprivate static let nameLimit = 255
    private static let pathLimit = 4_096
    private static let dot = FileName(".".utf8)
    private static let dots = FileName("..".utf8)
    private static let slash = UInt8(ascii: "/")

    /// Resolves a path whose last name may be missing. A path without a leading slash also begins in the root.
    ///
    /// - Throws: `ENOENT`, `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`; for making a file also `EISDIR`.
    func place(of path: String, _ use: PathUse) throws(DiskFailure) -> Place {
        let bytes = FileName(path.utf8)
        guard !bytes.isEmpty else { throw DiskFailure(ENOENT) }
        guard bytes.count < Self.pathLimit else { throw DiskFailure(ENAMETOOLONG) }
        var requiresDirectory = bytes.last == Self.slash
        var remaining = Self.names(of: bytes)
        var directory = Self.root
        var linkCount = 0
        while let name = remaining.popLast() {
            guard let current = inodes[directory], current.kind == .directory else { throw DiskFailure(ENOTDIR) }
            if name == Self.dot { continue }
            if name == Self.dots {
                directory = current.directory.parent
                continue
            }
            let isLast = remaining.isEmpty
            guard isLast || name.count <= Self.nameLimit else { throw DiskFailure(ENAMETOOLONG) }
            if isLast, requiresDirectory, use == .making { throw DiskFailure(EISDIR) }
            guard let number = current.directory.entries[name], let inode = inodes[number] else {
                guard isLast else { throw DiskFailure(ENOENT) }
                return Place(directory: directory, name: name, inode: nil, requiresDirectory: requiresDirectory)
            }
            if inode.kind == .link, !isLast || use != .notFollowing {
                linkCount += 1
                guard linkCount <= Self.linkLimit else { throw DiskFailure(ELOOP) }
                if inode.target.first == Self.slash { directory = Self.root }
                if isLast, inode.target.last == Self.slash { requiresDirectory = true }
                remaining += Self.names(of: inode.target)
                continue
            }
            if isLast {
                return Place(directory: directory, name: name, inode: number, requiresDirectory: requiresDirectory)
            }
            directory = number
        }
        guard kind(of: directory) == .directory else { throw DiskFailure(ENOTDIR) }
        return Place(directory: directory, name: nil, inode: directory, requiresDirectory: true)
    }

    /// The inode at a path.
    func inode(at path: String, followingLink: Bool) throws(DiskFailure) -> UInt64 {
        // A slash at the end means the target of the link.
        let place = try place(of: path, followingLink || path.utf8.last == Self.slash ? .following : .notFollowing)
        try place.requireShortName()
        guard let number = place.inode else { throw DiskFailure(ENOENT) }
        if place.requiresDirectory, kind(of: number) != .directory { throw DiskFailure(ENOTDIR) }
        return number
    }

    /// The names in a path, the last one first.
    private static func names(of path: FileName) -> [FileName] {
        path.split(separator: slash).reversed().map { FileName($0) }
    }
}
