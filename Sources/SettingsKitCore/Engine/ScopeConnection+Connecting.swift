/// A replacement of a store by another, for listeners to groups: they are notified where the two stores differ.
struct StoreReplacement {
    /// The names to compare.
    let names: Set<String>
    /// The values of the replaced store under these names, when it was read.
    let contents: [String: StoredValue]
    /// The names that changed in the replaced store between that reading and the replacement.
    let changedNames: Set<String>
    /// The listeners to groups at the time of the replacement.
    let groups: [GroupListener]
}

/// Changing the store: the lock guards the replacement, which invalidates everything cached. The new store is read on delivery, in
/// order with the changes before and after.
extension ScopeConnection {
    /// Uses a store from now on. Listeners are notified of each difference from the store before.
    func connect(to store: any SettingsStore) {
        let new = ConnectedStore(store)
        state.withLock { $0.transitionCount += 1 }
        var attempt = attempt(to: new)
        while attempt == nil { attempt = self.attempt(to: new) }
        let (hasListeners, names) = state.withLock { state in
            state.transitionCount -= 1
            if state.transitionCount == 0 { state.changedInTransition = [] }
            let listenedTo = state.settings.listenedTo.map(\.setting.name)
            return (!state.groups.isEmpty || !listenedTo.isEmpty, state.groupNames(in: scope).union(listenedTo))
        }
        new.follow(names)
        if hasListeners { new.feed.recordListener() }
        for error in attempt ?? [] { diagnostics.report(error) }
        deliver()
    }

    /// Reads what listeners must know of the present store, and replaces the store.
    ///
    /// - Returns: The errors that have waited for a listener to the store; nil, with nothing changed, if another store took its
    ///   place meanwhile, or if something else must be read.
    private func attempt(to new: ConnectedStore) -> [SettingsError]? {
        let (old, groupNames, comparesAll, unknown) = state.withLock {
            ($0.store, $0.groupNames(in: scope), $0.isAllListenedTo(in: scope), $0.unknownMoments)
        }
        if new.isSame(as: old) { return [] }
        var names = groupNames
        if comparesAll {
            names.formUnion(storedNames(in: old))
            names.formUnion(storedNames(in: new))
        }
        let comparedNames = names
        let contents = contents(of: old, names: comparedNames.union(unknown.values.map(\.name)))
        return state.withLock { state in
            guard state.store === old, state.groupNames(in: scope).isSubset(of: comparedNames),
                comparesAll || !state.isAllListenedTo(in: scope),
                state.unknownMoments.allSatisfy({ unknown[$0.key]?.moment == $0.value.moment })
            else { return nil }
            // Inside the lock, so that no change of the new store is missed and none of the old one counts.
            let errors = new.feed.add(self)
            old?.feed.remove(self)
            state.store = new
            setExhaustive(new.feed.isExhaustive)
            state.sequence += 1
            let sequence = state.sequence
            state.settings.updateAll { cell in
                var before: ValueInForce?
                if let old, unknown[cell.setting.slot] != nil {
                    before = ValueInForce(
                        contents[cell.setting.name] ?? .nothing(in: old), named: cell.setting.name,
                        after: old.feed.earlier)
                }
                cell.reconnect(
                    before, isContinuous: old?.isContinuous ?? true && new.isContinuous,
                    sequence: sequence, in: &state.events)
            }
            if !comparedNames.isEmpty {
                state.events.append(
                    .replacement(
                        StoreReplacement(
                            names: comparedNames, contents: contents, changedNames: state.changedInTransition,
                            groups: state.groups)))
            }
            return errors
        }
    }

    /// Ends the connection to the store. Called when the service is released.
    func disconnect() {
        let store = state.withLock { state in
            defer { state.store = nil }
            setExhaustive(false)
            return state.store
        }
        store?.feed.remove(self)
    }

    /// Returns the values that a store holds under some names. Values that cannot be read are diagnosed.
    func contents(of store: ConnectedStore?, names: Set<String>) -> [String: StoredValue] {
        guard let store else { return [:] }
        var contents: [String: StoredValue] = [:]
        for name in names {
            do throws(SettingsError) {
                let stored = try store.read(.init(name, scope: scope))
                if !stored.isEmpty { contents[name] = stored }
            } catch {
                diagnostics.reportOnce(error)
            }
        }
        return contents
    }

    private func storedNames(in store: ConnectedStore?) -> [String] {
        guard let store else { return [] }
        do throws(SettingsError) {
            return try store.keys()
        } catch {
            // Without a list of the keys, listeners to a setting by name are still notified.
            if error.code != .unsupported { diagnostics.reportOnce(error) }
            return []
        }
    }
}

extension ScopeConnection.State {
    /// The names that groups listen to. Listeners to a whole scope name none.
    fileprivate func groupNames(in scope: SettingsService.Scope) -> Set<String> {
        Set(groups.flatMap { $0.names(in: scope) }).filter(SettingsService.StorageKey.isValid)
    }

    fileprivate func isAllListenedTo(in scope: SettingsService.Scope) -> Bool {
        groups.contains { $0.listensToAll(of: scope) }
    }

    /// The settings, by slot, that have listeners but whose value in force is not known, and the moments of their last changes.
    fileprivate var unknownMoments: [Int: (name: String, moment: UInt64)] {
        var moments: [Int: (name: String, moment: UInt64)] = [:]
        for cell in settings.listenedTo where cell.isUnknown {
            moments[cell.setting.slot] = (cell.setting.name, cell.setting.moment)
        }
        return moments
    }
}
