import SettingsKitCore

/// Changes that are in force in this process but not yet in the journal.
extension PropertyListContents {
    /// Puts changes in force.
    ///
    /// - Returns: the resulting changes, and the keys under which nothing was pending before.
    mutating func keep(
        _ writes: [SettingsStoreBatch.Entry]
    ) -> (changes: [SettingsStoreChange], new: [SettingsService.StorageKey]) {
        // The closure must not read the value that is being changed.
        var pending = pending
        defer { self.pending = pending }
        return pending.keep(writes) { journaledData(named: $0) }
    }

    /// The changes that the journal lacks, one for each name, in no order: one record contains all of them, so they arrive
    /// together.
    var pendingChanges: [JournalChange] { pending.writes.map { JournalChange(name: $0.key.name, data: $0.data) } }

    /// Moves the pending changes to the stored values, because the journal has them.
    ///
    /// - Parameter position: The end of their record in the journal.
    mutating func storePending(at position: Int64) {
        for change in pendingChanges { _ = set(change.data, named: change.name, at: position) }
        pending = .init()
    }

    /// Discards the pending changes without storing them.
    ///
    /// - Returns: the resulting changes.
    mutating func dropPending() -> [SettingsStoreChange] {
        var pending = pending
        defer { self.pending = pending }
        return pending.drop { journaledData(named: $0) }
    }
}
