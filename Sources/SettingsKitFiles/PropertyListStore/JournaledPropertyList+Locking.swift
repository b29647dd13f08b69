import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Locks the journal, which is necessary only for writing.
extension JournaledPropertyList {
    /// Runs `body` while no other thread and no other process changes the files.
    ///
    /// Writes pending changes first.
    ///
    /// - Throws: `busy` if another process keeps the lock; the system's errors.
    func withLockedJournal<R: Sendable>(
        waiting: @autoclosure () -> Duration, isFolding: Bool = false,
        _ body: (inout sending PropertyListFiles) throws -> R
    ) throws -> R {
        try whileLocked(waiting: waiting()) {
            try withFiles(isFolding: isFolding) { files in
                try lockJournal(&files)
                defer { files.lock.unlock(in: fileSystem) }
                if files.hasPending { try writePending(&files) }
                return try body(&files)
            }
        }
    }

    /// Repeats an attempt while another process has the lock. Between two attempts, this process holds no lock.
    ///
    /// - Parameter patience: The longest wait. Not evaluated if the first attempt succeeds.
    /// - Throws: `busy` if other processes hold the lock for the whole time; the attempt's errors. After `busy`, the next caller
    ///   does not wait for a while: successive operations fail together.
    func whileLocked<R>(waiting patience: @autoclosure () -> Duration, _ attempt: () throws -> R) throws -> R {
        do {
            return try attempt()
        } catch SettingsError.Code.busy {}
        let longest = patience()
        // The exit waits once more: no attempt follows it.
        let wait = ExitHook.isExiting ? longest : files.withLock { $0.cursor.patience(longest) }
        let deadline = Deadline(after: wait)
        var (pause, mark) = (LockPause(), Deadline(after: PropertyListTimings.lockMarkInterval))
        while !ExitHook.isOutOfPatience, !deadline.hasPassed {
            pause.next()
            do {
                return try attempt()
            } catch SettingsError.Code.busy {}
            if mark.hasPassed {
                Self.touch(files.withLock { $0.lock.path }, in: fileSystem)
                mark = Deadline(after: PropertyListTimings.lockMarkInterval)
            }
        }
        if wait >= PlatformTimings.longestWaitOfSet { files.withLock { $0.cursor.setBusy() } }
        throw busy
    }

    private var busy: SettingsError { SettingsError(.busy, store: description, underlying: JournalProblem.locked) }

    /// Takes the lock, creates the journal if there is none, and applies the records of other processes.
    ///
    /// The cursor's journal is the one at its path afterwards.
    ///
    /// - Throws: `busy`, immediately, if another process has the lock. `journalUnavailable` if the journal or its lock file must
    ///   not be used.
    func lockJournal(_ files: inout PropertyListFiles) throws {
        do {
            // The lock is kept if the journal has grown: the next steps need it.
            if try files.cursor.isTrusted && files.lock.acquireOpen(in: fileSystem) && files.cursor.isUnchanged() {
                return
            }
            files.isWriting = true
            try enterLocked(&files)
        } catch {
            files.lock.unlock(in: fileSystem)
            throw error
        }
        files.cursor.trust(for: trust)
    }

    private func acquireLock(_ files: inout PropertyListFiles) throws {
        let list = files.list.permissions
        do {
            let isAcquired: Bool
            do {
                isAcquired = try files.lock.acquire(beside: list, in: fileSystem)
            } catch let error as SystemError where error.number == ENOENT {
                try files.file.createDirectory()
                isAcquired = try files.lock.acquire(beside: list, in: fileSystem)
            }
            guard isAcquired else { throw busy }
        } catch let problem as JournalProblem {
            throw SettingsError(.journalUnavailable, store: description, underlying: problem)
        }
    }

    private func enterLocked(_ files: inout PropertyListFiles) throws {
        files.cursor.leaveAfterFork()
        while true {
            try acquireLock(&files)
            let journal = try writableJournal(&files)
            // A symbolic link may now have another destination, with another lock.
            guard files.lock.isHeld else { continue }
            guard let status = try fileSystem.status(of: files.journalPath, followingLink: false), journal.has(status)
            else {
                // The journal was replaced. Its last records are read from the file, which is still open.
                _ = try readRest(&files, upTo: Int64(journal.size()), isLocked: false)
                files.cursor.leave()
                continue
            }
            journal.condition.isShared = status.linkCount > 1
            if journal.header == nil {
                let isBegun = try hasHeader(journal)
                if isBegun || journal.condition.isShared {
                    // Another process was faster; or the empty file stays under its other name, and a new one is created.
                    if !isBegun { try fileSystem.remove(files.journalPath) }
                    files.cursor.leave()
                    continue
                }
                return try begin(journal, &files)
            }
            if status.size != Int64(journal.position) {
                _ = try readRest(&files, upTo: status.size, isLocked: true)
            }
            guard journal.condition.isSuperseded || journal.condition.isShared else { return }
            return try replaceSupersededJournal(&files)
        }
    }

    /// Returns the open journal, the one at its path, or a new one, open for writing.
    private func writableJournal(_ files: inout PropertyListFiles) throws -> Journal {
        let list = { [fileSystem, target = files.target] () throws(SystemError) in
            try fileSystem.status(of: target, followingLink: true)?.permissions
        }
        do {
            if let journal = files.cursor.journal, !journal.isWritable, try !journal.openForWriting(beside: list()) {
                // The journal was replaced. Its last records are read from the file, which is still open.
                try catchUp(&files)
                if files.cursor.journal?.isWritable == false { files.cursor.leave(isEarly: true) }
            }
            if files.cursor.journal == nil,
                let present = try Journal.open(
                    files.journalPath, forWriting: true, in: fileSystem, beside: list())
            {
                files.cursor.setProblem(nil)
                try enter(present, &files)
            }
            if let journal = files.cursor.journal {
                guard journal.isWritable else {
                    throw SystemError(call: "open", path: files.journalPath, number: EACCES)
                }
                return journal
            }
            try files.file.createDirectory()
            // A program that does not take the lock may do the same at this moment.
            let journal: Journal
            do {
                journal = try Journal.create(files.journalPath, in: fileSystem, beside: list())
            } catch let error as SystemError where error.number == EEXIST {
                guard
                    let present = try Journal.open(
                        files.journalPath, forWriting: true, in: fileSystem, beside: list())
                else { throw error }
                journal = present
            }
            files.cursor.openUnbegun(journal)
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
