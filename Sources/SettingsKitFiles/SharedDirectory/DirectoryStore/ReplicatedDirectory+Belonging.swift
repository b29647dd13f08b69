import SettingsKitCore
import SettingsKitPlatform

/// Checks that the local state belongs to the shared directory.
extension ReplicatedDirectory {
    /// Checks, once in a process, that the local state is outside of the shared directory, which would carry it to other devices,
    /// and is not used with two directories, because the settings of one would be exported to the other.
    ///
    /// - Throws: ``ReplicaProblem/stateInDirectory``, ``ReplicaProblem/otherDirectory(_:)``, or the system's errors.
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

    /// Adopts a new path, because a directory can be moved, for example with an app's container. Throws if the old path still
    /// leads to another directory that has this replica's file.
    private func requireNoOtherDirectory(than status: FileStatus?) throws {
        if tracker.memory.directory == directory { return }
        try list.change {
            var memory = tracker.memory
            if let first = memory.directory, first != directory, let other = otherDirectory(first) {
                if let status, other.isSameFile(as: status) { return [] }
                throw ReplicaProblem.otherDirectory(first)
            }
            if status == nil { return [] }
            memory.directory = directory
            return [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)]
        }
    }

    /// Returns the status of a directory; nil if it does not have this replica's file, or cannot be examined.
    private func otherDirectory(_ path: String) -> FileStatus? {
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: true), status.kind == .directory else {
                return nil
            }
            let names = try fileSystem.names(inDirectory: path)
            return names.contains { ReplicaFileName.isLikely($0, of: tracker.memory.replica) } ? status : nil
        } catch {
            // It may be another user's, or on a server that does not answer. Neither must keep this store from working.
            return nil
        }
    }
}
