import SettingsKitCore
import SettingsKitPlatform

/// Beginning a journal, and putting another in its place.
extension JournaledPropertyList {
    /// Writes the header of a journal that is empty, and what of earlier changes the property list does not have yet. The
    /// journal is locked.
    func begin(_ journal: Journal, _ access: inout Access) throws {
        try journal.cut()
        // Copies of one property list on several machines get journals of their own, and names with them.
        if access.left == nil { access.list = 0 }
        let (header, bytes) = beginning(after: access.left?.header.id ?? 0, &access)
        try journal.append(bytes)
        didBegin(journal, header, &access)
        journal.base -= Int64(header.carriedEnd)
    }

    private func didBegin(_ journal: Journal, _ header: JournalHeader, _ access: inout Access) {
        journal.header = header
        access.generation = header.generation
        access.toldStatus = access.fileStatus
        access.rewriteLength = Int64(journal.position) * 2
        access.replacement = nil
    }

    /// How a journal begins that follows another.
    private func beginning(
        after predecessor: UInt64, _ access: inout Access, mustBeRead: Bool = false, restore: JournalRecord? = nil
    ) -> (JournalHeader, [UInt8]) {
        if access.list == 0 { access.list = .random(in: 1 ... .max) }
        var header = JournalHeader(
            id: .random(in: 1 ... .max), predecessor: predecessor, list: access.list,
            generation: min(access.generation + 1, JournalHeader.offsetLimit), base: access.mark?.journal ?? 0,
            baseOffset: access.mark?.offset ?? 0, mustBeRead: mustBeRead)
        var records: [UInt8] = []
        var place: JournalPlace {
            JournalPlace(journal: header.id, offset: UInt64(JournalHeader.size + records.count))
        }
        if let restore { JournalFrame.append(restore, at: place, to: &records) }
        header.restoreEnd = place.offset
        if let status = access.fileStatus, let checksum = access.fileChecksum, access.fileFault == nil {
            let version = FileVersion(status: status, checksum: checksum)
            JournalFrame.append(.fold(through: header.restoreEnd, file: version), at: place, to: &records)
        }
        let carried = contents.withLock { $0.unfoldedChanges(folded: access.folded) }
        if !carried.isEmpty { JournalFrame.append(.changes(carried), at: place, to: &records) }
        header.carriedEnd = place.offset
        var bytes: [UInt8] = []
        bytes.reserveCapacity(JournalHeader.size + records.count)
        header.append(to: &bytes)
        return (header, bytes + records)
    }

    /// Puts a fresh journal in the place of the present one, which is locked and read to its end. The fresh one is locked
    /// afterwards.
    ///
    /// The others notice that theirs has no name any more, read it to its end, and go on with this one.
    func replaceJournal(_ access: inout Access, restore: JournalRecord?) throws {
        guard let old = access.journal, let oldHeader = old.header else { return }
        // Others may not have read an edit that the property list has by now, or all of a damaged journal.
        let condition = old.condition
        let (header, bytes) = beginning(
            after: oldHeader.id, &access,
            mustBeRead: access.isFileUntold || condition.isDamaged || condition.isCut || condition.asideReason != nil,
            restore: restore)
        let list = try fileSystem.status(of: access.target, followingLink: true)?.permissions
        let new = try Journal.makeTemporary(beside: access.target, in: fileSystem, beside: list)
        do {
            try new.append(bytes)
            if let reason = condition.asideReason {
                try keepCopy(of: old, as: FilesBeside.journalAside(access.target, reason), beside: list)
            }
            try old.append(.end)
            try fileSystem.rename(new.path, to: access.journalPath)
        } catch {
            WholeFile.removeOwn(new.path, in: fileSystem)
            new.close()
            throw error
        }
        new.path = access.journalPath
        new.base = old.historyPosition - Int64(header.carriedEnd)
        // A child that another thread has made meanwhile has the same lock, which closing would leave to it.
        old.unlock()
        old.close()
        access.journal = new
        didBegin(new, header, &access)
    }

    /// Keeps a copy of a journal that is to be replaced. (A second name would make it one that is not trusted.)
    private func keepCopy(of journal: Journal, as path: String, beside list: FilePermissions?) throws {
        let bytes = try journal.bytes(from: 0, upTo: journal.status().size)
        let copy = try Journal.create(path, in: fileSystem, beside: list)
        defer { copy.close() }
        do {
            try copy.append(bytes)
        } catch {
            WholeFile.removeOwn(path, in: fileSystem)
            throw error
        }
    }

    /// Puts a fresh journal in the place of one that must not be appended to, without the property list's being replaced.
    func replaceSupersededJournal(_ access: inout Access) throws {
        // The property list that the new journal goes on from must not be undone when the power fails.
        try synchronizeDirectory(&access)
        let restore = try access.replacement?.restore ?? restore(of: contents.withLock { $0.freeze() })
        try replaceJournal(&access, restore: restore)
    }

    /// Writes the journal again with one record for each name, if it has become long because it was not folded.
    func shortenJournal(_ access: inout Access) {
        guard let journal = access.journal,
            Int64(journal.position) > max(Int64(limits.rewrite), access.rewriteLength)
        else { return }
        do {
            try replaceSupersededJournal(&access)
        } catch {
            // Where no file can be made it goes on growing, up to its limit.
            access.rewriteLength = Int64(journal.position) + Int64(limits.rewrite)
        }
    }
}
