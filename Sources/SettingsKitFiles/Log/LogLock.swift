import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lock that a process takes to write to a log.
///
/// It locks an empty file beside the log, which is never replaced. Users who may write the property list can open it, and no others:
/// locking a file requires only the permission to read it.
struct LogLock: Sendable {
    private let path: String
    private var file: FileHandle?
    /// Whether this process has the lock.
    private var isHeld = false

    /// The path of the file whose permissions a new lock file gets.
    private let model: String?

    init(path: String, like model: String? = nil) { (self.path, self.model) = (path, model) }

    /// Takes the lock, without waiting, and ensures that its file is still the one at its path.
    ///
    /// - Parameter isTrusted: Whether an open file is the one at the path, without a look.
    /// - Returns: False if another process or thread has the lock.
    /// - Throws: ``LogProblem`` if the file must not be used; the system's errors.
    mutating func acquire(isTrusted: Bool = false, in fileSystem: any FileSystem) throws -> Bool {
        precondition(!isHeld, "A lock is taken once.")
        while true {
            let isOpen = self.file != nil
            let file = try self.file ?? open(in: fileSystem)
            guard try fileSystem.lock(file) else { return false }
            if isTrusted, isOpen {
                isHeld = true
                return true
            }
            do {
                if let present = try fileSystem.status(of: path, followingLink: false),
                    try fileSystem.status(of: file).isSameFile(as: present)
                {
                    isHeld = true
                    return true
                }
            } catch {
                fileSystem.unlock(file)
                throw error
            }
            // Another program has removed the file.
            close(in: fileSystem)
        }
    }

    mutating func release(in fileSystem: any FileSystem) {
        guard isHeld, let file else { return }
        isHeld = false
        fileSystem.unlock(file)
    }

    mutating func close(in fileSystem: any FileSystem) {
        release(in: fileSystem)
        if let file { fileSystem.close(file) }
        file = nil
    }

    private mutating func open(in fileSystem: any FileSystem) throws -> FileHandle {
        let (file, isNew) = try LogFile.refusingLinks { () throws(SystemError) in try fileSystem.openOrCreate(path) }
        do {
            let list = try model.flatMap { try fileSystem.status(of: $0, followingLink: true)?.permissions }
            let permissions = list?.ofLock
            let present = try fileSystem.status(of: file).permissions
            let isOwn = present.owner == fileSystem.user || fileSystem.user == 0 && present.owner == list?.owner
            if isNew || permissions != nil && isOwn && present != permissions {
                try fileSystem.setPermissions(of: file, like: permissions, inDirectoryOf: path)
            }
            try LogFile.requireOwn(file, like: model, in: fileSystem)
        } catch {
            fileSystem.close(file)
            throw error
        }
        self.file = file
        return file
    }
}

extension FilePermissions {
    /// The permissions of the lock file of a property list with these permissions. Its owner must be able to lock it.
    fileprivate var ofLock: FilePermissions {
        let writers = mode & 0o222 | 0o200
        return FilePermissions(owner: owner, group: group, mode: writers | writers << 1)
    }
}
