import SettingsCore

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
///    process dies before the record is written.
/// 3. The directory is synchronised; nothing is locked meanwhile.
/// 4. With the journal locked, a fresh one takes its place, with what was appended since the picture.
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

        var mark: JournalMark? {
            journal.id == 0
                ? nil : JournalMark(journal: journal.id, predecessor: journal.predecessor, offset: offset)
        }
    }

    /// How often a new file is written in vain, because somebody has edited the present one in the meantime, before it
    /// is given up.
    private static var attemptLimit: Int { 20 }

    /// A temporary file that was not written for an hour is nobody's work any more.
    private static var staleAge: Int64 { 3_600 }

    /// Brings the property list up to date, if others let it be and have not just begun to write it themselves.
    func foldInBackground() throws {
        try refresh(waiting: patience)
        if access.withLock({ $0.suspicion }) != nil { return scheduleFold(isOthers: true) }
        guard access.withLock({ $0.journal?.refusal == nil }) else { return }
        try fold(waiting: patience)
    }

    /// Takes over what others have written, brings the property list up to date, and returns when it survives a power
    /// failure.
    func synchronize() throws {
        do {
            try refresh(waiting: patience)
            _ = try withAccess { tellSuspicion(&$0, atOnce: true) }
            try fold(waiting: patience)
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// Brings the property list up to date, and returns when it survives a power failure.
    func fold(waiting: Duration) throws(SettingsError) {
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
            let prepared = try access.withLock { $0.file }.prepare(bytes(of: plan))
            if try put(prepared, plan, waiting: waiting) { break }
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
            guard needsFold(access), let journal = access.journal, let header = journal.header else { return nil }
            let picture = contents.withLock { $0.freeze() }
            return Plan(
                picture: picture, journal: header, offset: journal.position, position: journal.historyPosition,
                replaced: access.fileStatus)
        }
    }

    /// Whether the property list lacks something, or somebody has removed it.
    private func needsFold(_ access: borrowing Access) -> Bool {
        contents.withLock { contents in
            contents.lastPosition > access.folded || access.mustRewrite
                || access.fileStatus == nil && !contents.isEmpty
        }
    }

    private func bytes(of plan: Plan) throws -> Data {
        try XMLPropertyListWriter.write(plan.picture.members(), comment: plan.mark?.comment)
    }

    /// Puts a new file in the place of the property list.
    ///
    /// - Returns: false if that is not the one any more that the new file was made from: somebody has edited it, or has
    ///   brought it up to date himself.
    private func put(_ prepared: WholeFile.Prepared, _ plan: Plan, waiting: Duration) throws -> Bool {
        let file = access.withLock { $0.file }
        do {
            let isPut = try withLockedJournal(waiting: waiting) { access in
                try adopt(&access)
                guard access.journal?.header == plan.journal, access.fileStatus == plan.replaced else { return false }
                let name = WholeFile.split(access.target).name
                let status = try file.put(prepared, keepAside: access.isFileDamaged ? DatedName.damaged(name) : nil)
                // Those who have not read the edit that is in it must not take it for known.
                let isKnown = !access.isFileUntold
                access.didFind(status)
                access.folded = max(access.folded, plan.position)
                access.mustRewrite = false
                if isKnown { noteFold(through: plan.offset, status, &access) }
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
    private func noteFold(through offset: UInt64, _ status: FileStatus, _ access: inout Access) {
        guard let journal = access.journal else { return }
        do {
            try journal.append(.fold(through: offset, file: status))
            access.toldStatus = status
        } catch {
            // As said above.
        }
    }

    /// Sees to it that the property list survives a power failure, whoever has put it in its place.
    private func synchronizeDirectory() throws {
        let (file, isNeeded) = access.withLock { ($0.file, !$0.isFileDurable && $0.fileStatus != nil) }
        guard isNeeded else { return }
        do throws(SystemError) {
            try file.synchronizeDirectory()
        } catch {
            // A second attempt may succeed without having done what the first did not. A new file is a new attempt.
            access.withLock { $0.mustRewrite = true }
            throw error
        }
        access.withLock { $0.isFileDurable = true }
    }

    /// Puts a fresh journal in the place of one of which the property list has something.
    private func replaceFoldedJournal(waiting: Duration) {
        // Asked first without the lock, because there is nothing to do for a process that only reads.
        guard access.withLock({ isReplaceable($0) }) else { return }
        do {
            try withLockedJournal(waiting: waiting) { access in
                // Somebody else may have folded it further since; that may not survive a power failure yet.
                guard isReplaceable(access) else { return }
                try replaceJournal(&access)
            }
        } catch {
            // A journal that is longer than it need be loses nothing, and is replaced the next time.
        }
    }

    private func isReplaceable(_ access: borrowing Access) -> Bool {
        guard let journal = access.journal, let header = journal.header, access.isFileDurable else { return false }
        return journal.isDamaged || access.folded > Int64(header.carriedEnd) + journal.base
    }

    /// Moves what the property list has by now to where it is out of the way, a little at a time, so that nobody who
    /// reads waits for it.
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
            try file.removeTemporaries(from: Int64(Date().timeIntervalSince1970) - Self.staleAge)
        } catch {
            // What is left behind harms nobody, and the next process tries again; what was to be saved is saved.
        }
    }
}
