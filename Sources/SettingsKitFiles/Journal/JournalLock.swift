import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lock that a process takes to write. It locks a file beside the journal that is never replaced or removed.
///
/// The file is empty. Only a user who can write the property list can open it, so that no other user can hinder writing: locking
/// a file requires only the permission to read it.
///
/// A lock on a file is not fair: a process that takes it again immediately excludes those that try from time to time. So a
/// process that has waited for a while touches the file. A process that has held the lock for long, and finds the file touched,
/// leaves the lock free for a moment.
struct JournalLock: Sendable {
    let path: String
    /// The path of the property list.
    let target: String
    private let journalPath: String
    /// Whether this process has the lock.
    private(set) var isHeld = false
    private var file: FileHandle?
    private var status: FileStatus?
    /// The property list's permissions, which determine the file's.
    private var list: FilePermissions?
    /// The first tick of the clock, of some milliseconds, after the lock was taken.
    private var tick = Deadline(after: .zero)
    /// The time of the last touch that this process has seen.
    private var mark: FileStatus.Timestamp?
    /// The time until which this process, after holding the lock for long, leaves it to others.
    private var contestedUntil = Deadline(after: .zero)
    /// The time at which this process may take the lock again.
    private var turn = Deadline(after: .zero)
    /// The time at which the lock is waited for again, after another process has held it too long.
    private var busyUntil = Deadline(after: .zero)

    /// The time for which a process leaves the lock free.
    private let courtesy: Duration

    init(beside target: String, courtesy: Duration = PropertyListTimings.lockCourtesy) {
        self.courtesy = courtesy
        self.target = target
        path = FilesBeside.lock(target)
        journalPath = FilesBeside.journal(target)
    }

    // MARK: Taking the lock

    /// Takes the lock, unless this process has it, and ensures that its file is still the one at its path.
    ///
    /// - Parameter list: The permissions of the property list. Nil if there is none.
    /// - Returns: false if another process has the lock.
    /// - Throws: ``JournalProblem`` if the file at the path must not be used; the system's errors.
    mutating func acquire(beside list: FilePermissions?, in fileSystem: any FileSystem) throws -> Bool {
        while true {
            let isNew = try open(beside: list, in: fileSystem)
            if !isHeld, try !acquireOpen(in: fileSystem) { return false }
            do {
                if let status, try status.isSameFile(as: fileSystem.status(of: path, followingLink: false)) {
                    // Another program may have removed the file, while other processes briefly hold the lock of the removed one.
                    if isNew { Journal.waitForTrust() }
                    busyUntil = Deadline(after: .zero)
                    return true
                }
            } catch {
                unlock(in: fileSystem)
                throw error
            }
            close(in: fileSystem)
        }
    }

    /// Takes the lock of the open file, if it is free. Examines nothing.
    mutating func acquireOpen(in fileSystem: any FileSystem) throws(SystemError) -> Bool {
        guard let file, turn.hasPassed, try fileSystem.lock(file) else { return false }
        isHeld = true
        tick = Deadline(after: .nanoseconds(1))
        return true
    }

    mutating func unlock(in fileSystem: any FileSystem) {
        guard isHeld, let file else { return }
        isHeld = false
        let isLong = tick.hasPassed
        fileSystem.unlock(file)
        if isLong { yield(in: fileSystem) }
    }

    mutating func close(in fileSystem: any FileSystem) {
        unlock(in: fileSystem)
        if let file { fileSystem.close(file) }
        (file, status, list, mark) = (nil, nil, nil, nil)
    }

    /// Leaves the lock free for a moment, if another process waits for it.
    private mutating func yield(in fileSystem: any FileSystem) {
        guard let file else { return }
        do throws(SystemError) {
            let mark = try fileSystem.status(of: file).modified
            if mark != self.mark { contestedUntil = Deadline(after: PropertyListTimings.lockMarkTime) }
            self.mark = mark
        } catch {
            // It is unknown whether others wait.
        }
        if !contestedUntil.hasPassed { turn = Deadline(after: courtesy) }
    }

    // MARK: Waiting

    /// Whether another process has held the lock too long a moment ago.
    var hasBeenBusy: Bool { !busyUntil.hasPassed }

    /// Records that another process has held the lock too long.
    mutating func setBusy() { busyUntil = Deadline(after: PropertyListTimings.busyTime) }

    // MARK: The file

    /// Opens the file, or creates it, unless it is open.
    ///
    /// - Returns: whether it was created although there is a journal.
    private mutating func open(beside list: FilePermissions?, in fileSystem: any FileSystem) throws -> Bool {
        if file != nil {
            if list != self.list { try adjust(beside: list, in: fileSystem) }
            return false
        }
        let isNew: Bool
        do throws(SystemError) {
            (file, isNew) = try fileSystem.openOrCreate(path)
        } catch {
            switch error.number {
            case ELOOP: throw JournalProblem.ofLockFile(.symbolicLink)
            case ENXIO, EISDIR: throw JournalProblem.ofLockFile(.notAFile)
            default: throw error
            }
        }
        try adjust(beside: list, in: fileSystem)
        return try isNew && fileSystem.status(of: journalPath, followingLink: false) != nil
    }

    /// Examines the open file, and gives it the permissions required by the property list. Closes it if it must not be used.
    private mutating func adjust(beside list: FilePermissions?, in fileSystem: any FileSystem) throws {
        guard let file else { return }
        do {
            var status = try fileSystem.status(of: file)
            let owner = status.permissions.owner
            let isOwn = owner == fileSystem.user || fileSystem.user == 0 && owner == list?.owner
            // Another name of the file may have any purpose.
            if let list, isOwn, status.linkCount == 1, status.kind == .file,
                status.permissions != Self.permissions(beside: list)
            {
                try fileSystem.setPermissions(of: file, like: Self.permissions(beside: list), inDirectoryOf: path)
                status = try fileSystem.status(of: file)
            } else if list == nil, isOwn {
                try fileSystem.setPermissions(of: file, like: nil, inDirectoryOf: path)
            }
            let protection = JournalProtection(list: list.map(Self.permissions), user: fileSystem.user)
            let problem = try protection.problem(withLock: status) { [path] () throws(SystemError) in
                try fileSystem.status(of: WholeFile.split(path).directory, followingLink: true)?.permissions
            }
            if let problem { throw JournalProblem.ofLockFile(problem) }
            (self.status, self.list) = (status, list)
            if mark == nil { mark = status.modified }
        } catch {
            close(in: fileSystem)
            throw error
        }
    }

    /// The users who can write the property list can lock the file, and no others. Its owner must be able to.
    private static func permissions(beside list: FilePermissions) -> FilePermissions {
        let writers = list.mode & 0o222 | 0o200
        return FilePermissions(owner: list.owner, group: list.group, mode: writers | writers << 1)
    }
}
