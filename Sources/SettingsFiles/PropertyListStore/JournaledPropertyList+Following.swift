import SettingsCore

/// Following the journal: what others have appended, and where they have gone on.
extension JournaledPropertyList {
    /// Applies what others have appended so far.
    ///
    /// - Returns: whether there is something that can only be told what it is with the journal locked.
    func catchUp(_ access: inout Access) throws -> Bool {
        reopenAfterFork(&access)
        while true {
            guard let journal = access.journal else {
                guard let present = try Journal.open(access.journalPath, in: fileSystem) else { return false }
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
            let present = try fileSystem.status(of: access.journalPath, followingLink: true)
            if status.isSameFile(as: present) { return isUnclear }
            // It was replaced, removed or moved away. If that was between the two questions, there may be more in it.
            _ = try readRest(&access, upTo: journal.status().size, isLocked: false)
            leaveJournal(&access)
        }
    }

    /// Begins to follow a journal.
    ///
    /// If it comes next after the one that was followed to its end, memory is as far as what it repeats from that one.
    /// Otherwise something was missed, and everything is read again.
    func enter(_ journal: Journal, _ access: inout Access) throws {
        do {
            let bytes = try journal.bytes(from: 0, upTo: Int64(JournalHeader.size))
            switch bytes.withUnsafeBytes(JournalHeader.read) {
            case .absent:
                journal.base = access.history
            case .newer(let version):
                throw JournalProblem.newerVersion(version)
            case .intact(let header)
            where header.predecessor == access.predecessor && !header.mustBeRead && !access.hasLeftEarly:
                journal.header = header
                journal.position = header.carriedEnd
                journal.base = access.history - Int64(header.carriedEnd)
            case .intact(let header) where header.id == access.predecessor:
                // The same as before: it was closed because it could not be written, or by a fork.
                journal.header = header
                journal.position = UInt64(access.history - access.predecessorBase)
                journal.base = access.predecessorBase
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
        access.hasLeftEarly = isEarly
        if let header = journal.header {
            access.predecessor = header.id
            access.predecessorBase = journal.base
            access.history = journal.historyPosition
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
        let loaded = try Loaded(path: path, fileSystem: fileSystem)
        contents.withLock { contents in
            let changes = contents.differences(to: loaded.contents)
            contents = loaded.contents
            publish(changes, origin: .external)
        }
        access.journal?.close()
        let old = access
        access = loaded.access
        access.buffer = old.buffer
        access.mustRewrite = old.mustRewrite
        access.hasCleanedUp = old.hasCleanedUp
        access.problems = old.problems + loaded.damages.map(damageReport)
    }

    // MARK: Records

    /// Reads and applies the records up to the end of the journal.
    ///
    /// - Returns: whether there is something behind them that cannot be told to be damaged without the lock.
    func readRest(_ access: inout Access, upTo size: Int64, isLocked: Bool) throws -> Bool {
        guard let journal = access.journal, size != Int64(journal.position) else { return false }
        if size < journal.position {
            // Somebody has cut it. What was in it is in memory, and goes into a new one, which all others read.
            journal.isSuperseded = true
            journal.isCut = true
            return true
        }
        let bytes = try journal.bytes(upTo: size)
        let scan = bytes.withUnsafeBytes { JournalScanner.scan($0, from: journal.position, of: journal.header?.id) }
        for entry in scan.records { apply(entry, base: journal.base, &access) }
        journal.position = scan.end
        if !scan.damaged.isEmpty { noteDamage(journal, &access) }
        guard isLocked else { return scan.rest == .damaged }
        switch scan.rest {
        case .nothing: break
        case .incomplete:
            // Its writer died over it: nobody else writes now.
            try journal.cut()
        case .damaged:
            noteDamage(journal, &access)
            journal.position = UInt64(size)
        }
        return false
    }

    private func noteDamage(_ journal: Journal, _ access: inout Access) {
        if !journal.isDamaged { access.problems.append(damageReport(JournalProblem.damaged)) }
        journal.isDamaged = true
        access.mustRewrite = true
    }

    private func apply(_ entry: JournalEntry, base: Int64, _ access: inout Access) {
        let position = Int64(entry.end) + base
        switch entry.record {
        case .fold(let offset, let status):
            access.folded = max(access.folded, Int64(offset) + base)
            access.wasTold(status)
        case .adoption(let status, _, _):
            access.wasTold(status)
        case .end:
            // Another journal may take its place at any moment, and this one will not grow any more when it does.
            access.trustedUntil = nil
        case .changes:
            break
        }
        contents.withLock { contents in
            publish(contents.apply(entry.record, at: position), origin: .external)
        }
    }
}

extension JournaledPropertyList.Access {
    /// Takes note that others tell of a state of the property list.
    ///
    /// If they could not know what is in memory here, because it comes from an edit that they have not seen, the property
    /// list must be read all the same.
    mutating func wasTold(_ status: FileStatus) {
        if !isFileUntold { didFind(status) }
        toldStatus = status
    }

    /// Takes note that the property list is intact in a certain state.
    mutating func didFind(_ status: FileStatus) {
        fileStatus = status
        isFileDamaged = false
        suspicion = nil
        isFileDurable = false
    }
}
