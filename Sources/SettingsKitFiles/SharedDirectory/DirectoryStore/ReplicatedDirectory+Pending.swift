import SettingsKitCore
import SettingsKitPlatform

/// Changes made while another process keeps the state locked: they are in force in this process immediately, and get their stamps
/// when they are written, once the lock is free.
extension ReplicatedDirectory {
    /// The time that a change waits before it is kept.
    var waitingToKeep: Duration { tracker.pending.waiting(list.patience) }

    /// The names under which a value is in force. Linear time.
    var names: [String] {
        let (contents, pending) = list.contents.withLock { ($0, tracker.pending) }
        let stored = Self.records(in: contents).filter { !$0.entry.isTombstone && pending[$0.name] == nil }
        return stored.map(\.name) + pending.namesOfValues
    }

    /// Puts writes in force that cannot be stored now, and schedules storing them.
    func keep(_ writes: [SettingsStoreBatch.Entry]) throws {
        // All pending changes are written as one record, so their total size is limited.
        let pending = tracker.pending
        try list.requireRoom(
            for: writes.map { write in
                let entry = SharedEntry(stamp: Stamp(.earliest, by: tracker.memory.replica), value: write.data)
                return JournalChange(name: write.key.name, data: entry.bytes)
            }, beside: pending.size + pending.count * JournaledPropertyList.fieldsSize)
        let new = list.contents.withLock { contents in
            let (changes, new) = tracker.keep(writes, over: contents)
            list.feed.publish(changes, origin: .local)
            return new
        }
        list.feed.flush()
        // The state stays open until nothing is pending.
        pendingWriter.begin(new) { [self] in try writePending(waiting: .zero) }
    }

    /// Writes the pending changes, and waits for other processes no longer than `waiting`.
    ///
    /// - Throws: `busy` if another process keeps the state locked; the system's errors.
    func writePending(waiting: Duration) throws {
        let pending = tracker.pending
        if pending.isEmpty { return pendingWriter.finish() }
        if pending.isInherited { return dropInherited() }
        try list.change(waiting: waiting) {
            list.contents.withLock { contents in
                tracker.pendingWrites(over: contents).map { write in
                    let entry = SharedEntry(stamp: tracker.nextStamp(now: now()), value: write.data)
                    return JournalChange(name: write.key.name, data: entry.bytes)
                }
            }
        }
        // Changes that were kept in the meantime are written in the background.
        if tracker.pending.isEmpty { pendingWriter.finish() }
        scheduleExport()
    }

    /// In the child of a fork, discards the pending changes of the parent process, which writes them.
    func dropInherited() {
        guard tracker.pending.isInherited else { return }
        list.contents.withLock { contents in
            list.feed.publish(tracker.dropPending(for: contents), origin: .external)
        }
        list.feed.flush()
    }
}
