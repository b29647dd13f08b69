/// Delivers committed changes, one event at a time, outside of every lock.
extension ScopeConnection {
    /// The number of deliveries in a row after which a thread passes the work on, so that other threads' changes cannot keep its
    /// `set` from returning.
    private static var deliveriesInARow: Int { 256 }

    /// Delivers the waiting events, unless another thread does. Called outside of every lock but that of a serializing store, which
    /// is released before any delivery.
    func deliver() {
        if ReentrancyMark.postpone(self) { return }
        let (begins, released) = state.withLock { ($0.events.begin(), $0.events.removeReleased()) }
        withExtendedLifetime(released) {}
        if begins { deliverNext() }
    }

    /// One thread at a time is here.
    private func deliverNext() {
        for _ in 0..<Self.deliveriesInARow {
            switch state.withLock({ $0.events.next() }) {
            case .change(let setting, let commit)?: deliver(commit, of: setting)
            case .changeSet(let changes, let listeners, let commits)?:
                let changes = steps(changes, commits)
                for listener in listeners { listener.deliver(changes) }
            case .replacement(let replacement)?: deliver(replacement)
            case nil: return
            }
        }
        Task.detached { self.deliverNext() }
    }

    /// Removes the settings that this program uses and whose value in force has not changed: all new bytes were rejected, or another
    /// layer is in force. A commit's changes are delivered before the set of them.
    private func steps(_ changes: SettingsService.ChangeSet, _ commits: ClosedRange<UInt64>)
        -> SettingsService.ChangeSet
    {
        state.withLock { state in
            guard changes.origin == .external || state.store?.isLayered ?? false else { return changes }
            let keys = changes.keys.filter { key in
                let cells = state.settings.all(named: key.name)
                return cells.isEmpty || cells.contains { !$0.hasHeldBack(commits) }
            }
            return .init(keys: keys, origin: changes.origin)
        }
    }

    // MARK: One setting

    private func deliver(_ commit: UInt64, of setting: any CachedSetting) {
        while let step = state.withLock({ $0.settings.deliver(commit, of: setting) }) {
            guard let after = step.after else {
                judgeNext(of: setting)
                continue
            }
            return notify(of: step, after)
        }
    }

    private func notify(of step: SettingCell.Step, _ after: ValueInForce) {
        let change = step.change
        // Readers of a store that does not publish all of its changes may have seen other values.
        if !step.isNew && change.isContinuous { return }
        var decoded: DecodedChange?
        if step.isNew, let old = step.before?.resolution, let new = after.resolution {
            decoded = DecodedChange(
                oldValue: old.value, newValue: new.value, isSet: new.candidate != nil, origin: change.origin)
        }
        for listener in step.listeners
        where listener.since < change.sequence && (!listener.needsValues || decoded != nil) {
            listener.deliver(decoded, signal: change.sequence)
        }
    }

    // MARK: Another store

    /// Notifies listeners to groups of the differences between the replaced store and the present one.
    private func deliver(_ replacement: StoreReplacement) {
        let stored = contents(of: store, names: replacement.names)
        let differing = replacement.names.filter { name in
            replacement.contents[name] != stored[name] || replacement.changedNames.contains(name)
        }
        if differing.isEmpty { return }
        let keys = Set(differing.map { SettingsService.StorageKey($0, scope: scope) })
        for listener in replacement.groups { listener.deliver(.init(keys: keys, origin: .external)) }
    }
}
