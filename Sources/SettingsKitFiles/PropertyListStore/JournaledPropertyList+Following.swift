import SettingsKitCore
import SettingsKitPlatform

/// Following the journal: the records that other processes append, and the journals that take its place.
extension JournaledPropertyList {
    /// Applies the records that other processes have appended so far.
    ///
    /// - Returns: whether something follows them that cannot be told to be damaged without the lock.
    @discardableResult
    func catchUp(_ access: inout Access) throws -> Bool {
        reopenAfterFork(&access)
        while true {
            guard let journal = access.journal else {
                guard let present = try presentJournal(&access) else { return false }
                try enter(present, &access)
                continue
            }
            let status = try journal.status()
            if journal.header == nil {
                if try status.linkCount > 0 && !hasHeader(journal) { return false }
                leaveJournal(&access)
                continue
            }
            let isUnclear = try readRest(&access, upTo: status.size, isLocked: false)
            let present = try fileSystem.status(of: access.journalPath, followingLink: false)
            if status.isSameFile(as: present) { return isUnclear }
            // It was replaced, removed or moved away. If that was between the two questions, there may be more in it.
            _ = try readRest(&access, upTo: journal.status().size, isLocked: false)
            leaveJournal(&access)
        }
    }

    /// Opens what is at the journal's path; nil where nothing is that can be used. Why it cannot be is reported once.
    private func presentJournal(_ access: inout Access) throws -> Journal? {
        do {
            let list = try fileSystem.status(of: access.target, followingLink: true)?.permissions
            let journal = try Journal.openPresent(
                access.journalPath, isWriting: access.isWriting, in: fileSystem, beside: list)
            access.journalProblem = nil
            return journal
        } catch let problem as JournalProblem where problem.isRefusal {
            if access.journalProblem != problem {
                access.problems.append(SettingsError(.journalUnavailable, store: description, underlying: problem))
            }
            access.journalProblem = problem
            return nil
        }
    }

    /// Begins to follow a journal.
    ///
    /// If it comes next after the one that was followed to its end, memory is as far as what it repeats from that one.
    /// Otherwise something was missed, and everything is read again.
    func enter(_ journal: Journal, _ access: inout Access) throws {
        do {
            let size = try journal.status().size
            let bytes = try journal.bytes(from: 0, upTo: min(size, Int64(JournalHeader.size)))
            let (left, history) = (access.left, access.history)
            switch bytes.withUnsafeBytes(JournalHeader.read) {
            case .absent:
                journal.base = history
            case .newer(let version):
                throw JournalProblem.newerVersion(version)
            case .intact(let header)
            where header.predecessor == left?.header.id ?? 0 && header.carriedEnd <= size && !header.mustBeRead
                && left?.isEarly != true && left?.condition.isCut != true:
                journal.header = header
                journal.position = header.carriedEnd
                journal.base = history - Int64(header.carriedEnd)
                access.list = header.list
                access.generation = header.generation
            case .intact(let header) where header == left?.header:
                // The same as before: it was closed because it could not be written, or by a fork.
                journal.header = header
                journal.base = left?.base ?? 0
                journal.position = UInt64(max(0, history - journal.base))
                journal.condition = left?.condition ?? .init()
            case .intact, .damaged:
                try reload(&access)
                journal.close()
                return
            }
        } catch {
            journal.close()
            throw error
        }
        access.journal = journal
    }

    /// - Parameter isEarly: Whether others may append to the journal what is not read before it is closed.
    func leaveJournal(_ access: inout Access, isEarly: Bool = false) {
        guard let journal = access.journal else { return }
        if let header = journal.header {
            access.left = LeftJournal(
                header: header, condition: journal.condition, base: journal.base, end: journal.historyPosition,
                isEarly: isEarly)
        }
        journal.close()
        access.journal = nil
    }

    func reopenAfterFork(_ access: inout Access) {
        let current = Fork.count
        guard access.forkCount != current else { return }
        access.forkCount = current
        leaveJournal(&access, isEarly: true)
    }

    /// Reads everything again, and makes memory what the files say.
    func reload(_ access: inout Access) throws {
        let loaded = try LoadedPropertyList(
            path: path, fileSystem: fileSystem, isWriting: access.isWriting, store: description)
        leaveJournal(&access)
        let old = access
        if let journal = loaded.access.journal, old.target == loaded.access.target,
            [.foreign, .stale].contains(journal.condition.asideReason)
        {
            // Memory has what the journal had that was in this one's place.
            journal.base = old.history - Int64(journal.position)
            access.journal = journal
            access.list = loaded.access.list
            access.generation = max(old.generation, loaded.access.generation)
        } else {
            contents.withLock { contents in
                let changes = contents.differences(to: loaded.contents)
                contents = loaded.contents
                publish(changes, origin: .external)
            }
            access = loaded.access
            access.buffer = old.buffer
            access.mustRewrite = old.mustRewrite
            access.hasCleanedUp = old.hasCleanedUp
        }
        access.problems = old.problems + loaded.problems
    }

    // MARK: Records

    /// Reads and applies the records up to the end of the journal.
    ///
    /// - Returns: whether something follows them that cannot be told to be damaged without the lock.
    func readRest(_ access: inout Access, upTo size: Int64, isLocked: Bool) throws -> Bool {
        // One that had no header yet when it was opened may have been begun and replaced since: the next one tells.
        guard let journal = access.journal, journal.header != nil, size != Int64(journal.position) else {
            return false
        }
        if size < journal.position {
            // Another program has cut it. What was in it is in memory, and goes into a new one, which all others read.
            journal.condition.isSuperseded = true
            journal.condition.isCut = true
            return true
        }
        let bytes = try journal.bytes(upTo: size)
        let scan = bytes.withUnsafeBytes { JournalScanner.scan($0, from: journal.position, of: journal.header?.id) }
        for entry in scan.records { apply(entry, of: journal, &access) }
        journal.position = scan.end
        if !scan.damaged.isEmpty { noteDamage(journal, &access) }
        guard isLocked else { return scan.rest == .damaged }
        switch scan.rest {
        case .nothing: break
        case .incomplete:
            // Its writer died over it: no other process writes now.
            try journal.cut()
        case .damaged:
            noteDamage(journal, &access)
            journal.position = UInt64(size)
        }
        return false
    }

    private func noteDamage(_ journal: Journal, _ access: inout Access) {
        if !journal.condition.isDamaged {
            access.problems.append(SettingsError(.damaged, store: description, underlying: JournalProblem.damaged))
        }
        journal.condition.isDamaged = true
        journal.condition.asideReason = .damaged
        access.mustRewrite = true
    }

    private func apply(_ entry: JournalEntry, of journal: Journal, _ access: inout Access) {
        switch entry.record {
        case .fold(let offset, let version):
            access.folded = max(access.folded, Int64(offset) + journal.base)
            access.wasTold(version)
            if let header = journal.header { access.mark = JournalMark(header, offset: offset) }
        case .adoption(let version, _):
            access.wasTold(version)
        case .end:
            // Another journal may take its place at any moment, and this one will not grow any more when it does.
            access.trustedUntil = nil
        case .changes, .restore:
            break
        }
        contents.withLock { contents in
            publish(contents.apply(entry.record, at: Int64(entry.end) + journal.base), origin: .external)
        }
    }
}
