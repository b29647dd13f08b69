import SettingsCore

/// Whether the local state belongs to the shared directory.
extension ReplicatedDirectory {
    /// Makes sure, once in a process, that the local state is not carried to other devices and is not used with two
    /// directories: the settings of one would be exported into the other.
    func requireOwnDirectory() throws {
        guard !table.withLock({ $0.isDirectoryConfirmed }) else { return }
        let status = try fileSystem.status(of: directory, followingLink: true)
        if let status { try requireStateOutside(of: status) }
        try requireNoOtherDirectory(than: status)
        table.withLock { $0.isDirectoryConfirmed = status != nil }
    }

    /// By inodes, as a link may lead from one to the other.
    private func requireStateOutside(of status: FileStatus) throws {
        var path = WholeFile.realPath(list.path)
        while path != "/", !path.isEmpty, path != "." {
            path = WholeFile.split(path).directory
            if let other = try fileSystem.status(of: path, followingLink: true), other.isSameFile(as: status) {
                throw ReplicaProblem.stateInDirectory
            }
        }
    }

    /// The directory that the state was used with before may have been moved here, as containers of apps are. If it is
    /// still there, is another one, and has this replica's file, it was not.
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
