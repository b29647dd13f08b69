import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the writes of other programs: those of processes in the journal; those of editors, tools and syncers in the property
/// list.
extension JournaledPropertyList {
    /// Reads changes of the files into memory, and publishes them.
    ///
    /// - Throws: the system's errors. Changes read before the error are kept.
    func refresh(waiting: Duration) throws {
        try catchUpInPieces()
        let isBehind: Bool
        do {
            isBehind = try whileLocked(waiting: waiting) { try refreshOnce() }
        } catch SettingsError.Code.busy {
            // Without the lock, an edit is read as by a process that only reads.
            isBehind = try refreshOnce(isLocking: false)
        }
        if isBehind { scheduleFold(after: PropertyListTimings.othersDelay) }
    }

    /// - Parameter isLocking: Whether to put an edit into the journal, under the lock, if this process may do that.
    /// - Returns: whether the property list lacks a change.
    private func refreshOnce(isLocking: Bool = true) throws -> Bool {
        try withFiles { files in
            if try files.file.resolvedPath() != files.target {
                // The symbolic link has another destination now.
                try reload(&files)
            }
            let isUnclear = try catchUp(&files)
            let status = try files.file.status()
            // A removed file is not an edit for the journal: taking the lock would create the directory again.
            if files.isWriting, isLocking, isUnclear || status != nil {
                if isUnclear || status != files.list.status { try adoptLocked(&files) }
            } else {
                try adoptUnlocked(&files)
            }
            confirmDamage(&files)
            confirmAbsence(&files)
            return files.isWriting && contents.withLock { $0.lastPosition } > files.list.folded
        }
    }

    /// Adopts an edit with the lock, or without if it cannot be written.
    private func adoptLocked(_ files: inout PropertyListFiles) throws {
        do {
            try lockJournal(&files)
        } catch let error as SystemError where error.isAboutWriting {
            return try adoptUnlocked(&files)
        } catch SettingsError.Code.journalUnavailable {
            return try adoptUnlocked(&files)
        }
        defer { files.lock.unlock(in: fileSystem) }
        try adopt(&files)
    }

    /// Adopts an edit without the lock, as a process that only reads. Other processes read the edit themselves.
    private func adoptUnlocked(_ files: inout PropertyListFiles) throws {
        // The journal is read first. Otherwise its changes in the property list would look like an edit, and its records would
        // then briefly restore earlier values.
        for _ in 0..<PropertyListLimits.refreshingAttempts {
            guard try files.file.status() != files.list.status else { return }
            let read = try files.file.read(limit: PropertyListLimits.fileSize)
            try catchUp(&files)
            guard try files.file.status() == read?.status else { continue }
            return apply(read, &files, isLocked: false)
        }
        // The file keeps being replaced. Another event or the next poll will follow.
    }

    /// Adopts an edit of the property list since this process last read or wrote it, except for names with a change that it
    /// lacks. The journal is locked.
    func adopt(_ files: inout PropertyListFiles) throws {
        guard try files.file.status() != files.list.status else { return }
        apply(try files.file.read(limit: PropertyListLimits.fileSize), &files, isLocked: true)
        if files.cursor.journal?.condition.isSuperseded == true, files.list.fault == nil {
            try replaceSupersededJournal(&files)
        }
    }

