import SettingsKitCore
import SettingsKitPlatform

/// Begins journals, and replaces them.
extension JournaledPropertyList {
    /// Writes the header of an empty journal, and the changes that the property list lacks. The journal is locked.
    func begin(_ journal: Journal, _ files: inout PropertyListFiles) throws {
        try journal.cut()
        let history = journal.historyPosition
        let (header, bytes) = beginning(after: files.cursor.left?.header, &files)
        try journal.append(bytes)
        if keepsJournalsFlushed { _ = try fileSystem.flush(journal.file, .ordered) }
        files.cursor.didBegin(journal, header, at: history)
        files.list.didBeginJournal()
    }

    /// Returns the beginning of a journal that follows another.
    private func beginning(
        after predecessor: JournalHeader?, _ files: inout PropertyListFiles, mustBeRead: Bool = false,
        restore: JournalRecord? = nil
    ) -> (JournalHeader, [UInt8]) {
        var header = files.cursor.nextHeader(after: predecessor, mark: files.list.mark, mustBeRead: mustBeRead)
        var records: [UInt8] = []
        var place: JournalPlace {
            JournalPlace(journal: header.id, offset: UInt64(JournalHeader.size + records.count))
        }
        if let restore { JournalFrame.append(restore, at: place, to: &records) }
        header.restoreEnd = place.offset
        if let version = files.list.intactVersion {
            JournalFrame.append(.fold(through: header.restoreEnd, file: version), at: place, to: &records)
        }
        let carried = contents.withLock { $0.unfoldedChanges(folded: files.list.folded) }
        if !carried.changes.isEmpty { JournalFrame.append(.changes(carried.changes), at: place, to: &records) }
        if !carried.members.isEmpty {
            JournalFrame.append(Self.record(setting: carried.members), at: place, to: &records)
        }
        header.carriedEnd = place.offset
        var bytes: [UInt8] = []
        bytes.reserveCapacity(JournalHeader.size + records.count)
        header.append(to: &bytes)
        return (header, bytes + records)
    }

    /// The record that sets members with their types, or only with their bytes if they cannot be a property list.
    private static func record(setting members: [PropertyListMember]) -> JournalRecord {
        do throws(PropertyListError) {
            return .members(JournalEdit(removed: [], members: try XMLPropertyListWriter.write(members)))
        } catch {
            return .changes(members.map { JournalChange(name: $0.key, data: NativeValue.bytes(of: $0.value)) })
        }
    }

    /// Replaces the journal, which was read to its end, by a new one. The lock is held.
    ///
    /// Other processes notice that their open journal no longer has a name, read it to its end, and open the new one.
    func replaceJournal(_ files: inout PropertyListFiles, restore: JournalRecord?) throws {
        guard let old = files.cursor.journal, let oldHeader = old.header else { return }
        // Other processes may not have read an edit in the property list, or a part of a damaged journal.
        let condition = old.condition
        let (header, bytes) = beginning(
            after: oldHeader, &files,
            mustBeRead: files.list.isUnjournaled || condition.isDamaged || condition.isCut
                || condition.asideReason != nil,
            restore: restore)
        let list = try fileSystem.status(of: files.target, followingLink: true)?.permissions
        let new = try Journal.makeTemporary(beside: files.target, in: fileSystem, beside: list)
        do {
            try new.append(bytes)
            if let reason = condition.asideReason {
                try keepCopy(of: old, as: FilesBeside.journalAside(files.target, reason), beside: list)
            }
            if keepsJournalsFlushed { _ = try fileSystem.flush(new.file, .ordered) }
            if condition.isShared { Self.waitForTrust() } else { try old.append(.end) }
            try fileSystem.rename(new.path, to: files.journalPath)
        } catch {
            WholeFile.removeOwn(new.path, in: fileSystem)
            new.close()
            throw error
        }
        // It is no longer a temporary file.
        fileSystem.unlock(new.file)
        new.path = files.journalPath
        old.close()
        files.cursor.didBegin(new, header, at: old.historyPosition)
        files.list.didBeginJournal()
    }

    /// Waits until every process checks the paths before it appends to the journal. The lock is held: no record announces that
    /// another journal or lock file replaces the current one.
    static func waitForTrust() {
        let end = Deadline(after: PropertyListTimings.trust)
        while !end.hasPassed { ThreadPause.sleep(for: .milliseconds(1)) }
    }

    /// Keeps a copy of a journal before it is replaced. A journal with a second name would not be trusted.
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

    /// Replaces a journal that must not be appended to. The property list stays.
    func replaceSupersededJournal(_ files: inout PropertyListFiles) throws {
        // A power failure must not undo the property list that the new journal continues.
        try files.flushDirectory()
        let restore = try files.list.replacement?.restore ?? restore(of: contents.withLock { $0.freeze() })
        try replaceJournal(&files, restore: restore)
    }

    /// Rewrites the journal with one record for each name, if it has become long because it was not folded.
    func shortenJournal(_ files: inout PropertyListFiles) {
        guard files.cursor.isLong(limit: limits.rewrite) else { return }
        do {
            try replaceSupersededJournal(&files)
        } catch {
            // If no file can be created, the journal continues to grow, up to its limit.
            files.cursor.postponeRewriting(by: limits.rewrite)
        }
    }
}
