import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of the ``PropertyListFolder``, which brings a property list up to date with its journal.
///
/// The plan is a picture of memory, and its place in the journal. The journal is locked while the plan is made, and while the
/// new file replaces the old one. Afterwards a record in the journal announces the new file, and the file's mark, a comment,
/// shows how much of the journal the file contains, in case the process dies before it writes the record. The old file is kept,
/// so that the property list can be restored from it.
///
/// Once a power failure cannot undo the new file without undoing what follows, a new journal replaces the old one, with the
/// records appended since the picture. It begins with the difference between the old file and the new one.
struct Folding: FilePublication {
    let files: PropertyListFiles
    let setup: PropertyListSetup
    /// How long to wait for the lock.
    let waiting: Duration
    /// Whether a power failure may undo the run, as long as it leaves the files in an earlier state. The run then skips a file
    /// that another program may be writing.
    let isInBackground: Bool

    private var contents: PublishedContents { files.contents }
    var store: String { setup.description }
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
        guard files.withLock({ $0.follower.foldingState }) != nil else { return nil }
        return try files.updateLocked(waiting: waiting, isFolding: true) { writer in
            try writer.adopt()
            // The file may have been intact when the run began.
            if isInBackground, writer.follower.list.suspicion != nil { return nil }
            // The new file contains the intact part of a damaged one.
            writer.follower.confirmFaults(atOnce: true)
            let list = writer.follower.list
            guard writer.follower.foldingState != nil, let journal = writer.follower.cursor.journal,
                let header = journal.header
            else { return nil }
            return Plan(
                picture: contents.withLock { $0.freeze() }, journal: header, offset: journal.position,
                position: journal.historyPosition, replaced: list.status,
                replacedDigest: list.fault == nil ? list.digest : nil, folded: list.folded)
        }
    }

    // MARK: The new file

    func contents(of plan: Plan) throws -> [WholeFile.NewContents] {
        let bytes = try XMLPropertyListWriter.write(plan.picture.members(), comment: plan.mark?.comment)
        let limit = PropertyListLimits.fileSize
        guard bytes.count <= limit else {
            throw SettingsError(.tooLarge, store: store, underlying: TooMuch.propertyList(limit: limit))
        }
        let (file, permissions) = files.withLock { ($0.follower.file, $0.follower.list.permissions) }
        return [.init(of: file, bytes, permissions: permissions)]
    }

    /// Replaces the property list, unless it was edited, or brought up to date by another process.
    func put(_ prepared: [WholeFile.Prepared], _ plan: Plan) throws -> Bool {
        guard let new = prepared.first else { return false }
        // What takes time needs no lock.
        let checksum = new.bytes.withUnsafeBytes { CRC32C.checksum($0) }
        let replacedBefore = openPreviousFile()
        defer { if let replacedBefore { setup.fileSystem.close(replacedBefore) } }
        let restore = try restore(after: plan)
        return try files.updateLocked(waiting: waiting, isFolding: true) { writer in
            try writer.adopt()
            let (follower, list) = (writer.follower, writer.follower.list)
            guard follower.cursor.journal?.header == plan.journal, list.status == plan.replaced else { return false }
            let replaced: WholeFile.Replaced =
                if let fault = list.fault {
                    .keptAside(FilesBeside.asideName(follower.target, fault))
                } else {
                    .renamed(FilesBeside.previousName(follower.target))
                }
            let put = try follower.file.put(new, replaced: replaced)
            let version = FileVersion(status: put.status, checksum: checksum)
            writer.follower.list.didReplace(with: version, mark: plan.mark, through: plan.position)
            // Processes that have not read an edit in the replaced file must read the new file.
            if !list.isUnjournaled { writer.appendFold(through: plan.offset, version) }
            let isRestorable = plan.replacedDigest == nil || put.isOldKept
            writer.follower.list.setReplacement(.init(restore: isRestorable ? restore : nil))
            contents.withLock { $0.measure(new.bytes.count) }
            return true
        }
    }

    /// Opens the file that the property list has replaced before, whose name the present one gets. So the system frees it when it is
    /// closed, not while the journal is locked.
    private func openPreviousFile() -> SettingsKitPlatform.FileHandle? {
        let path = FilesBeside.previous(files.withLock { $0.follower.target })
        do throws(SystemError) {
            return try setup.fileSystem.openForReading(path, followingLink: false)
        } catch {
            return nil
        }
    }

    /// Returns the record that creates the new property list from the old one, or from nothing without an intact old one.
    private func restore(after plan: Plan) throws -> JournalRecord? {
        guard let digest = plan.replacedDigest else { return try plan.picture.restore(limits: setup.limits) }
        return try plan.picture.restore(after: plan.folded, base: digest, limits: setup.limits)
    }

    /// Returns when the property list survives a power failure, even if another process has replaced it.
    func synchronize() throws {
        let (file, status) = files.withLock { writer in
            (writer.follower.file, writer.follower.list.has(flush) ? nil : writer.follower.list.status)
        }
        guard let status else { return }
        let reached = try files.flush { () throws(SystemError) in try file.flushDirectory(flush) }
        files.withLock { $0.follower.list.didFlush(status, reached) }
    }

    // MARK: The new journal

    func finish() {
        replaceJournal()
        settle()
    }

    /// Replaces the journal whose first part the property list contains.
    private func replaceJournal() {
        do {
            guard let draft = try draftJournal() else { return }
            var old: SettingsKitPlatform.FileHandle?
            defer { draft.end(replaced: old, in: setup.fileSystem) }
            old = try files.updateLocked(waiting: waiting, isFolding: true) { writer in
                // Another process may have folded it in the meantime, into a file that may not survive a power failure yet.
                try isReplaceable(writer.follower) ? writer.replaceJournal(by: draft) : nil
            }
        } catch {
            // A longer journal loses nothing, and is replaced the next time.
        }
    }

    /// Writes the beginning of the next journal. Nil if the journal is not to be replaced: this process has not replaced the property
    /// list.
    private func draftJournal() throws -> JournalDraft? {
        let (beginning, target) = files.withLock { writer in
            let restore = writer.follower.list.replacement?.restore
            return (
                isReplaceable(writer.follower) ? writer.nextBeginning(restore: restore) : nil, writer.follower.target
            )
        }
        guard let beginning else { return nil }
        return try JournalDraft(beginning, beside: target, in: setup.fileSystem)
    }

    private func isReplaceable(_ follower: PropertyListFollower) -> Bool {
        follower.cursor.journal?.header != nil && follower.list.has(.ordered) && follower.list.replacement != nil
    }

    // MARK: Afterwards

    /// Moves folded changes in memory to the settled ones. Neither reading nor setting waits for that.
    private func settle() {
        // Of one moment: another thread may read everything again, with other positions.
        let (present, folded) = files.withLock { writer in
            let folded = writer.follower.list.folded
            return (contents.withLock { $0.lowerLayers() }, folded)
        }
        var layers = present
        layers.settle(through: folded)
        layers = contents.withLock { [layers] in $0.replaceLower(by: layers) }
        withExtendedLifetime(layers) {}
    }

    /// Removes temporary files of dead processes, if the property list was written.
    ///
    /// - Returns: whether it was.
    func removeTemporaries() -> Bool {
        let file: WholeFile? = files.withLock { $0.follower.list.has(.ordered) ? $0.follower.file : nil }
        guard let file else { return false }
        do throws(SystemError) {
            try file.removeTemporaries(.unlocked)
        } catch {
            // Temporary files are harmless, and the next process tries again.
        }
        return true
    }
}
