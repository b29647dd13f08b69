import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run that brings a property list up to date with its journal.
///
/// The plan is a picture of memory, and its place in the journal. The journal is locked while the plan is made, and while the
/// new file replaces the old one. Afterwards a record in the journal announces the new file, and the file's mark, a comment,
/// shows how much of the journal the file contains, in case the process dies before it writes the record. The old file is kept,
/// so that the property list can be restored from it.
///
/// Once a power failure cannot undo the new file without undoing what follows, a new journal replaces the old one, with the
/// records appended since the picture. It begins with the difference between the old file and the new one.
struct Folding: FilePublication {
    let owner: JournaledPropertyList
    /// How long to wait for the lock.
    let waiting: Duration
    /// Whether a power failure may undo the run, as long as it leaves the files in an earlier state. The run then skips a file
    /// that another program may be writing.
    let isInBackground: Bool

    var store: String { owner.description }
    var flush: Flush { isInBackground ? .ordered : .durable }

    struct Plan: Sendable {
        let picture: PropertyListPicture
        let journal: JournalHeader
        /// The end of the picture in the journal.
        let offset: UInt64
        /// The end of the picture in the history of journals.
        let position: Int64
        /// The property list to replace.
        let replaced: FileStatus?
        /// The replaced file's contents. Nil if they are unknown or damaged.
        let replacedDigest: FileDigest?
        /// The position in the history of journals up to which the replaced file contains every change.
        let folded: Int64

        var mark: JournalMark? { journal.id == 0 ? nil : JournalMark(journal, offset: offset) }
    }

    func plan(isRetry: Bool) throws -> Plan? {
        // Checked without the journal first: there may be none, and no permission to create one.
        guard owner.files.withLock({ isNeeded($0) }) else { return nil }
        return try owner.withLockedJournal(waiting: waiting, isFolding: true) { files in
            try owner.adopt(&files)
            // The file may have been intact when the run began.
            if isInBackground, files.list.suspicion != nil { return nil }
            // The new file contains the intact part of a damaged one.
            owner.confirmDamage(&files, atOnce: true)
            guard isNeeded(files), let journal = files.cursor.journal, let header = journal.header else { return nil }
            let picture = owner.contents.withLock { $0.freeze() }
            return Plan(
                picture: picture, journal: header, offset: journal.position, position: journal.historyPosition,
                replaced: files.list.status, replacedDigest: files.list.fault == nil ? files.list.digest : nil,
                folded: files.list.folded)
        }
    }

    /// Whether the property list lacks a change, was removed, or must be written again.
    private func isNeeded(_ files: borrowing PropertyListFiles) -> Bool {
        let (folded, mustRewrite, isMissing) = (
            files.list.folded, files.list.mustRewrite, files.list.status == nil
        )
        return owner.contents.withLock { contents in
            contents.lastPosition > folded || mustRewrite || isMissing && !contents.isEmpty
        }
    }

    // MARK: The new file

    func contents(of plan: Plan) throws -> [WholeFile.NewContents] {
        let bytes = try XMLPropertyListWriter.write(plan.picture.members(), comment: plan.mark?.comment)
        let limit = PropertyListLimits.fileSize
        guard bytes.count <= limit else {
            throw SettingsError(.tooLarge, store: owner.description, underlying: TooMuch.propertyList(limit: limit))
        }
        let (file, permissions) = owner.files.withLock { ($0.file, $0.list.permissions) }
        return [.init(of: file, bytes, permissions: permissions)]
    }

    /// Replaces the property list, unless it was edited, or brought up to date by another process.
    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool {
        guard let new = prepared.first else { return false }
        return try owner.withLockedJournal(waiting: waiting, isFolding: true) { files in
            try owner.adopt(&files)
            guard files.cursor.journal?.header == plan.journal, files.list.status == plan.replaced else { return false }
            let replaced: WholeFile.Replaced =
                if let fault = files.list.fault {
                    .keptAside(FilesBeside.asideName(files.target, fault))
                } else {
                    .renamed(FilesBeside.previousName(files.target))
                }
            let put = try files.file.put(new, replaced: replaced)
            // Processes that have not read an edit in the replaced file must read the new file.
            let mustBeRead = files.list.isUnjournaled
            let version = FileVersion(status: put.status, bytes: new.bytes)
            files.list.didReplace(with: version, mark: plan.mark, through: plan.position)
            files.isEdited = false
            if !mustBeRead { journalFold(through: plan.offset, version, &files) }
            files.list.setReplacement(.init(restore: try restore(after: plan, isOldKept: put.isOldKept)))
            owner.contents.withLock { $0.measure(new.bytes.count) }
            return true
        }
    }

