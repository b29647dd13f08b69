import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes to the journal: takes the lock that other processes also take, appends records completely or not at all, and begins and
/// replaces journals.
///
/// The journal's byte order is the order of all changes of all processes. So the records of other processes are applied before one
/// is appended; the writer's ``follower`` does that. One thread at a time uses the writer: ``PropertyListFiles`` guards it.
struct JournalWriter {
    private let setup: PropertyListSetup
    private let contents: PublishedContents
    private let end: JournalEnd
    private let trust: Duration
    var lock: JournalLock
    var follower: PropertyListFollower

    init(_ follower: PropertyListFollower, _ contents: PublishedContents, end: JournalEnd, _ setup: PropertyListSetup) {
        (self.setup, self.contents, self.end, self.follower) = (setup, contents, end, follower)
        trust = setup.trust ?? (setup.isWatching ? PropertyListTimings.trust : .zero)
        lock = JournalLock(beside: follower.target)
    }

    private var fileSystem: any FileSystem { setup.fileSystem }

    /// Closes the files for good.
    mutating func close() {
        follower.cursor.journal?.close()
        lock.close(in: fileSystem)
    }

    // MARK: Locking

    /// Takes the lock, creates the journal if there is none, and applies the records of other processes.
    ///
    /// The follower's journal is the one at its path afterwards.
    ///
    /// - Throws: `busy`, immediately, if another process has the lock. `journalUnavailable` if the journal or its lock file must
    ///   not be used.
    mutating func acquire(in fileSystem: any FileSystem) throws {
        do {
            // The lock is kept if the journal has grown: the next steps need it.
            if try follower.cursor.isTrusted && lock.acquireOpen(in: fileSystem) && follower.cursor.isUnchanged() {
                return
            }
            follower.isWriting = true
            try acquireExamined()
        } catch {
            lock.unlock(in: fileSystem)
            throw error
        }
        follower.cursor.trust(for: trust)
    }

    private mutating func acquireExamined() throws {
        while true {
            try acquireLock()
            let journal = try writableJournal()
            // A symbolic link may now have another destination, with another lock.
            guard isLockBesideTarget else { continue }
            guard let status = try fileSystem.status(of: follower.journalPath, followingLink: false),
                journal.has(status)
            else {
                // The journal was replaced. Its last records are read from the file, which is still open.
                try follower.readRest(upTo: Int64(journal.size()), isLocked: false)
                follower.cursor.leave()
                continue
            }
            journal.condition.isShared = status.linkCount > 1
            if journal.header == nil {
                let isBegun = try journal.hasHeader()
                if isBegun || journal.condition.isShared {
                    // Another process was faster; or the empty file stays under its other name, and a new one is created.
                    if !isBegun { try fileSystem.remove(follower.journalPath) }
                    follower.cursor.leave()
                    continue
                }
                return try begin(journal)
            }
            if status.size != Int64(journal.position) { try follower.readRest(upTo: status.size, isLocked: true) }
            guard journal.condition.isSuperseded || journal.condition.isShared else { return }
            return try replaceSupersededJournal()
        }
    }

    private var isLockBesideTarget: Bool { lock.target.isIdentical(to: follower.target) }

    private mutating func acquireLock() throws {
        if !isLockBesideTarget {
            lock.close(in: fileSystem)
            lock = JournalLock(beside: follower.target)
        }
        let permissions = follower.list.permissions
        do {
            let isAcquired: Bool
            do {
                isAcquired = try lock.acquire(beside: permissions, in: fileSystem)
            } catch let error as SystemError where error.number == ENOENT {
                try follower.file.createDirectory()
                isAcquired = try lock.acquire(beside: permissions, in: fileSystem)
            }
            guard isAcquired else { throw setup.busy }
        } catch let problem as JournalProblem {
            throw SettingsError(.journalUnavailable, store: setup.description, underlying: problem)
        }
    }

    private func listPermissions() throws(SystemError) -> FilePermissions? {
        try fileSystem.status(of: follower.target, followingLink: true)?.permissions
    }

    /// Returns the open journal, the one at its path, or a new one, open for writing.
    private mutating func writableJournal() throws -> Journal {
        do {
            if let journal = follower.cursor.journal, !journal.isWritable,
                try !journal.openForWriting(beside: listPermissions())
            {
                // The journal was replaced. Its last records are read from the file, which is still open.
                try follower.catchUp()
                if follower.cursor.journal?.isWritable == false { follower.cursor.leave(isEarly: true) }
            }
            if follower.cursor.journal == nil, let present = try openJournal() {
                follower.cursor.setProblem(nil)
                try follower.enter(present)
            }
            if let journal = follower.cursor.journal {
                guard journal.isWritable else {
                    throw SystemError(call: "open", path: follower.journalPath, number: EACCES)
                }
                return journal
            }
            try follower.file.createDirectory()
            // A program that does not take the lock may do the same at this moment.
            let journal: Journal
            do {
                journal = try Journal.create(follower.journalPath, in: fileSystem, beside: listPermissions())
            } catch let error as SystemError where error.number == EEXIST {
                guard let present = try openJournal() else { throw error }
                journal = present
            }
            follower.cursor.openUnbegun(journal)
            return journal
        } catch let problem as JournalProblem where problem.isRefusal {
            throw SettingsError(.journalUnavailable, store: setup.description, underlying: problem)
        }
    }

