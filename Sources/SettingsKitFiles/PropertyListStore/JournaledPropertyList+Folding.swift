import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bringing the property list up to date with the journal.
///
/// 1. A picture of memory is written to a new file, which is synchronised; nothing is locked meanwhile.
/// 2. With the journal locked, the new file takes the old one's place, and a record in the journal says so. The file says
///    in a comment how far in which journal it goes, so that its place in the order of changes is known also when the
///    process dies before the record is written. The old file is kept, so that the property list can be restored from it.
/// 3. The directory is synchronised; nothing is locked meanwhile.
/// 4. With the journal locked, a fresh one takes its place, with what was appended since the picture. It begins with how
///    the new file differs from the old one.
///
/// A process that has not written anything does none of this.
extension JournaledPropertyList {
    private struct Plan: Sendable {
        let picture: PropertyListPicture
        let journal: JournalHeader
        /// Up to where the picture goes, in the journal.
        let offset: UInt64
        /// The same in the history of journals.
        let position: Int64
        /// The property list that is to be replaced.
        let replaced: FileStatus?
        /// Its contents; nil if they are not known, or not to be gone back to.
        let replacedDigest: FileDigest?
        /// Up to where, in the history of journals, that one goes.
        let folded: Int64

        var mark: JournalMark? { journal.id == 0 ? nil : JournalMark(journal, offset: offset) }
    }

    /// How often a new file is written in vain, because the present one was edited in the meantime, before it is given up.
    private static var attemptLimit: Int { 20 }

    /// Brings the property list up to date, if other processes have not just begun to write it themselves.
    func foldInBackground() throws {
        guard access.withLock({ $0.isWriting }) else { return }
        try refresh(waiting: patience)
        if access.withLock({ $0.suspicion }) != nil { return scheduleFold(isOthers: true) }
        try fold(waiting: patience)
    }