    /// Appends to the journal that the property list is new, and the position that it contains. If that fails, other processes
    /// read the property list.
    private func journalFold(through offset: UInt64, _ version: FileVersion, _ files: inout PropertyListFiles) {
        guard let journal = files.cursor.journal else { return }
        do {
            try journal.append(.fold(through: offset, file: version))
            files.list.setJournaled(as: version)
        } catch {
            // The other processes read the property list.
        }
    }

    /// Returns the record that creates the new property list from the old one, or from nothing without an intact old one. Nil if
    /// the old one could not be kept.
    private func restore(after plan: Plan, isOldKept: Bool) throws -> JournalRecord? {
        guard plan.replacedDigest != nil else { return try owner.restore(of: plan.picture) }
        guard isOldKept else { return nil }
        return try owner.restore(plan.picture.edit(since: plan.folded), base: plan.replacedDigest)
    }

    /// Returns when the property list survives a power failure, even if another process has replaced it.
    func synchronize() throws {
        let (file, status) = owner.files.withLock { ($0.file, $0.list.has(flush) ? nil : $0.list.status) }
        guard let status else { return }
        let reached: Flush
        do throws(SystemError) {
            reached = try file.flushDirectory(flush)
        } catch {
            // A second flush can succeed although the first one has lost data. A new file is a new attempt.
            owner.files.withLock { $0.list.requireRewrite() }
            throw error
        }
        owner.files.withLock { $0.list.didFlush(status, reached) }
    }

    // MARK: The new journal

    func finish() {
        replaceJournal()
        settle()
        cleanUp()
    }

    /// Replaces the journal whose first part the property list contains.
    private func replaceJournal() {
        // Checked without the lock first: there is nothing to do if this process has not replaced the property list.
        guard owner.files.withLock({ isReplaceable($0) }) else { return }
        do {
            try owner.withLockedJournal(waiting: waiting, isFolding: true) { files in
                // Another process may have folded it in the meantime, into a file that may not survive a power failure yet.
                guard isReplaceable(files), let replacement = files.list.replacement else { return }
                try owner.replaceJournal(&files, restore: replacement.restore)
            }
        } catch {
            // A longer journal loses nothing, and is replaced the next time.
        }
    }

    private func isReplaceable(_ files: borrowing PropertyListFiles) -> Bool {
        files.cursor.journal?.header != nil && files.list.has(.ordered) && files.list.replacement != nil
    }

    // MARK: Afterwards

    /// Moves folded changes in memory to the settled ones, a few at a time, so that reading does not wait.
    private func settle() {
        let folded = owner.files.withLock { $0.list.folded }
        var names = owner.contents.withLock { contents in
            _ = contents.freeze()
            return contents.frozen
        }.map(\.key)[...]
        while !names.isEmpty {
            let some = names.prefix(256)
            owner.contents.withLock { $0.settle(some, through: folded) }
            names = names.dropFirst(256)
        }
    }

    /// Removes temporary files of dead processes, once, after the store's first write.
    private func cleanUp() {
        let file: WholeFile? = owner.files.withLock { files in
            guard !files.hasCleanedUp, files.list.has(.ordered) else { return nil }
            files.hasCleanedUp = true
            return files.file
        }
        guard let file else { return }
        do throws(SystemError) {
            try file.removeTemporaries(.unlocked)
        } catch {
            // Temporary files are harmless, and the next process tries again.
        }
    }
}

extension JournaledPropertyList {
    /// Folds if that is due, unless another program is writing the property list.
    func foldInBackground() throws {
        guard let state = foldingState else { return }
        if let wait = pace.withLock({ $0.wait(for: state, now: .now) }) { return scheduleFold(after: wait) }
        let start = (ContinuousClock.now, ProcessorTime.ofThread)
        // A failed run is repeated after a separate pause.
        try foldNow()
        let (now, processor) = (ContinuousClock.now, ProcessorTime.ofThread)
        pace.withLock { $0.didFold(at: now, elapsed: now - start.0, processor: processor - start.1) }
        if files.withLock({ $0.list.suspicion }) != nil { scheduleFold(after: PropertyListTimings.othersDelay) }
    }

