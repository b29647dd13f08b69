import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a ``ScopeConnection``, which its lock guards. No function here calls foreign code.
struct ConnectionState {
    /// The present store.
    var store: ConnectedStore?
    var settings = SettingCells()
    /// Listeners to groups of settings.
    var groups: [GroupListener]
    /// The number of the last commit.
    var sequence: UInt64 = 0
    var events = PendingEvents()
    /// The number of calls of ``ScopeConnection/connect(to:)`` that compare stores, and the names that have changed since the first of them
    /// began.
    var transitionCount = 0
    var changedInTransition: Set<String> = []
    /// The names that were used by settings that are gone, or by listeners to groups.
    var usedNames: Set<String> = []

    init(groups: [GroupListener]) { self.groups = groups }

    /// Orders changes: invalidates cached values, and queues events.
    mutating func commit(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, scope: SettingsService.Scope,
        isExhaustive: Bool, _ pendingSetCount: borrowing Atomic<Int>, _ earlier: EarlierBytes
    ) {
        sequence += 1
        let isContinuous = isExhaustive || store?.isContinuous ?? false
        var changed: Set<SettingsService.StorageKey> = []
        for index in changes.indices {
            if origin == .local, groups.isEmpty, settings.invalidateUnobserved(by: changes[index]) { continue }
            let change = changes[index]
            let isLayered = change.newCandidates != nil
            if change.oldData == change.newData && !isLayered { continue }
            // A file may hold names that no setting can have.
            if !groups.isEmpty, SettingsService.StorageKey.isValid(change.name),
                change.oldData != change.newData || settings.hasCell(named: change.name)
            {
                changed.insert(.init(change.name, scope: scope))
            }
            let writableData = isLayered ? change.new.writableData : change.newData
            settings.update(named: change.name) { cell in
                let set = origin == .local ? cell.removePendingSet(of: writableData) : nil
                if set != nil { pendingSetCount.subtract(1, ordering: .relaxed) }
                cell.record(
                    change, newValue: set, origin: origin, sequence: sequence, isExhaustive: isExhaustive,
                    isContinuous: isContinuous, hasGroups: !groups.isEmpty, after: earlier, in: &events)
            }
        }
        if !changed.isEmpty { events.append(.init(keys: changed, origin: origin), for: groups, commit: sequence) }
    }

    /// Records that another store takes the place of the present one: invalidates cached values, and queues events.
    ///
    /// - Parameters:
    ///   - comparedNames: The names whose values listeners to groups compare.
    ///   - contents: What the present store holds under these names, and under those of settings whose value is not known.
    ///   - unknown: The slots of those settings.
    mutating func replaceStore(
        by new: ConnectedStore, comparing comparedNames: Set<String>, _ contents: [String: StoredValue],
        unknown: Set<Int>
    ) {
        let (old, sequence) = (store, sequence + 1)
        (store, self.sequence) = (new, sequence)
        settings.updateAll { cell in
            var before: ValueInForce?
            if let old, unknown.contains(cell.setting.slot) {
                before = ValueInForce(
                    contents[cell.setting.name] ?? .nothing(in: old), named: cell.setting.name,
                    after: old.feed.earlier)
            }
            cell.reconnect(
                before, isContinuous: old?.isContinuous ?? true && new.isContinuous, sequence: sequence, in: &events)
        }
        if comparedNames.isEmpty { return }
        events.append(
            .replacement(
                StoreReplacement(
                    names: comparedNames, contents: contents, changedNames: changedInTransition, groups: groups)))
    }

    // MARK: What readers use

    /// What a reader of a setting has to do.
    enum Reading {
        /// Read the store, because nothing else is known.
        case store(ConnectedStore?, token: UInt64)
        /// Judge a change first.
        case judging
        /// Use this value, and cache it if there is a token.
        case value(ValueInForce, token: UInt64?)
    }

    /// Returns what a reader of a setting has to do. Changes after the commit `since` need not be judged.
    mutating func reading(
        of setting: any CachedSetting, since: UInt64, isExhaustive: Bool, isInside: Bool
    ) -> Reading {
        let reading: Reading? =
            settings.update(setting) { cell in
                guard isExhaustive else { return nil }
                let unjudged = cell.firstUnjudged
                if let unjudged, unjudged.change.first <= since, !isInside { return .judging }
                guard let inForce = cell.lastVerdict, !inForce.isProvisional else { return nil }
                return .value(inForce, token: unjudged == nil ? setting.token : nil)
            } ?? nil
        return reading ?? .store(store, token: setting.token)
    }

    // MARK: What listeners use

    /// Removes the settings that this program uses and whose value in force has not changed: all new bytes were rejected, or another
    /// layer is in force. A commit's changes are delivered before the set of them.
    func steps(_ changes: SettingsService.ChangeSet, _ commits: ClosedRange<UInt64>) -> SettingsService.ChangeSet {
        guard changes.origin == .external || store?.isLayered ?? false else { return changes }
        let keys = changes.keys.filter { key in
            let cells = settings.all(named: key.name)
            return cells.isEmpty || cells.contains { !$0.hasHeldBack(commits) }
        }
        return .init(keys: keys, origin: changes.origin)
    }

    /// The names that groups listen to. Listeners to a whole scope name none.
    func groupNames(in scope: SettingsService.Scope) -> Set<String> {
        Set(groups.flatMap { $0.names(in: scope) }).filter(SettingsService.StorageKey.isValid)
    }

    func isAllListenedTo(in scope: SettingsService.Scope) -> Bool {
        groups.contains { $0.listensToAll(of: scope) }
    }

    /// The settings, by slot, that have listeners but whose value in force is not known, and the moments of their last changes.
    var unknownMoments: [Int: (name: String, moment: UInt64)] {
        var moments: [Int: (name: String, moment: UInt64)] = [:]
        for cell in settings.listenedTo where cell.isUnknown {
            moments[cell.setting.slot] = (cell.setting.name, cell.setting.moment)
        }
        return moments
    }
}