    /// Takes over what others have written, brings the property list up to date, and returns when it survives a power
    /// failure.
    ///
    /// - Parameter isReadOnly: Whether nothing is to be written.
    func synchronize(isReadOnly: Bool = false) throws {
        do {
            try refresh(waiting: patience)
            _ = try withAccess { access in
                takeSuspicion(&access, atOnce: true)
                if !isReadOnly { access.isWriting = true }
            }
            if !isReadOnly { try fold(waiting: patience) }
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// Brings the property list up to date, and returns when it survives a power failure. Does nothing in a process that
    /// only reads.
    func fold(waiting: Duration) throws(SettingsError) {
        guard access.withLock({ $0.isWriting }) else { return }
        do {
            try folding.withLock { _ in
                try foldAlone(waiting: waiting)
            }
        } catch {
            throw .wrap(error, as: .notSaved, store: description)
        }
    }

    private func foldAlone(waiting: Duration) throws {
        var attempts = 0
        while let plan = try plan(waiting: waiting) {
            let bytes = try bytes(of: plan)
            let (file, permissions) = access.withLock { ($0.file, $0.permissions) }
            let prepared = try file.prepare(bytes, permissions: permissions)
            if try put(prepared, bytes, plan, waiting: waiting) { break }
            attempts += 1
            guard attempts < Self.attemptLimit else { throw SettingsError(.conflict, store: description) }
        }
        try synchronizeDirectory()
        replaceFoldedJournal(waiting: waiting)
        settle()
        cleanUp()
    }

    private func plan(waiting: Duration) throws -> Plan? {
        // Asked first without the journal, because there need not be one, nor the permission to make one.
        guard access.withLock({ needsFold($0) }) else { return nil }
        return try withLockedJournal(waiting: waiting) { access in
            try adopt(&access)
            // Whatever is intact in a damaged file is to be in the new one.
            takeSuspicion(&access, atOnce: true)
            guard needsFold(access), let journal = access.journal, let header = journal.header else { return nil }
            let picture = contents.withLock { $0.freeze() }
            return Plan(
                picture: picture, journal: header, offset: journal.position, position: journal.historyPosition,
                replaced: access.fileStatus, replacedDigest: access.fileFault == nil ? access.fileDigest : nil,
                folded: access.folded)
        }
    }

    /// Whether the property list lacks something, or was removed.
    private func needsFold(_ access: borrowing Access) -> Bool {
        contents.withLock { contents in
            contents.lastPosition > access.folded || access.mustRewrite
                || access.fileStatus == nil && !contents.isEmpty
        }
    }

    private func bytes(of plan: Plan) throws -> Data {
        let bytes = try XMLPropertyListWriter.write(plan.picture.members(), comment: plan.mark?.comment)
        guard bytes.count <= Self.fileSizeLimit else {
            let problem = TooMuch.propertyList(limit: Self.fileSizeLimit)
            throw SettingsError(.tooLarge, store: description, underlying: problem)
        }
        return bytes
    }

    /// Puts a new file in the place of the property list.
    ///
    /// - Returns: false if that is not the one any more that the new file was made from: it was edited, or another process
    ///   has brought it up to date.
    private func put(
        _ prepared: WholeFile.Prepared, _ bytes: Data, _ plan: Plan, waiting: Duration
    ) throws -> Bool {
        let file = access.withLock { $0.file }
        do {
            let isPut = try withLockedJournal(waiting: waiting) { access in
                try adopt(&access)
                guard access.journal?.header == plan.journal, access.fileStatus == plan.replaced else { return false }
                let replaced: WholeFile.Replaced =
                    if let fault = access.fileFault {
                        .keptAside(FilesBeside.asideName(access.target, fault))
                    } else {
                        .renamed(FilesBeside.previousName(access.target))
                    }
                let put = try file.put(prepared, replaced: replaced)
                // Those who have not read the edit that is in it must not take it for known.
                let isKnown = !access.isFileUntold
                let version = FileVersion(status: put.status, bytes: bytes)
                access.didFind(version)
                access.permissions = put.status.permissions
                access.mark = plan.mark
                access.folded = max(access.folded, plan.position)
                access.mustRewrite = false
                if isKnown { noteFold(through: plan.offset, version, &access) }
                access.replacement = Replacement(restore: try restore(after: plan, isOldKept: put.isOldKept))
                contents.withLock { $0.measure(bytes.count) }
                return true
            }
            if !isPut { file.discard(prepared) }
            return isPut
        } catch {
            file.discard(prepared)
            throw error
        }
    }

    /// Tells others that the property list is new, and how far it goes. Where that fails, they read it.
    private func noteFold(through offset: UInt64, _ version: FileVersion, _ access: inout Access) {
        guard let journal = access.journal else { return }
        do {
            try journal.append(.fold(through: offset, file: version))
            access.toldStatus = version.status
        } catch {
            // As said above.
        }
    }

    /// What makes the new property list of the old one; of nothing, where there was none that is good. nil where the old
    /// one could not be kept.
    private func restore(after plan: Plan, isOldKept: Bool) throws -> JournalRecord? {
        guard plan.replacedDigest != nil else { return try restore(of: plan.picture) }
        guard isOldKept else { return nil }
        return try restore(plan.picture.edit(since: plan.folded), base: plan.replacedDigest)
    }

    /// What makes the property list of nothing; nil if that is too much for a journal.
    func restore(of picture: PropertyListPicture) throws -> JournalRecord? {
        try restore(PropertyListEdit(members: picture.members()), base: nil)
    }

    private func restore(_ edit: PropertyListEdit, base: FileDigest?) throws -> JournalRecord? {
        let members = try XMLPropertyListWriter.write(edit.members)
        guard members.count < limits.journal / 4 else { return nil }
        return .restore(base: base, JournalEdit(removed: edit.removed, members: members))
    }

    /// Sees to it that the property list survives a power failure, whichever process has put it in its place.
    private func synchronizeDirectory() throws {
        let (file, status) = access.withLock { ($0.file, $0.isFileDurable ? nil : $0.fileStatus) }
        guard let status else { return }
        do throws(SystemError) {
            try file.synchronizeDirectory()
        } catch {
            // A second attempt may succeed without having done what the first did not. A new file is a new attempt.
            access.withLock { $0.mustRewrite = true }
            throw error
        }
        access.withLock { access in
            if access.fileStatus == status { access.isFileDurable = true }
        }
    }

    /// The same with the files locked, for what happens seldom.
    func synchronizeDirectory(_ access: inout Access) throws {
        guard !access.isFileDurable, access.fileStatus != nil else { return }
        do throws(SystemError) {
            try access.file.synchronizeDirectory()
        } catch {
            access.mustRewrite = true
            throw error
        }
        access.isFileDurable = true
    }

    /// Puts a fresh journal in the place of the one of which the property list has something.
    private func replaceFoldedJournal(waiting: Duration) {
        // Asked first without the lock, because there is nothing to do where this process has not replaced the property list.
        guard access.withLock({ isReplaceable($0) }) else { return }
        do {
            try withLockedJournal(waiting: waiting) { access in
                // Another process may have folded it further since; that may not survive a power failure yet.
                guard isReplaceable(access), let replacement = access.replacement else { return }
                try replaceJournal(&access, restore: replacement.restore)
            }
        } catch {
            // A journal that is longer than it need be loses nothing, and is replaced the next time.
        }
    }

    private func isReplaceable(_ access: borrowing Access) -> Bool {
        access.journal?.header != nil && access.isFileDurable && access.replacement != nil
    }

    /// Moves what the property list has by now to where it is out of the way, a little at a time, so that reading does not
    /// wait for it.
    private func settle() {
        let folded = access.withLock { $0.folded }
        var names = contents.withLock { contents in
            _ = contents.freeze()
            return contents.frozen
        }.map(\.key)[...]
        while !names.isEmpty {
            let some = names.prefix(256)
            contents.withLock { $0.settle(some, through: folded) }
            names = names.dropFirst(256)
        }
    }

    /// Removes temporary files that dead processes have left; once in the life of the store, after its first write.
    private func cleanUp() {
        let file: WholeFile? = access.withLock { access in
            guard !access.hasCleanedUp, access.isFileDurable else { return nil }
            access.hasCleanedUp = true
            return access.file
        }
        guard let file else { return }
        do throws(SystemError) {
            try file.removeTemporaries(.unlocked)
        } catch {
            // What is left behind harms nothing, and the next process tries again; what was to be saved is saved.
        }
    }
}
