import SettingsKitCore
import SettingsKitPlatform

/// Changes made while another process keeps the files locked: they are in force in this process immediately, and written as soon
/// as the lock is free.
///
/// They follow all earlier writes of other processes, as if they were made at the moment of writing. All of them form one record,
/// with the last value of each name.
extension JournaledPropertyList {
    /// The time that a change waits before it is kept.
    var waitingToKeep: Duration { contents.withLock { $0.pending.waiting(patience) } }

    /// Puts writes in force that cannot be stored now, and schedules storing them.
    func keep(_ writes: [SettingsStoreBatch.Entry]) throws {
        let changes = writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        let new = try withFiles { files in
            try requireRoom(for: changes)
            files.hasPending = true
            return contents.withLock { contents in
                let (changes, new) = contents.keep(writes)
                publish(changes, origin: .local)
                return new
            }
        }
        // The list is kept until nothing is pending.
        pendingWriter.begin(new) { [self] in try writePending(waiting: .zero) }
    }

    /// Writes the pending changes. The journal is locked.
    func writePending(_ files: inout PropertyListFiles) throws {
        let changes: [JournalChange]? = contents.withLock { contents in
            if contents.pending.isInherited {
                // The parent process writes it.
                publish(contents.dropPending(), origin: .external)
                return nil
            }
            return contents.pendingChanges.filter { contents.journaledData(named: $0.name) != $0.data }
        }
        guard let changes else {
            files.hasPending = false
            return
        }
        if !changes.isEmpty {
            shortenJournal(&files)
            guard let journal = files.cursor.journal else { return }
            var frame: [UInt8] = []
            frame.reserveCapacity(JournalFrame.headerSize + JournalFrame.bodySize(of: changes))
            JournalFrame.append(.changes(changes), at: journal.place, to: &frame)
            try frame.withUnsafeBytes { try append($0, to: journal) }
            files.ownPosition = journal.historyPosition
        }
        contents.withLock { $0.storePending(at: files.ownPosition) }
        files.hasPending = false
        if let recovery = pendingWriter.endPending() { files.problems.append(recovery) }
    }

    /// Writes the pending changes, and waits for other processes no longer than `waiting`.
    ///
    /// - Throws: `busy` if another process keeps the files locked; the system's errors.
    func writePending(waiting: Duration) throws {
        if contents.withLock({ $0.pending.isEmpty }) { return pendingWriter.finish() }
        try withLockedJournal(waiting: waiting) { _ in }
        announcer.announce()
        scheduleFold()
    }
}