    private func openJournal() throws -> Journal? {
        try Journal.open(follower.journalPath, forWriting: true, in: fileSystem, beside: listPermissions())
    }

    // MARK: Appending

    /// Appends a record of one change. The journal is locked.
    ///
    /// - Returns: the end of the record, in the history of journals.
    /// - Throws: as ``append(_:)`` does.
    mutating func append(_ data: Data?, named name: String) throws -> Int64 {
        let journal = try journalToAppend()
        try JournalFrame.withChange(name: name, data: data, at: journal.place) { try append($0, to: journal) }
        return journal.historyPosition
    }

    /// Appends a record. The journal is locked.
    ///
    /// - Returns: the end of the record, in the history of journals.
    /// - Throws: `tooLarge`; the system's errors. The journal is unchanged in that case.
    mutating func append(_ record: JournalRecord) throws -> Int64 {
        let journal = try journalToAppend()
        try JournalFrame.bytes(of: record, at: journal.place).withUnsafeBytes { try append($0, to: journal) }
        return journal.historyPosition
    }

    /// Returns the locked journal, after rewriting it with one record for each name if it has become long because it was not folded.
    private mutating func journalToAppend() throws -> Journal {
        if follower.cursor.isLong(limit: setup.limits.rewrite) {
            do {
                try replaceSupersededJournal()
            } catch {
                // If no file can be created, the journal continues to grow, up to its limit.
                follower.cursor.postponeRewriting(by: setup.limits.rewrite)
            }
        }
        guard let journal = follower.cursor.journal else { preconditionFailure("a locked journal is open") }
        return journal
    }

    private mutating func append(_ frame: UnsafeRawBufferPointer, to journal: Journal) throws {
        let limit = setup.limits.journal
        guard Int64(journal.position) + Int64(frame.count) <= limit else {
            throw SettingsError(.tooLarge, store: setup.description, underlying: TooMuch.journal(limit: limit))
        }
        end.publishIntended(journal.position + UInt64(frame.count))
        do {
            try journal.append(frame)
        } catch {
            end.publishIntended(journal.position)
            throw error
        }
        follower.cursor.didChange()
    }

    // MARK: The property list

    /// Adopts an edit with the lock, which it takes, or without if it cannot be written.
    mutating func adoptLocked() throws {
        do {
            try acquire(in: fileSystem)
        } catch let error as SystemError where error.isAboutWriting {
            return try follower.adopt()
        } catch SettingsError.Code.journalUnavailable {
            return try follower.adopt()
        }
        defer { lock.unlock(in: fileSystem) }
        try adopt()
    }

    /// Adopts an edit of the property list since this process last read or wrote it. The journal is locked.
    mutating func adopt() throws {
        guard try follower.file.status() != follower.list.status else { return }
        if let found = follower.examine(try follower.file.read(limit: PropertyListLimits.fileSize)) {
            append(found)
            follower.adopt(found)
        }
        if follower.cursor.journal?.condition.isSuperseded == true, follower.list.fault == nil {
            try replaceSupersededJournal()
        }
    }

    /// Appends the edit to the journal, so that other processes need not read the property list, and all apply the edit at the
    /// same place in the order of changes. If that fails, they read it themselves.
    private mutating func append(_ found: PropertyListFollower.FoundEdit) {
        guard let journal = follower.cursor.journal, journal.isPlain, !follower.list.isJournaled(found.version.status)
        else {
            return
        }
        // Other processes may lack an earlier edit, which was read here before the journal was locked.
        if follower.list.isUnjournaled { return }
        do {
            let members = found.edit.members.map { PropertyListMember(key: $0.key, value: $0.value.writable) }
            let document = try XMLPropertyListWriter.write(members)
            let fields = PropertyListLimits.recordFields
            let size = found.edit.removed.reduce(document.count) { $0 + $1.utf8.count + fields }
            guard Int64(size + fields * 2) <= Int64(setup.limits.journal) - Int64(journal.position) else { return }
            let edit = JournalEdit(removed: found.edit.removed, members: document)
            try journal.append(.adoption(file: found.version, edit))
            follower.list.setJournaled(as: found.version)
        } catch {
            // The other processes read the edit themselves.
        }
    }

