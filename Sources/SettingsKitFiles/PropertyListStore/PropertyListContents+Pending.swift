import SettingsKitCore

/// Changes that are in force in this process before they are in the journal.
extension PropertyListContents {
    /// Puts changes in force.
    ///
    /// - Returns: what that has changed, and the keys under which nothing was pending.
    mutating func keep(
        _ writes: [SettingsStoreBatch.Entry]
    ) -> (changes: [SettingsStoreChange], new: [SettingsService.StorageKey]) {
        // The closure must not read what is being changed.
        var pending = pending
        defer { self.pending = pending }
        return pending.keep(writes) { journaledData(named: $0) }
    }

    /// The changes that the journal lacks, one for each name, in no order: they are written as one record, so all of them
    /// arrive at once.
    var pendingChanges: [JournalChange] { pending.writes.map { JournalChange(name: $0.key.name, data: $0.data) } }

    /// Notes that the journal has the pending changes.
    ///
    /// - Parameter position: Where in the journal their record ends.
    mutating func storePending(at position: Int64) {
        for change in pendingChanges { _ = set(change.data, named: change.name, at: position) }
        pending = .init()
    }

    /// Ends the pending changes without storing them.
    ///
    /// - Returns: what that has changed.
    mutating func dropPending() -> [SettingsStoreChange] {
        var pending = pending
        defer { self.pending = pending }
        return pending.drop { journaledData(named: $0) }
    }
}
