import SettingsCore

/// Checks that the local state belongs to the shared directory.
extension ReplicatedDirectory {
    /// Checks, once in a process, that the local state is not inside the shared directory, where it would be carried to
    /// other devices, and is not used with two directories, as the settings of one would be exported to the other.
    ///
    /// - Throws: ``ReplicaProblem/stateInDirectory``, ``ReplicaProblem/otherDirectory(_:)``, or what the system
    ///   reports.
    func requireOwnDirectory() throws {
        guard !table.withLock({ $0.isDirectoryConfirmed }) else { return }
        let status = try fileSystem.status(of: directory, followingLink: true)
        if let status { try requireStateOutside(of: status) }
        try requireNoOtherDirectory(than: status)
        table.withLock { $0.isDirectoryConfirmed = status != nil }
    }

    /// Compares inodes, because a link can lead into the directory.
    private func requireStateOutside(of status: FileStatus) throws {
        var path = WholeFile.realPath(list.path)
        while path != "/", !path.isEmpty, path != "." {
            path = WholeFile.split(path).directory
            if let other = try fileSystem.status(of: path, followingLink: true), other.isSameFile(as: status) {
                throw ReplicaProblem.stateInDirectory
            }
        }
    }

    /// Takes over a new path, as a directory can be moved, for example with an app's container. Throws if the old path
    /// still leads to another directory that has this replica's file.
    private func requireNoOtherDirectory(than status: FileStatus?) throws {
        let memory = tracker.memory
        guard memory.directory != directory else { return }
        if let first = memory.directory, let other = try fileSystem.status(of: first, followingLink: true),
            other.kind == .directory
        {
            if let status, other.isSameFile(as: status) { return }
            let names = try fileSystem.names(inDirectory: first)
            if names.contains(where: { ReplicaFileName.isLikely($0, of: memory.replica) }) {
                throw ReplicaProblem.otherDirectory(first)
            }
        }
        try list.change {
            var memory = tracker.memory
            memory.directory = directory
            return [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
        }
    }
}

extension FileStatus {
    fileprivate func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