    /// Appends that the property list is new, and the offset up to which it contains the journal. If that fails, other processes
    /// read the property list. The journal is locked.
    mutating func appendFold(through offset: UInt64, _ version: FileVersion) {
        guard let journal = follower.cursor.journal else { return }
        do {
            try journal.append(.fold(through: offset, file: version))
            follower.list.setJournaled(as: version)
        } catch {
            // The other processes read the property list.
        }
    }

    // MARK: Beginning and replacing journals

    /// Writes the header of an empty journal, and the changes that the property list lacks.
    private mutating func begin(_ journal: Journal) throws {
        try journal.cut()
        let history = journal.historyPosition
        let header = follower.cursor.nextHeader(
            after: follower.cursor.left?.header, mark: follower.list.mark, mustBeRead: false)
        let beginning = JournalBeginning(header, restore: nil, follower.list, contents, upTo: history)
        let (written, bytes) = beginning.encode()
        try journal.append(bytes)
        do throws(SystemError) {
            // The changes may have been flushed in the journal before.
            if beginning.repeatsChanges { _ = try fileSystem.flush(journal.file, .ordered) }
        } catch {
            // A second flush can succeed although this one has lost the bytes.
            journal.didRead(to: 0)
            try journal.cut()
            throw error
        }
        journal.follow(written, from: written.carriedEnd, at: history)
        follower.cursor.didBegin(journal)
        follower.list.didBeginJournal()
    }

    /// Writes the records of other processes again, so that this process can flush them. The journal is locked.
    ///
    /// If that is not possible, the property list must be written.
    mutating func writeJournalAgain() {
        guard let journal = follower.cursor.journal, journal.hasEarlierBytes else { return }
        do {
            if try journal.writeAgain() { return }
        } catch {
            // For example, bytes may only be appended to the file.
        }
        follower.list.requireRewrite()
    }

    /// Replaces a journal that must not be appended to. The property list stays.
    mutating func replaceSupersededJournal() throws {
        // A power failure must not undo the property list that the new journal continues.
        try follower.list.flush(follower.file, .ordered)
        let restore =
            try follower.list.replacement?.restore
            ?? contents.withLock { $0.freeze() }.restore(limits: setup.limits)
        guard let beginning = nextBeginning(restore: restore) else { return }
        let draft = try JournalDraft(beginning, beside: follower.target, in: fileSystem)
        var old: SettingsKitPlatform.FileHandle?
        defer { draft.end(replaced: old, in: fileSystem) }
        old = try replaceJournal(by: draft)
    }

    /// Returns the beginning of the journal that replaces the present one. Nil if there is none.
    ///
    /// - Parameter restore: The record that restores the property list. Nil for none.
    mutating func nextBeginning(restore: JournalRecord?) -> JournalBeginning? {
        guard let old = follower.cursor.journal, let oldHeader = old.header else { return nil }
        let header = follower.cursor.nextHeader(
            after: oldHeader, mark: follower.list.mark, mustBeRead: old.mustBeRead(with: follower.list))
        return JournalBeginning(header, restore: restore, follower.list, contents, upTo: old.historyPosition)
    }

    /// Replaces the journal, which was read to its end, by a draft. The lock is held.
    ///
    /// Other processes notice that their open journal no longer has a name, read it to its end, and open the new one.
    ///
    /// - Returns: The file of the old journal, which is still open; nil if the draft cannot replace the journal any more.
    mutating func replaceJournal(by draft: JournalDraft) throws -> SettingsKitPlatform.FileHandle? {
        guard let old = follower.cursor.journal, draft.beginning.continues(old, follower.list),
            try listPermissions() == draft.listPermissions
        else { return nil }
        let new = Journal(draft, at: old.historyPosition, in: fileSystem)
        guard try repeatChanges(after: draft.beginning.position, in: new) else { return nil }
        if let reason = old.condition.asideReason {
            try old.keepCopy(as: FilesBeside.journalAside(follower.target, reason), beside: listPermissions())
        }
        if old.condition.isShared { Journal.waitForTrust() } else { try old.append(.end) }
        try fileSystem.rename(new.path, to: follower.journalPath)
        // It is no longer a temporary file.
        fileSystem.unlock(new.file)
        new.path = follower.journalPath
        follower.cursor.didBegin(new)
        follower.list.didBeginJournal()
        return old.file
    }

    /// Repeats the changes after a position in the history of journals.
    ///
    /// - Returns: false if the journal would become too long.
    private func repeatChanges(after position: Int64, in journal: Journal) throws -> Bool {
        let records = JournalBeginning.records(repeating: contents, after: max(position, follower.list.folded))
        if records.isEmpty { return true }
        for record in records {
            let frame = JournalFrame.bytes(of: record, at: journal.place)
            guard Int64(journal.position) + Int64(frame.count) <= setup.limits.journal else { return false }
            try journal.append(frame)
        }
        try journal.setCarriedEnd()
        // The old journal may have been flushed.
        _ = try fileSystem.flush(journal.file, .ordered)
        return true
    }
}
