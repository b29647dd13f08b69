import SettingsKitCore
import SettingsKitPlatform

/// Follows the journal: applies the records that other processes append, and opens the journals that replace it.
extension JournaledPropertyList {
    /// Applies the records that other processes have appended so far.
    ///
    /// - Returns: whether bytes follow that may be damaged, which can be determined only under the lock.
    @discardableResult
    func catchUp(_ files: inout PropertyListFiles) throws -> Bool {
        files.cursor.leaveAfterFork()
        while true {
            guard let journal = files.cursor.journal else {
                guard let present = try presentJournal(&files) else { return false }
                try enter(present, &files)
                continue
            }
            let status = try journal.status()
            if journal.header == nil {
                if try status.linkCount > 0 && !hasHeader(journal) { return false }
                files.cursor.leave()
                continue
            }
            let isUnclear = try readRest(&files, upTo: status.size, isLocked: false)
            let present = try fileSystem.status(of: files.journalPath, followingLink: false)
            if status.isSameFile(as: present) { return isUnclear }
            // The journal was replaced, removed or moved away. If that was after its size was read, it may have grown.
            _ = try readRest(&files, upTo: journal.status().size, isLocked: false)
            files.cursor.leave()
        }
    }

    /// Applies the records that other processes have appended, piece by piece, while more than a piece is left. A writing thread
    /// can use the files between two pieces.
    ///
    /// - Complexity: A record longer than a piece is read again with each doubling of the piece.
    func catchUpInPieces() throws {
        var size = PropertyListLimits.journalPiece
        while try withFiles({ files in try readPiece(&size, &files) }) {}
    }

    /// - Returns: whether there was more than a piece.
    private func readPiece(_ size: inout Int64, _ files: inout PropertyListFiles) throws -> Bool {
        files.cursor.leaveAfterFork()
        guard let journal = files.cursor.journal, journal.header != nil else { return false }
        let start = Int64(journal.position)
        guard try Int64(clamping: journal.size()) - start > size else { return false }
        let scan = try journal.scan(upTo: start + size)
        // Apparent damage may be part of a record that the piece cuts.
        guard scan.damaged.isEmpty else { return false }
        if scan.records.isEmpty { size *= 2 }
        apply(scan, of: journal, &files)
        return true
    }

    /// Opens the journal at its path. Nil if there is none that can be used; the reason is reported once.
    private func presentJournal(_ files: inout PropertyListFiles) throws -> Journal? {
        do {
            let list = try fileSystem.status(of: files.target, followingLink: true)?.permissions
            let journal = try Journal.openPresent(
                files.journalPath, isWriting: files.isWriting, in: fileSystem, beside: list)
            files.cursor.setProblem(nil)
            return journal
        } catch let problem as JournalProblem where problem.isRefusal {
            if files.cursor.setProblem(problem) {
                files.problems.append(SettingsError(.journalUnavailable, store: description, underlying: problem))
            }
            return nil
        }
    }

    /// Follows a journal, or reads everything again after a gap.
    func enter(_ journal: Journal, _ files: inout PropertyListFiles) throws {
        do {
            if try files.cursor.enter(journal) { return }
            try reload(&files)
        } catch {
            journal.close()
            throw error
        }
        journal.close()
    }

    /// Reads everything again, and replaces what is in memory.
    func reload(_ files: inout PropertyListFiles) throws {
        let loaded = try LoadedPropertyList(
            path: path, fileSystem: fileSystem, isWriting: files.isWriting, store: description)
        files.cursor.leave()
        var old = files
        if let journal = loaded.files.cursor.journal, old.target == loaded.files.target,
            [.foreign, .stale].contains(journal.condition.asideReason)
        {
            // Memory has the contents of the journal that was at this one's path.
            files.cursor.openRejected(journal, of: loaded.files.cursor)
        } else {
            contents.withLock { contents in
                let changes = contents.pending.unmasked(contents.differences(to: loaded.contents))
                let pending = contents.pending
                contents = loaded.contents
                contents.pending = pending
                publish(changes, origin: .external)
            }
            files = loaded.files
            if old.target == files.target { files.lock = old.lock } else { old.lock.close(in: fileSystem) }
            if old.list.mustRewrite { files.list.requireRewrite() }
            files.hasCleanedUp = old.hasCleanedUp
            files.hasPending = old.hasPending
        }
        // A symbolic link may have led to another file before.
        watchedJournal.value = files.journalPath
        if old.target != files.target { monitor.renewSoon() }
        files.problems = old.problems + loaded.problems
    }

    // MARK: Records

    /// Reads and applies the records up to the end of the journal.
    ///
    /// - Returns: whether bytes follow that may be damaged, which can be determined only under the lock.
    func readRest(_ files: inout PropertyListFiles, upTo size: Int64, isLocked: Bool) throws -> Bool {
        // A journal without a header may have been begun and replaced in the meantime; the next one then shows that.
        guard let journal = files.cursor.journal, journal.header != nil, size != Int64(journal.position) else {
            return false
        }
        if size < journal.position {
            // Another program has cut it. Memory has its records, and writes them to a new journal for all processes.
            journal.condition.isSuperseded = true
            journal.condition.isCut = true
            return true
        }
        let scan = try journal.scan(upTo: size)
        apply(scan, of: journal, &files)
        if !scan.damaged.isEmpty { reportDamage(journal, &files) }
        guard isLocked else { return scan.rest == .damaged }
        switch scan.rest {
        case .nothing: break
        case .incomplete:
            // Its writer died during the write: under the lock, no other process writes.
            if !journal.condition.isShared { try journal.cut() }
        case .damaged:
            reportDamage(journal, &files)
            journal.position = UInt64(size)
        }
        return false
    }

    private func reportDamage(_ journal: Journal, _ files: inout PropertyListFiles) {
        if !journal.condition.isDamaged {
            files.problems.append(SettingsError(.damaged, store: description, underlying: JournalProblem.damaged))
        }
        journal.condition.isDamaged = true
        journal.condition.asideReason = .damaged
        files.list.requireRewrite()
    }

    private func apply(_ scan: JournalScan, of journal: Journal, _ files: inout PropertyListFiles) {
        for entry in scan.records { apply(entry, of: journal, &files) }
        journal.position = scan.end
    }

    private func apply(_ entry: JournalEntry, of journal: Journal, _ files: inout PropertyListFiles) {
        switch entry.record {
        case .fold(let offset, let version):
            files.list.recordFold(through: Int64(offset) + journal.base)
            files.list.receive(version)
            if let header = journal.header { files.list.setMark(JournalMark(header, offset: offset)) }
        case .adoption(let version, _):
            files.list.receive(version)
        case .end:
            // Another journal may replace this one at any moment without a further record in it.
            files.cursor.distrust()
        case .changes, .members, .restore:
            break
        }
        contents.withLock { contents in
            let changes = contents.apply(entry.record, at: Int64(entry.end) + journal.base)
            publish(contents.pending.unmasked(changes), origin: .external)
        }
    }
}
