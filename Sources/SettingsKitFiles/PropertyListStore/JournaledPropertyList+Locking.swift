import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Locking the journal, which a process does only to write.
extension JournaledPropertyList {
    /// Runs `body` with the files to itself, before all other processes.
    ///
    /// - Throws: `busy` if another process keeps the lock; whatever the system reports.
    func withLockedJournal<R: Sendable>(
        waiting: Duration? = nil, _ body: (inout Access) throws -> R
    ) throws -> R {
        try withAccess { access in
            try lockJournal(&access, waiting: waiting ?? patience)
            defer { access.journal?.unlock() }
            return try body(&access)
        }
    }

    /// Locks the present journal, making one if there is none, and applies what others have appended to it.
    ///
    /// Whatever `access.journal` is afterwards: unlocking or closing it ends the lock.
    ///
    /// - Throws: `busy` if another process keeps the lock for so long. The next caller does not wait, for a while: threads
    ///   that write at the same time fail together, not one after the other. `journalUnavailable` if what is at the
    ///   journal's path must not be used.
    func lockJournal(_ access: inout Access, waiting: Duration) throws {
        if try lockUnchangedJournal(access) { return }
        access.isWriting = true
        do {
            try lockPresentJournal(&access, waiting: access.busyUntil.hasPassed ? waiting : .zero)
        } catch SettingsError.Code.busy {
            if waiting >= patience { access.busyUntil = Deadline(after: .seconds(1)) }
            throw SettingsError(.busy, store: description, underlying: JournalProblem.locked)
        }
        access.busyUntil = Deadline(after: .zero)
        access.trustedUntil = Deadline(after: trust)
    }

    /// Locks the journal if that takes nothing more: it is free, and has not grown since the last time.
    private func lockUnchangedJournal(_ access: borrowing Access) throws -> Bool {
        guard let journal = access.journal, journal.isPlain, access.forkCount == Fork.count,
            let trustedUntil = access.trustedUntil, !trustedUntil.hasPassed, try journal.tryLock()
        else { return false }
        do throws(SystemError) {
            if try journal.size() == journal.position { return true }
        } catch {
            journal.unlock()
            throw error
        }
        journal.unlock()
        return false
    }

    private func lockPresentJournal(_ access: inout Access, waiting: Duration) throws {
        reopenAfterFork(&access)
        while true {
            let journal = try writableJournal(&access)
            guard try journal.lock(waiting: waiting) else {
                throw SettingsError(.busy)
            }
            do {
                let status = try journal.status()
                let present = try fileSystem.status(of: access.journalPath, followingLink: false)
                if !status.isSameFile(as: present) {
                    // Nothing is appended to it any more. What was appended before is read from the file that is still open.
                    _ = try readRest(&access, upTo: status.size, isLocked: false)
                    journal.unlock()
                    leaveJournal(&access)
                    continue
                }
                if journal.header == nil {
                    if try hasHeader(journal) {
                        // Another process was quicker.
                        journal.unlock()
                        leaveJournal(&access)
                        continue
                    }
                    try begin(journal, &access)
                    return
                }
                if status.size != Int64(journal.position) {
                    _ = try readRest(&access, upTo: status.size, isLocked: true)
                }
                guard journal.condition.isSuperseded else { return }
                try replaceSupersededJournal(&access)
                return
            } catch {
                access.journal?.unlock()
                throw error
            }
        }
    }

    /// The open journal, or the one at the path, or a new one; open for writing.
    private func writableJournal(_ access: inout Access) throws -> Journal {
        let list = { [fileSystem, target = access.target] () throws(SystemError) in
            try fileSystem.status(of: target, followingLink: true)?.permissions
        }
        do {
            if let journal = access.journal, !journal.isWritable, try !journal.openForWriting(beside: list()) {
                // Another has taken its place. What it got before that is read from the file that is still open.
                try catchUp(&access)
                if access.journal?.isWritable == false { leaveJournal(&access, isEarly: true) }
            }
            if access.journal == nil,
                let present = try Journal.open(
                    access.journalPath, forWriting: true, in: fileSystem, beside: list())
            {
                access.journalProblem = nil
                try enter(present, &access)
            }
            if let journal = access.journal {
                guard journal.isWritable else {
                    throw SystemError(call: "open", path: access.journalPath, number: EACCES)
                }
                return journal
            }
            try access.file.createDirectory()
            // Two processes may get here together; both then have the same empty file, and the first to lock it begins it.
            let journal: Journal
            do {
                journal = try Journal.create(access.journalPath, in: fileSystem, beside: list())
            } catch let error as SystemError where error.number == EEXIST {
                guard
                    let present = try Journal.open(
                        access.journalPath, forWriting: true, in: fileSystem, beside: list())
                else { throw error }
                journal = present
            }
            journal.base = access.history
            access.journal = journal
            return journal
        } catch let problem as JournalProblem where problem.isRefusal {
            throw SettingsError(.journalUnavailable, store: description, underlying: problem)
        }
    }

    func hasHeader(_ journal: Journal) throws -> Bool {
        let bytes = try journal.bytes(from: 0, upTo: Int64(JournalHeader.size))
        if case .absent = bytes.withUnsafeBytes(JournalHeader.read) { return false }
        return true
    }
}