    /// Folds, unless another program is writing the property list.
    func foldNow() throws {
        guard files.withLock({ $0.isWriting }) else { return }
        try writePending(waiting: patience)
        try refresh(waiting: patience)
        if files.withLock({ $0.list.suspicion }) == nil { try fold(waiting: patience, isInBackground: true) }
    }

    /// The state that determines when to fold. Nil if there is nothing to fold, or this process only reads.
    private var foldingState: FoldingPace.State? {
        files.withLock { files in
            guard files.isWriting else { return nil }
            let (folded, isMissing) = (files.list.folded, files.list.status == nil)
            let (position, isMissed) = contents.withLock { ($0.lastPosition, isMissing && !$0.isEmpty) }
            let isRequired = files.list.mustRewrite || isMissed
            guard isRequired || position > folded else { return nil }
            return FoldingPace.State(
                position: position, folded: folded, fileSize: files.list.status?.size ?? 0, isRequired: isRequired,
                isEdited: files.isEdited, isOthers: files.ownPosition < position)
        }
    }

    /// Reads the changes of other processes, brings the property list up to date, and returns when it survives a power failure.
    ///
    /// - Parameter isReadOnly: Whether to write nothing.
    func synchronize(isReadOnly: Bool = false) throws {
        do {
            try refresh(waiting: patience)
            withFiles { files in
                confirmDamage(&files, atOnce: true)
                confirmAbsence(&files, atOnce: true)
                if !isReadOnly { files.isWriting = true }
            }
            if !isReadOnly {
                try writePending(waiting: patience)
                try fold(waiting: patience)
            }
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// Brings the property list up to date, and returns when it survives a power failure. Does nothing in a process that
    /// only reads.
    ///
    /// - Parameter isInBackground: Whether a power failure may undo it, as long as it leaves the files in an earlier state.
    func fold(waiting: Duration, isInBackground: Bool = false) throws(SettingsError) {
        guard files.withLock({ $0.isWriting }) else { return }
        // Listeners may also fold, or wait for a thread that does.
        defer { deliver() }
        do {
            try folding.withLock { _ in
                try Folding(owner: self, waiting: waiting, isInBackground: isInBackground).publish()
            }
        } catch {
            throw .wrap(error, as: .notSaved, store: description)
        }
    }

    /// Returns when every change made before the call survives a power failure, in the journal or in the property list. The cost
    /// does not depend on the size of the property list, except for the first flush of a journal that other processes have
    /// written: it is written again.
    func flushJournal() throws {
        if files.withLock({ $0.cursor.journal?.mayHideFailure ?? false }) {
            try withLockedJournal(waiting: patience) { files in
                if files.cursor.journal?.mayHideFailure == true { try replaceSupersededJournal(&files) }
            }
        }
        let (file, journal) = try files.withLock { files in
            // The property list may be the only file.
            (files.file, files.list.mustRewrite ? nil : try files.cursor.journal?.duplicate())
        }
        guard let journal else { return try synchronize() }
        defer { fileSystem.close(journal) }
        do throws(SystemError) {
            // Another thread may replace the journal in the meantime, by one that was flushed.
            try fileSystem.synchronize(journal)
            _ = try file.flushDirectory(.durable)
        } catch {
            // A second flush can succeed although the first one has lost data. A new file is a new attempt.
            files.withLock { $0.list.requireRewrite() }
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// Returns the record that creates the property list from nothing. Nil if it is too large for a journal.
    func restore(of picture: PropertyListPicture) throws -> JournalRecord? {
        try restore(PropertyListEdit(members: picture.members()), base: nil)
    }

    /// Returns the record that applies an edit to a file. Nil if it is too large for a journal.
    func restore(_ edit: PropertyListEdit, base: FileDigest?) throws -> JournalRecord? {
        let members = try XMLPropertyListWriter.write(edit.members)
        guard members.count < limits.journal / 4 else { return nil }
        return .restore(base: base, JournalEdit(removed: edit.removed, members: members))
    }
}
