#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The effects of a power failure.
extension DiskState {
    mutating func synchronize(_ descriptor: Int32, of process: Int) throws(DiskFailure) {
        let file = try openFile(descriptor, of: process)
        if failedOpenings.remove(file.opening) != nil { throw DiskFailure(EIO) }
        if let writingError {
            inodes[file.inode]?.file.loseChanges()
            throw DiskFailure(writingError)
        }
        synchronize(file.inode)
    }

    mutating func synchronizeDirectory(_ path: String) throws(DiskFailure) {
        let number = try inode(at: path, followingLink: true)
        try requireWriting()
        synchronize(number)
    }

    private mutating func synchronize(_ number: UInt64) {
        switch kind(of: number) {
        case .file: inodes[number]?.file.synchronize()
        case .directory:
            inodes[number]?.directory.synchronize()
            forgetUnrecoverable()
        default: break
        }
    }

    /// Fails a synchronization by a fault of its process, which loses the unsynchronized changes. The next flush through every other
    /// opening of the file reports it, too.
    mutating func loseChanges(_ descriptor: Int32, of process: Int) {
        guard let file = openFiles[descriptor], file.process == process else { return }
        inodes[file.inode]?.file.loseChanges()
        for other in openFiles.values where other.inode == file.inode && other.opening != file.opening {
            failedOpenings.insert(other.opening)
        }
    }

    /// Loses the unsynchronized changes of a file, as a system that fails to write them, and reports that once to each opening of
    /// the file.
    mutating func failWriteBack(of path: String) throws(DiskFailure) {
        let number = try inode(at: path, followingLink: false)
        inodes[number]?.file.loseChanges()
        for file in openFiles.values where file.inode == number { failedOpenings.insert(file.opening) }
    }

    mutating func synchronizeAll() {
        for number in inodes.keys {
            inodes[number]?.file.synchronize()
            inodes[number]?.directory.synchronize()
        }
        forgetUnrecoverable()
    }

    mutating func failPower(seed: UInt64) {
        for process in processes.keys { kill(process) }
        var generator = SeededGenerator(seed: seed)
        for number in inodes.keys.sorted() {
            inodes[number]?.file.failPower(using: &generator)
            inodes[number]?.directory.failPower(using: &generator)
        }
        keepWhatHasAName()
    }

    /// Counts names again, and drops inodes without a name.
    mutating func keepWhatHasAName() {
        var counts: [UInt64: UInt64] = [Self.root: 1]
        var pending = [Self.root]
        while let directory = pending.popLast() {
            guard let entries = inodes[directory]?.directory.entries else { continue }
            for (name, number) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                let isDirectory = kind(of: number) == .directory
                if isDirectory, counts[number] != nil {
                    // The directory was moved, and the removal of its old name was lost: a directory cannot be in two places.
                    inodes[directory]?.directory.forget(name)
                    continue
                }
                counts[number, default: 0] += 1
                if isDirectory {
                    inodes[number]?.directory.parent = directory
                    pending.append(number)
                }
            }
        }
        inodes = inodes.filter { counts[$0.key] != nil }
        for (number, count) in counts { inodes[number]?.linkCount = count }
    }

    /// Drops inodes that no process can reach and no power failure can restore.
    private mutating func forgetUnrecoverable() {
        guard inodes.values.contains(where: { !$0.isAlive }) else { return }
        let recoverable = inodes.values.reduce(into: Set<UInt64>()) { $0.formUnion($1.directory.recoverable) }
        inodes = inodes.filter { $0.value.isAlive || recoverable.contains($0.key) }
    }
}
