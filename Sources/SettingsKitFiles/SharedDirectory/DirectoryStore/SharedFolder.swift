import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The shared directory itself: checks that the local state belongs to it, and creates it.
final class SharedFolder: Sendable {
    private let path: String
    private let fileSystem: any FileSystem
    private let state: ReplicaState
    /// Whether the local state was found to belong to the directory.
    private let isConfirmed = Atomic(false)
    /// Whether the directory may be created with its parents, because the state is new.
    private let isNew: Atomic<Bool>

    init(at path: String, fileSystem: any FileSystem, state: ReplicaState) {
        (self.path, self.fileSystem, self.state) = (path, fileSystem, state)
        isNew = Atomic(state.isNew)
    }

    /// Checks the directory, and creates it if it is missing, unless it is only read.
    func prepare() throws {
        try requireOwn()
        try create()
    }

    // MARK: The state's directory

    /// Checks, once in a process, that the local state is outside of the shared directory, which would carry it to other devices,
    /// and is not used with two directories, because the settings of one would be exported to the other.
    ///
    /// - Throws: ``ReplicaProblem/stateInDirectory``, ``ReplicaProblem/otherDirectory(_:)``, or the system's errors.
    private func requireOwn() throws {
        if isConfirmed.load(ordering: .acquiring) { return }
        let status = try fileSystem.status(of: path, followingLink: true)
        if let status { try requireStateOutside(of: status) }
        // Adopts a new path, because a directory can be moved, for example with an app's container.
        try state.changeMemory { memory in
            if let first = memory.directory, first != path, let other = otherDirectory(first, memory.replica) {
                if let status, other.isSameFile(as: status) { return }
                throw ReplicaProblem.otherDirectory(first)
            }
            if status != nil { memory.directory = path }
        }
        isConfirmed.store(status != nil, ordering: .releasing)
    }

    /// Compares inodes, because a link can lead into the directory.
    private func requireStateOutside(of status: FileStatus) throws {
        var path = WholeFile.realPath(state.list.path)
        while path != "/", !path.isEmpty, path != "." {
            path = WholeFile.split(path).directory
            if let other = try fileSystem.status(of: path, followingLink: true), other.isSameFile(as: status) {
                throw ReplicaProblem.stateInDirectory
            }
        }
    }

    /// Returns the status of a directory; nil if it does not have this replica's file, or cannot be examined.
    private func otherDirectory(_ path: String, _ own: ReplicaID) -> FileStatus? {
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: true), status.kind == .directory else {
                return nil
            }
            let names = try fileSystem.names(inDirectory: path)
            return names.contains { ReplicaFileName.isLikely($0, of: own) } ? status : nil
        } catch {
            // It may be another user's, or on a server that does not answer. Neither must keep this store from working.
            return nil
        }
    }

    // MARK: Creating

    /// Creates the directory if it is missing. Creates its parents for a new state only: later, a missing parent can be an
    /// unmounted volume.
    private func create() throws {
        let isThere = try fileSystem.status(of: path, followingLink: true) != nil
        if state.isReadOnly {
            if isThere { return }
            throw SystemError(call: "open", path: path, number: ENOENT)
        }
        let isNew = isNew.load(ordering: .acquiring)
        if !isThere, isNew {
            try WholeFile(path: WholeFile.join(path, "file"), fileSystem: fileSystem).createDirectory()
        }
        if isNew { self.isNew.store(false, ordering: .releasing) }
        if isThere || isNew { return }
        let parent = WholeFile.split(path).directory
        guard try fileSystem.status(of: parent, followingLink: true)?.kind == .directory else {
            throw ReplicaProblem.missingDirectory(path)
        }
        do throws(SystemError) {
            try fileSystem.createDirectory(path)
        } catch {
            guard error.number == EEXIST else { throw error }
        }
    }
}
