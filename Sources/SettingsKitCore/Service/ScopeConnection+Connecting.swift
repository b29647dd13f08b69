/// A replacement of a store by another. Listeners are notified where the two stores differ.
struct StoreReplacement {
    let sequence: UInt64
    /// The names to compare.
    let names: Set<String>
    /// The values of the replaced store under these names, when it was read.
    let contents: [String: StoredValue]
    /// The names that changed in the replaced store between that reading and the replacement.
    let changedNames: Set<String>
    /// The listeners to groups at the time of the replacement.
    let groups: [GroupListener]
}

/// Changing the store: the lock guards the replacement, which invalidates everything cached. The stores are compared on delivery,
/// in order with the changes before and after.
extension ScopeConnection {
    /// Uses a store from now on. Listeners are notified of each difference from the store before.
    func connect(to store: any SettingsStore) {
        let new = ConnectedStore(store)
        state.withLock { $0.transitionCount += 1 }
        var attempt = attempt(to: new)
        while attempt == nil { attempt = self.attempt(to: new) }
        let hasListeners = state.withLock { state in
            state.transitionCount -= 1
            if state.transitionCount == 0 { state.changedInTransition = [] }
            return !state.groups.isEmpty || !state.settings.listenedTo.isEmpty
        }
        if hasListeners { new.feed.recordListener() }
        for error in attempt ?? [] { diagnostics.report(error) }
        deliver()
    }

    /// Reads the values of the present store under the names that have listeners, and replaces the store.
    ///
    /// - Returns: The errors that have waited for a listener to the store; nil, with nothing changed, if another store took its
    ///   place meanwhile, or if other names got listeners.
    private func attempt(to new: ConnectedStore) -> [SettingsError]? {
        let (old, listenedNames, comparesAll) = state.withLock {
            ($0.store, $0.listenedNames(in: scope), $0.isAllListenedTo(in: scope))
        }
        if new.isSame(as: old) { return [] }
        var names = listenedNames
        if comparesAll {
            names.formUnion(storedNames(in: old))
            names.formUnion(storedNames(in: new))
        }
        let comparedNames = names
        let contents = contents(of: old, names: comparedNames)
        return state.withLock { state in
            guard state.store === old, state.listenedNames(in: scope).isSubset(of: comparedNames),
                comparesAll || !state.isAllListenedTo(in: scope)
            else { return nil }
            // Inside the lock, so that no change of the new store is missed and none of the old one counts.
            let errors = new.feed.add(self)
            old?.feed.remove(self)
            state.store = new
            setExhaustive(new.feed.isExhaustive)
            state.sequence += 1
            let replacement = StoreReplacement(
                sequence: state.sequence, names: comparedNames, contents: contents,
                changedNames: state.changedInTransition, groups: state.groups)
            let position = comparedNames.isEmpty ? -1 : state.events.append(replacement)
            state.settings.updateAll { entry in
                entry.setting.invalidate()
                entry.lastGood = LayerValues()
                entry.hasSeenChange = false
                state.events.release(entry.lastSet)
                entry.lastSet = nil
                if comparedNames.contains(entry.setting.name) { entry.lastEvent = position }
                if entry.listeners.isEmpty { entry.assumed = nil }
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
    /// Returns the names that have listeners. Listeners to a whole scope name none.
    fileprivate func listenedNames(in scope: SettingsService.Scope) -> Set<String> {
        Set(groups.flatMap { $0.names(in: scope) } + settings.listenedTo.map(\.name))
            .filter(SettingsService.StorageKey.isValid)
    }

    fileprivate func isAllListenedTo(in scope: SettingsService.Scope) -> Bool {
        groups.contains { $0.listensToAll(of: scope) }
    }
}
