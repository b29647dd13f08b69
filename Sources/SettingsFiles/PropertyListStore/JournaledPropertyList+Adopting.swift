import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Taking over what others have written into the property list itself: an editor, a tool, a syncer.
extension JournaledPropertyList {
    /// Makes memory what the files say, and tells of what that changes.
    ///
    /// - Throws: whatever the system reports; what could be read before is taken over.
    func refresh(waiting: Duration) throws {
        let isBehind = try withAccess { access in
            if try access.file.resolvedPath() != access.target {
                // The symbolic link leads elsewhere now.
                try reload(&access)
            }
            let isUnclear = try catchUp(&access)
            if try isUnclear || access.file.status() != access.fileStatus { try adoptLocked(&access, waiting: waiting) }
            tellSuspicion(&access)
            return contents.withLock { $0.lastPosition } > access.folded && access.journal?.refusal == nil
        }
        if isBehind { scheduleFold(isOthers: true) }
    }

    /// Adopts an edit with the journal locked; without, where there is none that could be written.
    private func adoptLocked(_ access: inout Access, waiting: Duration) throws {
        do {
            try lockJournal(&access, waiting: waiting)
        } catch let error as SystemError where error.isAboutWriting {
            // Nobody else here can write either. Everybody sees the edit for himself.
            try adopt(&access)
            return
        }
        defer { access.journal?.unlock() }
        try adopt(&access)
    }

    /// Takes over what somebody has written into the property list since it was last read or written here, except for
    /// names with a change that it does not have yet. The journal is locked.
    func adopt(_ access: inout Access) throws {
        guard try access.file.status() != access.fileStatus else { return }
        guard let read = try access.file.read(limit: Self.fileSizeLimit) else {
            // Somebody has removed it. What is in memory stays, and makes a new file.
            access.fileStatus = nil
            access.isFileDamaged = false
            access.suspicion = nil
            return
        }
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(read.bytes)
            noteMark(of: read.bytes, &access)
            take(members, read.status, &access)
        } catch {
            access.fileStatus = read.status
            access.isFileDamaged = true
            access.suspicion = Suspicion(damage: error, end: Deadline(after: Self.suspicionTime))
            lookAgain(after: Self.suspicionTime * 1.2)
        }
    }

    /// Takes note of how far the property list says that it goes: whoever has put it in its place may have died before he
    /// could tell so in the journal.
    private func noteMark(of bytes: Data, _ access: inout Access) {
        guard let mark = JournalMark.read(bytes), let journal = access.journal else { return }
        if mark.journal == journal.header?.id, mark.offset <= journal.position {
            access.folded = max(access.folded, Int64(mark.offset) + journal.base)
        } else if mark.journal == access.predecessor {
            access.folded = max(access.folded, min(access.history, Int64(mark.offset) + access.predecessorBase))
        }
    }

    private func take(_ members: [PropertyListMember], _ status: FileStatus, _ access: inout Access) {
        // A copy, so that the comparison keeps no reader waiting. Nobody changes anything meanwhile.
        let edit = contents.withLock { $0 }.edit(by: members, folded: access.folded)
        tellOthers(edit, status, &access)
        if !edit.isEmpty {
            contents.withLock { contents in
                publish(contents.adopt(edit), origin: .external)
            }
        }
        access.didFind(status)
    }

    /// Appends the edit to the journal, so that others need not read the property list, and everybody has it at the same
    /// place in the order of changes. Where that fails, they find it themselves.
    private func tellOthers(_ edit: PropertyListEdit, _ status: FileStatus, _ access: inout Access) {
        guard let journal = access.journal, journal.isPlain, status != access.toldStatus else { return }
        // Others may not have what was found here when the file was read first.
        if access.isFileUntold { return }
        do {
            let members = edit.members.map { PropertyListMember(key: $0.key, value: $0.value.writable) }
            let document = try XMLPropertyListWriter.write(members)
            let size = edit.removed.reduce(document.count) { $0 + $1.utf8.count + Self.fieldsSize }
            guard size + Self.fieldsSize * 2 <= JournalFrame.bodyLimit else { return }
            try journal.append(.adoption(file: status, removed: edit.removed, members: document))
            access.toldStatus = status
        } catch {
            // As said above.
        }
    }

    /// Tells that the property list is damaged, if it was found so some time ago and has not been mended since.
    func tellSuspicion(_ access: inout Access, atOnce: Bool = false) {
        guard let suspicion = access.suspicion, atOnce || suspicion.end.hasPassed else { return }
        access.suspicion = nil
        access.problems.append(damageReport(suspicion.damage))
    }
}
