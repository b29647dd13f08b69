import SettingsCore

/// Locking the journal, beginning it, and putting another in its place.
extension JournaledPropertyList {
    /// Runs `body` with the files to itself, before all other processes.
    ///
    /// - Throws: `busy` if another process keeps the lock; whatever the system reports.
    func withLockedJournal<R: Sendable>(
        waiting: Duration? = nil, _ body: (inout Access) throws -> R
    ) throws -> R {
        try withAccess { access in
            try lockJournal(&access, waiting: waiting ?? patience)
            defer { access.journal?.unlock() }
            return try body(&access)
        }
    }

    /// Locks the present journal, making one if there is none, and applies what others have appended to it.
    ///
    /// Whatever `access.journal` is afterwards: unlocking or closing it ends the lock.
    ///
    /// - Throws: `busy` if another process keeps the lock for so long. Who asks next does not wait, for a while: threads
    ///   that write at the same time fail together, not one after the other.
    func lockJournal(_ access: inout Access, waiting: Duration) throws {
        if try lockUnchangedJournal(access) { return }
        do {
            try lockPresentJournal(&access, waiting: access.busyUntil.hasPassed ? waiting : .zero)
        } catch SettingsError.Code.busy {
            if waiting >= patience { access.busyUntil = Deadline(after: .seconds(1)) }
            throw SettingsError(.busy, store: description, underlying: JournalProblem.locked)
        }
        access.busyUntil = Deadline(after: .zero)
        access.trustedUntil = Deadline(after: trust)
    }

    /// Locks the journal if that takes nothing more: nobody has it, or has written anything since the last time.
    private func lockUnchangedJournal(_ access: borrowing Access) throws -> Bool {
        guard let journal = access.journal, journal.isPlain, access.forkCount == Fork.count,
            let trustedUntil = access.trustedUntil, !trustedUntil.hasPassed, try journal.tryLock()
        else { return false }
        do throws(SystemError) {
            if try journal.size() == journal.position { return true }
        } catch {
            journal.unlock()
            throw error
        }
        journal.unlock()
        return false
    }

    private func lockPresentJournal(_ access: inout Access, waiting: Duration) throws {
        reopenAfterFork(&access)
        while true {
            let journal = try writableJournal(&access)
            guard try journal.lock(waiting: waiting) else {
                throw SettingsError(.busy)
            }
            do {
                let status = try journal.status()
                let present = try fileSystem.status(of: access.journalPath, followingLink: true)
                if !status.isSameFile(as: present) {
                    // Nobody appends to it any more. What was appended before is read from the file that is still open.
                    _ = try readRest(&access, upTo: status.size, isLocked: false)
                    leaveJournal(&access)
                    continue
                }
                if journal.header == nil {
                    if try hasHeader(journal) {
                        // Somebody else was quicker.
                        leaveJournal(&access)
                        continue
                    }
                    try begin(journal, access)
                    access.toldStatus = access.fileStatus
                    return
                }
                if status.size != Int64(journal.position) {
                    _ = try readRest(&access, upTo: status.size, isLocked: true)
                }
                guard journal.isSuperseded else { return }
                // Closes it, which ends the lock.
                try replaceJournal(&access)
            } catch {
                access.journal?.unlock()
                throw error
            }
        }
    }

    /// The open journal, or the one at the path, or a new one.
    private func writableJournal(_ access: inout Access) throws -> Journal {
        if access.journal?.refusal != nil { leaveJournal(&access, isEarly: true) }
        if access.journal == nil, let present = try Journal.open(access.journalPath, in: fileSystem) {
            try enter(present, &access)
        }
        if let journal = access.journal {
            if let refusal = journal.refusal { throw refusal }
            return journal
        }
        try access.file.createDirectory()
        // Two processes may get here together; both then have the same empty file, and the first to lock it begins it.
        let journal = try Journal.create(access.journalPath, in: fileSystem)
        journal.base = access.history
        access.journal = journal
        return journal
    }

    func hasHeader(_ journal: Journal) throws -> Bool {
        let bytes = try journal.bytes(from: 0, upTo: Int64(JournalHeader.size))
        if case .absent = bytes.withUnsafeBytes(JournalHeader.read) { return false }
        return true
    }

    /// Writes the header of a journal that is empty, and what of earlier changes the property list does not have yet.
    private func begin(_ journal: Journal, _ access: borrowing Access) throws {
        try journal.cut()
        let (header, bytes) = beginning(after: access.predecessor, access)
        try journal.append(bytes)
        journal.header = header
        journal.base = access.history - Int64(header.carriedEnd)
    }

    /// How a journal begins that follows another.
    private func beginning(
        after predecessor: UInt64, _ access: borrowing Access, mustBeRead: Bool = false
    ) -> (JournalHeader, [UInt8]) {
        var records: [UInt8] = []
        let start = UInt64(JournalHeader.size)
        var place = JournalPlace(journal: .random(in: 1 ... .max), offset: start)
        if let status = access.fileStatus, !access.isFileDamaged {
            JournalFrame.append(.fold(through: start, file: status), at: place, to: &records)
        }
        let carried = contents.withLock { $0.unfoldedChanges(folded: access.folded) }
        if !carried.isEmpty {
            place.offset += UInt64(records.count)
            JournalFrame.append(.changes(carried), at: place, to: &records)
        }
        let header = JournalHeader(
            id: place.journal, predecessor: predecessor, carriedEnd: start + UInt64(records.count),
            mustBeRead: mustBeRead)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(JournalHeader.size + records.count)
        header.append(to: &bytes)
        return (header, bytes + records)
    }

    /// Puts a fresh journal in the place of the present one, which is locked and read to its end.
    ///
    /// The others notice that theirs has no name any more, read it to its end, and go on with this one.
    func replaceJournal(_ access: inout Access) throws {
        guard let old = access.journal, let oldHeader = old.header else { return }
        // Others may not have read an edit that the property list has by now, or all of a damaged journal.
        let (header, bytes) = beginning(
            after: oldHeader.id, access, mustBeRead: access.isFileUntold || old.isDamaged || old.isCut)
        let temporary = WholeFile.temporaryPath(for: access.target)
        do {
            let new = try Journal.create(temporary, in: fileSystem)
            do {
                try new.append(bytes)
                try old.append(.end)
                if old.isDamaged { try keepAside(access.journalPath) }
                try fileSystem.rename(temporary, to: access.journalPath)
            } catch {
                new.close()
                throw error
            }
            new.path = access.journalPath
            new.header = header
            new.base = old.historyPosition - Int64(header.carriedEnd)
            old.close()
            access.journal = new
            access.toldStatus = access.fileStatus
        } catch {
            do throws(SystemError) {
                try fileSystem.remove(temporary)
            } catch {
                // It is in nobody's way, and a later run removes it.
            }
            throw error
        }
    }

    private func keepAside(_ path: String) throws(SystemError) {
        let (directory, name) = WholeFile.split(path)
        try fileSystem.link(path, as: directory + "/" + DatedName.damaged(name))
    }
}
