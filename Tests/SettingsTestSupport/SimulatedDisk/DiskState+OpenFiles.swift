import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The calls about open files.
extension DiskState {
    private static let fileSizeLimit = Int(clamping: Int64(1) << 32)

    @discardableResult
    func openFile(_ descriptor: Int32, of process: Int) throws(DiskFailure) -> OpenFile {
        guard let file = openFiles[descriptor], file.process == process else { throw DiskFailure(EBADF) }
        return file
    }

    /// Reads from the end of the last call.
    mutating func read(_ descriptor: Int32, of process: Int, count: Int) throws(DiskFailure) -> [UInt8] {
        let file = try openFile(descriptor, of: process)
        let bytes = try read(descriptor, of: process, at: Int64(file.position), count: count)
        openFiles[descriptor]?.position += bytes.count
        return bytes
    }

    func read(
        _ descriptor: Int32, of process: Int, at offset: Int64, count: Int
    ) throws(DiskFailure) -> [UInt8] {
        if offset < 0 { throw DiskFailure(EINVAL) }
        let file = try openFile(descriptor, of: process)
        guard file.isReadable else { throw DiskFailure(EBADF) }
        guard let inode = inodes[file.inode], inode.kind == .file else { throw DiskFailure(EISDIR) }
        let bytes = inode.file.bytes
        let start = Int(clamping: min(offset, Int64(bytes.count)))
        return [UInt8](bytes[start..<min(bytes.count, start + min(count, bytes.count))])
    }

    /// Writes as many bytes as fit.
    ///
    /// - Throws: `ENOSPC` if there is no room.
    mutating func write(_ bytes: [UInt8], to descriptor: Int32, of process: Int) throws(DiskFailure) -> Int {
        let file = try openFile(descriptor, of: process)
        guard file.isWritable, let size = inodes[file.inode]?.size else { throw DiskFailure(EBADF) }
        if bytes.isEmpty { return 0 }
        try requireWriting()
        let offset = file.isAppending ? size : file.position
        let growth = max(0, offset + bytes.count - size)
        let excess = capacity == nil ? 0 : max(0, growth - freeBytes)
        let count = bytes.count - excess
        guard count > 0 else { throw DiskFailure(ENOSPC) }
        inodes[file.inode]?.file.write([UInt8](bytes.prefix(count)), at: offset)
        openFiles[descriptor]?.position = offset + count
        touch(file.inode)
        return count
    }

    /// A file that becomes longer needs space, as for a write.
    mutating func truncate(_ descriptor: Int32, of process: Int, to size: Int64) throws(DiskFailure) {
        if size < 0 { throw DiskFailure(EINVAL) }
        let file = try openFile(descriptor, of: process)
        guard file.isWritable, let present = inodes[file.inode]?.size else { throw DiskFailure(EINVAL) }
        if size > Self.fileSizeLimit { throw DiskFailure(EFBIG) }
        try requireWriting()
        let newSize = Int(clamping: size)
        if capacity != nil, newSize > present, newSize - present > freeBytes { throw DiskFailure(ENOSPC) }
        inodes[file.inode]?.file.truncate(to: newSize)
        touch(file.inode)
    }

    mutating func changeMode(_ descriptor: Int32, of process: Int, to mode: UInt16) throws(DiskFailure) {
        let file = try openFile(descriptor, of: process)
        try requireWriting()
        inodes[file.inode]?.mode = mode
        touchStatus(file.inode)
    }

    /// The attributes in the order of their names.
    func attributes(of path: String) throws(DiskFailure) -> [FileAttribute] {
        let number = try inode(at: path, followingLink: false)
        let attributes = inodes[number]?.attributes ?? [:]
        return attributes.sorted { $0.key < $1.key }.map { .extended(name: $0.key, value: $0.value) }
    }

    /// - Throws: `ENOTSUP` for an attribute that the disk does not have.
    mutating func setAttribute(_ attribute: FileAttribute, of descriptor: Int32, of process: Int) throws(DiskFailure) {
        let file = try openFile(descriptor, of: process)
        guard case .extended(let name, let value) = attribute, name.hasPrefix("user.") else {
            throw DiskFailure(ENOTSUP)
        }
        try requireWriting()
        inodes[file.inode]?.attributes[name] = value
        touchStatus(file.inode)
    }

    mutating func lock(_ descriptor: Int32, of process: Int) throws(DiskFailure) -> Bool {
        let file = try openFile(descriptor, of: process)
        if let holder = locks[file.inode], holder != descriptor { return false }
        locks[file.inode] = descriptor
        return true
    }

    mutating func unlock(_ descriptor: Int32, of process: Int) {
        guard let file = openFiles[descriptor], file.process == process else { return }
        if locks[file.inode] == descriptor { locks[file.inode] = nil }
    }
}