    private func apply(_ read: WholeFile.Contents?, _ files: inout PropertyListFiles, isLocked: Bool) {
        guard let read else {
            // The file was removed. Memory stays, and is written to a new file, unless the file was the only source.
            files.list.findNothing(until: Deadline(after: PropertyListTimings.suspicionTime))
            if isFileAlone(files) { monitor.poll(after: PropertyListTimings.suspicionTime * 1.2) }
            return
        }
        if files.list.update(read.status.permissions) {
            // The journal must get the same permissions before more is written to it.
            files.cursor.journal?.condition.isSuperseded = true
        }
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(read.bytes)
            recordMark(of: read.bytes, &files)
            apply(members, FileVersion(status: read.status, bytes: read.bytes), &files, isLocked: isLocked)
        } catch {
            let suspicion = KnownPropertyList.Suspicion(
                damage: error, members: PropertyListReader.recover(read.bytes),
                end: Deadline(after: PropertyListTimings.suspicionTime))
            files.list.suspect(read.status, suspicion)
            monitor.poll(after: PropertyListTimings.suspicionTime * 1.2)
        }
    }

    /// Reads from the property list's mark how much of the journal it contains. The process that wrote the file may have died
    /// before it could append that to the journal.
    private func recordMark(of bytes: Data, _ files: inout PropertyListFiles) {
        let mark = JournalMark.read(bytes)
        files.list.setMark(mark)
        guard let mark, let journal = files.cursor.journal else { return }
        if mark.journal == journal.header?.id, mark.offset <= journal.position {
            files.list.recordFold(through: Int64(mark.offset) + journal.base)
        } else if let left = files.cursor.left, mark.journal == left.header.id {
            files.list.recordFold(through: min(left.end, Int64(mark.offset) + left.base))
        }
    }

    private func apply(
        _ members: [PropertyListMember], _ version: FileVersion, _ files: inout PropertyListFiles, isLocked: Bool
    ) {
        // A copy, so that no reader waits for the comparison. Nothing changes in the meantime.
        let edit = contents.withLock { $0 }.edit(by: members, folded: files.list.folded)
        if isLocked { journal(edit, version, &files) }
        publishAdoption(of: edit)
        files.list.find(version)
        files.isEdited = true
    }

    private func publishAdoption(of edit: PropertyListEdit) {
        if edit.isEmpty { return }
        contents.withLock { contents in
            let changes = contents.adopt(edit)
            publish(contents.pending.unmasked(changes), origin: .external)
        }
    }

    /// Appends the edit to the journal, so that other processes need not read the property list, and all apply the edit at the
    /// same place in the order of changes. If that fails, they read it themselves.
    private func journal(_ edit: PropertyListEdit, _ version: FileVersion, _ files: inout PropertyListFiles) {
        guard let journal = files.cursor.journal, journal.isPlain, !files.list.isJournaled(version.status) else {
            return
        }
        // Other processes may lack an earlier edit, which was read here before the journal was locked.
        if files.list.isUnjournaled { return }
        do {
            let members = edit.members.map { PropertyListMember(key: $0.key, value: $0.value.writable) }
            let document = try XMLPropertyListWriter.write(members)
            let size = edit.removed.reduce(document.count) { $0 + $1.utf8.count + Self.fieldsSize }
            guard Int64(size + Self.fieldsSize * 2) <= Int64(limits.journal) - Int64(journal.position) else { return }
            try journal.append(.adoption(file: version, JournalEdit(removed: edit.removed, members: document)))
            files.list.setJournaled(as: version)
        } catch {
            // The other processes read the edit themselves.
        }
    }

    /// Confirms damage to the property list that has persisted for some time: reports it, and adopts the intact part, as when a
    /// damaged file is opened.
    func confirmDamage(_ files: inout PropertyListFiles, atOnce: Bool = false) {
        guard let suspicion = files.list.confirmDamage(atOnce: atOnce) else { return }
        files.problems.append(SettingsError(.damaged, store: description, underlying: suspicion.damage))
        var edit = contents.withLock { $0 }.edit(by: suspicion.members, folded: files.list.folded)
        // Missing members may be in the damaged part.
        edit.removed = []
        publishAdoption(of: edit)
    }

    /// Confirms that a file has been missing for some time, and removes its values if it was the only source. A program that
    /// edits the file may remove it briefly.
    func confirmAbsence(_ files: inout PropertyListFiles, atOnce: Bool = false) {
        guard files.list.confirmAbsence(atOnce: atOnce), isFileAlone(files) else { return }
        publishAdoption(of: contents.withLock { $0 }.edit(by: [], folded: files.list.folded))
    }
}
