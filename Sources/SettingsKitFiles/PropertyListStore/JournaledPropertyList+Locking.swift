import SettingsKitCore
import SettingsKitPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Locks the journal, which a process does only to write.
extension JournaledPropertyList {
    /// Runs `body` while no other thread and no other process changes the files.
    ///
    /// Changes that are pending are written first.
    ///
    /// - Throws: `busy` if another process keeps the lock; what the system reports.
    func withLockedJournal<R: Sendable>(
        waiting: @autoclosure () -> Duration, isFolding: Bool = false,
        _ body: (inout sending PropertyListFiles) throws -> R
    ) throws -> R {
        try whileLocked(waiting: waiting()) {
            try withFiles(isFolding: isFolding) { files in
                try lockJournal(&files)
                defer { files.cursor.journal?.unlock() }
                if files.hasPending { try writePending(&files) }
                return try body(&files)
            }
        }
    }

    /// Repeats an attempt while another process keeps the journal locked. Between two attempts, this process keeps nothing
    /// locked.
    ///
    /// - Parameter patience: The longest wait without a change. While the journal grows, other processes make progress, and the
    ///   wait continues. Not asked for if the first attempt succeeds.
    /// - Throws: `busy` if another process keeps the lock for so long. The next caller does not wait, for a while: operations
    ///   that follow each other fail together. What the attempt throws.
    func whileLocked<R>(waiting patience: @autoclosure () -> Duration, _ attempt: () throws -> R) throws -> R {
        do {
            return try attempt()
        } catch SettingsError.Code.busy {}
        let longest = patience()
        var (pause, size) = (LockPause(), journalSize)
        var deadline = Deadline(after: files.withLock { $0.cursor.patience(longest) })
        while true {
            if ExitHook.isOutOfPatience { throw busy }
            if deadline.hasPassed {
                let newSize = journalSize
                if newSize == size {
                    if longest >= PendingValues.longestWait { files.withLock { $0.cursor.noteBusy() } }
                    throw busy
                }
                size = newSize
                deadline = Deadline(after: longest)
            }
            pause.next()
            do {
                return try attempt()
            } catch SettingsError.Code.busy {}
        }
    }

    private var busy: SettingsError { SettingsError(.busy, store: description, underlying: JournalProblem.locked) }

    private var journalSize: UInt64? {
        files.withLock { files in
            do throws(SystemError) {
                return try files.cursor.journal?.size()
            } catch {
                // The next attempt says why.
                return nil
            }
        }
    }

    /// Locks the journal, creating it if there is none, and applies what other processes have appended to it.
    ///
    /// The cursor's journal is the locked one afterwards, also if it was replaced: unlocking or closing it ends the lock.
    ///
    /// - Throws: `busy`, at once, if another process has the lock. `journalUnavailable` if the file at the journal's path must
    ///   not be used.
    func lockJournal(_ files: inout PropertyListFiles) throws {
        if try files.cursor.lockUnchanged() { return }
        files.isWriting = true
        try lockPresentJournal(&files)
        files.cursor.trust(for: trust)
    }

    private func lockPresentJournal(_ files: inout PropertyListFiles) throws {
        files.cursor.leaveAfterFork()
        while true {
            let journal = try writableJournal(&files)
            guard try journal.tryLock() else { throw busy }
            do {
                guard let status = try fileSystem.status(of: files.journalPath, followingLink: false),
                    journal.has(status)
                else {
                    // It was replaced. Its last records are read from the file, which is still open.
                    _ = try readRest(&files, upTo: Int64(journal.size()), isLocked: false)
                    journal.unlock()
                    files.cursor.leave()
                    continue
                }
                journal.condition.isShared = status.linkCount > 1
                if journal.header == nil {
                    let isBegun = try hasHeader(journal)
                    if isBegun || journal.condition.isShared {
                        // Another process was quicker; or the empty file stays under its other name, and a new one is
                        // created.
                        if !isBegun { try fileSystem.remove(files.journalPath) }
                        journal.unlock()
                        files.cursor.leave()
                        continue
                    }
                    try begin(journal, &files)
                    return
                }
                if status.size != Int64(journal.position) {
                    _ = try readRest(&files, upTo: status.size, isLocked: true)
                }
                guard journal.condition.isSuperseded || journal.condition.isShared else { return }
                try replaceSupersededJournal(&files)
                return
            } catch {
                files.cursor.journal?.unlock()
                throw error
            }
        }
    }

    /// Returns the open journal, the one at its path, or a new one, open for writing.
    private func writableJournal(_ files: inout PropertyListFiles) throws -> Journal {
        let list = { [fileSystem, target = files.target] () throws(SystemError) in
            try fileSystem.status(of: target, followingLink: true)?.permissions
        }
        do {
            if let journal = files.cursor.journal, !journal.isWritable, try !journal.openForWriting(beside: list()) {
                // It was replaced. Its last records are read from the file, which is still open.
                try catchUp(&files)
                if files.cursor.journal?.isWritable == false { files.cursor.leave(isEarly: true) }
            }
            if files.cursor.journal == nil,
                let present = try Journal.open(
                    files.journalPath, forWriting: true, in: fileSystem, beside: list())
            {
                files.cursor.note(nil)
                try enter(present, &files)
            }
            if let journal = files.cursor.journal {
                guard journal.isWritable else {
                    throw SystemError(call: "open", path: files.journalPath, number: EACCES)
                }
                return journal
            }
            try files.file.createDirectory()
            // Two processes may do this at once. Both then have the same empty file, and the first to lock it begins it.
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
