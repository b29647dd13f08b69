import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Taking over what other programs write into the property list itself: an editor, a tool, a syncer.
extension JournaledPropertyList {
    /// Makes memory what the files say, and tells listeners what that changes.
    ///
    /// - Throws: whatever the system reports; what could be read before is taken over.
    func refresh(waiting: Duration) throws {
        let isBehind = try withAccess { access in
            if try access.file.resolvedPath() != access.target {
                // The symbolic link leads elsewhere now.
                try reload(&access)
            }
            let isUnclear = try catchUp(&access)
            if access.isWriting {
                if try isUnclear || access.file.status() != access.fileStatus {
                    try adoptLocked(&access, waiting: waiting)
                }
            } else {
                try adoptUnlocked(&access)
            }
            takeSuspicion(&access)
            return access.isWriting && contents.withLock { $0.lastPosition } > access.folded
        }
        if isBehind { scheduleFold(isOthers: true) }
    }

    /// Adopts an edit with the journal locked; without, where there is none that can be written.
    private func adoptLocked(_ access: inout Access, waiting: Duration) throws {
        do {
            try lockJournal(&access, waiting: waiting)
        } catch let error as SystemError where error.isAboutWriting {
            return try adoptUnlocked(&access)
        } catch SettingsError.Code.journalUnavailable {
            return try adoptUnlocked(&access)
        }
        defer { access.journal?.unlock() }
        try adopt(&access)
    }

    /// Adopts an edit without the journal's lock, as a process does that only reads. All others see the edit for
    /// themselves.
    private func adoptUnlocked(_ access: inout Access) throws {
        // What is in the property list must be in memory from the journal first, or it would be taken for an edit, and the
        // journal's records would then bring earlier values back for a moment.
        for _ in 0..<Self.readingAttempts {
            guard try access.file.status() != access.fileStatus else { return }
            let read = try access.file.read(limit: Self.fileSizeLimit)
            try catchUp(&access)
            guard try access.file.status() == read?.status else { continue }
            return take(read, &access, isLocked: false)
        }
        // It is replaced again and again. There will be another event, or the next poll.
    }

    private static var readingAttempts: Int { 10 }

    /// Takes over what another program has written into the property list since it was last read or written here, except
    /// for names with a change that it does not have yet. The journal is locked.
    func adopt(_ access: inout Access) throws {
        guard try access.file.status() != access.fileStatus else { return }
        take(try access.file.read(limit: Self.fileSizeLimit), &access, isLocked: true)
        if access.journal?.condition.isSuperseded == true, access.fileFault == nil {
            try replaceSupersededJournal(&access)
        }
    }

    private func take(_ read: WholeFile.Contents?, _ access: inout Access, isLocked: Bool) {
        guard let read else {
            // It was removed. What is in memory stays, and makes a new file.
            access.fileStatus = nil
            access.fileFault = nil
            access.suspicion = nil
            access.mark = nil
            return
        }
        if let known = access.permissions, known != read.status.permissions {
            // The journal is to have the same ones before anything more is written into it.
            access.journal?.condition.isSuperseded = true
        }
        access.permissions = read.status.permissions
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(read.bytes)
            noteMark(of: read.bytes, &access)
            take(members, FileVersion(status: read.status, bytes: read.bytes), &access, isLocked: isLocked)
        } catch {
            access.fileStatus = read.status
            access.fileFault = .damaged
            access.suspicion = Suspicion(
                damage: error, members: PropertyListReader.recover(read.bytes),
                end: Deadline(after: Self.suspicionTime))
            lookAgain(after: Self.suspicionTime * 1.2)
        }
    }

    /// Notes how far the property list says that it goes: the process that put it in its place may have died before it
    /// could say so in the journal.
    private func noteMark(of bytes: Data, _ access: inout Access) {
        let mark = JournalMark.read(bytes)
        access.mark = mark
        guard let mark, let journal = access.journal else { return }
        if mark.journal == journal.header?.id, mark.offset <= journal.position {
            access.folded = max(access.folded, Int64(mark.offset) + journal.base)
        } else if let left = access.left, mark.journal == left.header.id {
            access.folded = max(access.folded, min(left.end, Int64(mark.offset) + left.base))
        }
    }

    private func take(
        _ members: [PropertyListMember], _ version: FileVersion, _ access: inout Access, isLocked: Bool
    ) {
        // A copy, so that the comparison keeps no reader waiting. Nothing else is changed meanwhile.
        let edit = contents.withLock { $0 }.edit(by: members, folded: access.folded)
        if isLocked { tellOthers(edit, version, &access) }
        publishAdoption(of: edit)
        access.didFind(version)
    }

    private func publishAdoption(of edit: PropertyListEdit) {
        if edit.isEmpty { return }
        contents.withLock { contents in
            publish(contents.adopt(edit), origin: .external)
        }
    }

    /// Appends the edit to the journal, so that others need not read the property list, and all have it at the same place
    /// in the order of changes. Where that fails, they find it themselves.
    private func tellOthers(_ edit: PropertyListEdit, _ version: FileVersion, _ access: inout Access) {
        guard let journal = access.journal, journal.isPlain, version.status != access.toldStatus else { return }
        // Others may not have what was found here when the file was read first.
        if access.isFileUntold { return }
        do {
            let members = edit.members.map { PropertyListMember(key: $0.key, value: $0.value.writable) }
            let document = try XMLPropertyListWriter.write(members)
            let size = edit.removed.reduce(document.count) { $0 + $1.utf8.count + Self.fieldsSize }
            guard size + Self.fieldsSize * 2 <= limits.journal - Int(journal.position) else { return }
            try journal.append(.adoption(file: version, JournalEdit(removed: edit.removed, members: document)))
            access.toldStatus = version.status
        } catch {
            // As said above.
        }
    }

    /// Reports that the property list is damaged, if it was found so some time ago and has not been mended since, and takes
    /// over what is intact in it: as a process does that finds it so when it starts.
    func takeSuspicion(_ access: inout Access, atOnce: Bool = false) {
        guard let suspicion = access.suspicion, atOnce || suspicion.end.hasPassed else { return }
        access.suspicion = nil
        access.problems.append(SettingsError(.damaged, store: description, underlying: suspicion.damage))
        var edit = contents.withLock { $0 }.edit(by: suspicion.members, folded: access.folded)
        // What is missing may stand behind the damage.
        edit.removed = []
        publishAdoption(of: edit)
    }
}
