import SettingsKitCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes that are in force in this process before they are in the journal.
extension PropertyListContents {
    /// Puts changes in force.
    ///
    /// - Returns: what that changed.
    mutating func keep(_ changes: [JournalChange]) -> [SettingsStoreChange] {
        changes.compactMap { change in
            let old = data(named: change.name)
            pending[change.name] = .some(change.data)
            return old == change.data ? nil : .init(name: change.name, from: old, to: change.data)
        }
    }

    /// The changes that the journal lacks, one for each name, in no order: they are written as one record, so all of them
    /// arrive at once.
    var pendingChanges: [JournalChange] { pending.map { JournalChange(name: $0.key, data: $0.value) } }

    /// Notes that the journal has the pending changes.
    ///
    /// - Parameter position: Where in the journal their record ends.
    mutating func storePending(at position: Int64) {
        for change in pendingChanges { _ = set(change.data, named: change.name, at: position) }
        pending = [:]
    }

    /// Ends the pending changes without storing them.
    ///
    /// - Returns: what that changed.
    mutating func dropPending() -> [SettingsStoreChange] {
        let names = pending.keys
        let before = names.map { ($0, data(named: $0)) }
        pending = [:]
        return before.compactMap { name, old in
            let new = data(named: name)
            return old == new ? nil : .init(name: name, from: old, to: new)
        }
    }

    /// Of changes to what is stored, those that change what is in force.
    func unmasked(_ changes: [SettingsStoreChange]) -> [SettingsStoreChange] {
        pending.isEmpty ? changes : changes.filter { pending[$0.name] == nil }
    }
}
