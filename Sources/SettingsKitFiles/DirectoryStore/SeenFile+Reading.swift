import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SeenFile {
    /// Reads a file of the shared directory.
    ///
    /// - Parameters:
    ///   - sizeLimit: The greatest size that is read.
    ///   - known: Returns what was seen of a file with this status, which then is not read again. Nil to read the file.
    /// - Returns: The file's current state, and its contents if it was read. Nil if there is no file.
    static func read(
        _ name: String, in directory: String, _ fileSystem: any FileSystem, sizeLimit: Int,
        known: (FileStatus) -> SeenFile? = { _ in nil }
    ) -> (seen: SeenFile, file: ReplicaFile?)? {
        let path = WholeFile.join(directory, name)
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false) else { return nil }
            guard status.kind == .file else {
                return ReplicaFileName.isLikely(name) ? (SeenFile(status: status, content: .noFile), nil) : nil
            }
            if var known = known(status) {
                known.isFresh = false
                return (known, nil)
            }
            if status.isDataless || ReplicaFileName.isPlaceholder(name) {
                return (SeenFile(status: status, content: .placeholder), nil)
            }
            return try fileSystem.coordinating(.reading, of: path) { () throws(SystemError) in
                try read(path, status, fileSystem, sizeLimit)
            }
        } catch {
            if error.number == ENOENT { return nil }
            return (SeenFile(status: nil, content: .unreadable(error)), nil)
        }
    }

    private static func read(
        _ path: String, _ status: FileStatus, _ fileSystem: any FileSystem, _ sizeLimit: Int
    ) throws(SystemError) -> (seen: SeenFile, file: ReplicaFile?)? {
        let file = try fileSystem.openForReading(path)
        defer { fileSystem.close(file) }
        let opened = try fileSystem.status(of: file)
        // The path may have been replaced in the meantime, for example by a FIFO.
        guard opened.kind == .file else { return nil }
        let beginning = try fileSystem.read(64, of: file, at: 0)
        guard ReplicaFileReader.canBegin(beginning) else { return (SeenFile(status: opened, content: .foreign), nil) }
        guard opened.size <= sizeLimit else { return (SeenFile(status: opened, content: .tooLarge), nil) }
        let bytes = try fileSystem.read(Int(clamping: opened.size), of: file, at: 0)
        // If the file is being written in place, the lines read so far are used, and it is read again.
        let isSettled = try fileSystem.status(of: file) == opened && opened == status
        var seen = SeenFile(status: isSettled ? opened : nil, content: .foreign)
        switch bytes.withUnsafeBufferPointer(ReplicaFileReader.read) {
        case .foreign: return (seen, nil)
        case .newerVersion(let version):
            seen.content = .newerVersion(version)
            return (seen, nil)
        case .file(let replicaFile):
            seen.content = .replica(Summary(of: replicaFile))
            return (seen, replicaFile)
        }
    }
}
