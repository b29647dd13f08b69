import SettingsKitCore
import SettingsKitPlatform

/// Changes made while another process keeps the journal locked: they are in force in this process at once, and written as soon
/// as the lock is free.
///
/// They follow everything that other processes have written until then, as if they were made at that moment. All of them are
/// one record, with the last value of each name.
extension JournaledPropertyList {
    /// How long a change waits for another process at most before it is kept.
    static let briefPatience = Duration.milliseconds(500)
    /// The longest time between two attempts to write what is pending.
    private static let longestPause = Duration.milliseconds(250)
    /// The time between two attempts after one that has failed for another reason than the lock.
    private static let failurePause = Duration.seconds(2)

    /// How long a change waits before it is kept: not at all while others are pending.
    var waitingToKeep: Duration {
        contents.withLock { $0.pending.isEmpty } ? min(patience, Self.briefPatience) : .zero
    }

    /// Puts writes in force that cannot be stored now, and has them stored later.
    func keep(_ writes: [SettingsStoreBatch.Entry]) throws {
        let changes = writes.map { JournalChange(name: $0.key.name, data: $0.data) }
        let new = try withFiles { files in
            try requireRoom(for: changes)
            if files.pendingFork == nil { files.pendingFork = Fork.count }
            return contents.withLock { contents in
                let new = writes.filter { contents.pending[$0.key.name] == nil }
                publish(contents.keep(changes), origin: .local)
                return new
            }
        }
        for write in new {
            feed.report(
                SettingsError(.pending, key: write.key, store: description, underlying: JournalProblem.locked))
        }
        schedulePendingWrite(after: .milliseconds(10))
    }

    /// Writes what is pending. The journal is locked.
    func writePending(_ files: inout PropertyListFiles) throws {
        guard files.pendingFork == Fork.count else {
            // The parent process writes it.
            contents.withLock { contents in publish(contents.dropPending(), origin: .external) }
            files.pendingFork = nil
            return
        }
        let changes = contents.withLock { contents in
            contents.pendingChanges.filter { contents.journaledData(named: $0.name) != $0.data }
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
        files.pendingFork = nil
        files.problems.append(SettingsError(.recovered, store: description))
    }

    /// Writes what is pending, and waits for other processes no longer than it says.
    ///
    /// - Throws: `busy` if another process keeps the journal locked; what the system reports.
    func writePending(waiting: Duration) throws {
        guard !contents.withLock({ $0.pending.isEmpty }) else { return }
        try withLockedJournal(waiting: waiting) { _ in }
        announcer.announce()
        scheduleFold()
    }

    /// - Parameter failure: The code of the error that was reported last.
    private func schedulePendingWrite(after pause: Duration, failure: SettingsError.Code? = nil) {
        guard hasBackground, !isPendingWriteScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The list is kept until nothing is pending.
        queue.async(after: pause) { [self] in
            isPendingWriteScheduled.store(false, ordering: .releasing)
            do {
                try writePending(waiting: .zero)
            } catch SettingsError.Code.busy {
                schedulePendingWrite(after: min(pause * 2, Self.longestPause))
            } catch {
                let error = SettingsError.wrap(error, as: .notSaved, store: description)
                if error.code != failure { feed.report(error) }
                schedulePendingWrite(after: Self.failurePause, failure: error.code)
            }
        }
    }
}
