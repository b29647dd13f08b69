import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Connects a service with the store of one scope: receives the store's changes, invalidates cached values, and delivers changes to
/// listeners in the order of their commits.
///
/// Locks are taken in this order: the store's, the connection's, then a feed's. The connection's lock guards only its ``State``.
/// Listeners, coders and the store are called outside of it, and values that were passed to listeners are released outside of it.
final class ScopeConnection: StoreFeedListener {
    struct State {
        /// The present store.
        var store: ConnectedStore?
        var settings = SettingCells()
        /// Listeners to groups of settings.
        var groups: [GroupListener]
        /// The number of the last commit.
        var sequence: UInt64 = 0
        var events = PendingEvents()
        /// The number of calls of ``connect(to:)`` that compare stores, and the names that have changed since the first of them
        /// began.
        var transitionCount = 0
        var changedInTransition: Set<String> = []
        /// The names that were used by settings that are gone, or by listeners to groups.
        var usedNames: Set<String> = []
    }

    let scope: SettingsService.Scope
    let diagnostics: Diagnostics
    let state: Mutex<State>
    private let hasExhaustiveFeed = Atomic(false)
    /// The number of values that are being written: ``SettingCell/pendingSets``. Changed inside the lock.
    private let pendingSetCount = Atomic(0)

    init(scope: SettingsService.Scope, diagnostics: Diagnostics, groups: [GroupListener]) {
        self.scope = scope
        self.diagnostics = diagnostics
        state = Mutex(State(groups: groups), .connection)
    }

    // MARK: The store

    /// The store; nil if none is registered for the scope.
    var store: ConnectedStore? { state.withLock { $0.store } }

    /// Returns the store.
    ///
    /// - Throws: `noStore` if no store is registered for the scope.
    func requireStore(for key: SettingsService.StorageKey? = nil) throws(SettingsError) -> ConnectedStore {
        guard let store else { throw noStore(key) }
        return store
    }

    private func noStore(_ key: SettingsService.StorageKey?) -> SettingsError {
        SettingsError(.noStore, key: key, store: key == nil ? "\(scope)" : nil)
    }

    /// Whether the store publishes every change before a reader could see the old value again.
    var isExhaustive: Bool { hasExhaustiveFeed.load(ordering: .acquiring) }

    func setExhaustive(_ isExhaustive: Bool) { hasExhaustiveFeed.store(isExhaustive, ordering: .releasing) }

    /// Reports, once, that stored bytes could not be decoded, with the line of these bytes.
    func reportOnce(_ error: SettingsError, bytes: Data?) {
        let store = store?.store
        diagnostics.reportOnce(store?.locating(error) ?? error, bytes: bytes) {
            guard let key = error.key, let bytes else { return nil }
            return (store as? any LocatingStore)?.line(of: key.name, holding: bytes)
        }
    }

    // MARK: Settings

    /// Adds a setting, which `make` creates for its slot.
    func add<Setting: CachedSetting>(_ make: (Int) -> Setting) -> Setting {
        state.withLock { $0.settings.add(make) }
    }

    func remove(_ setting: AnyObject, named name: String) {
        let cell = state.withLock { state in
            let cell = state.settings.remove(setting, named: name)
            if cell?.setting.isUsed == true { state.usedNames.insert(name) }
            return cell
        }
        withExtendedLifetime(cell) {}
    }

    /// Records a value that is about to be written as `data`, so that listeners receive it without decoding.
    ///
    /// - Returns: The store to write to, and the value to pass to ``didCommit(_:of:)`` when the write has ended, also if it failed;
    ///   the value is nil if decoding the bytes gives it.
    func willCommit(
        _ value: any Sendable, as data: Data?, of setting: any CachedSetting, key: SettingsService.StorageKey
    ) throws(SettingsError) -> (store: ConnectedStore, pending: SetValue?) {
        let pending = setting.keepsSetValues ? data.map { SetValue(value, as: $0) } : nil
        let store = state.withLock { state in
            state.settings.expectChange(of: setting)
            if let pending, state.store != nil,
                state.settings.update(setting, { $0.pendingSets.append(pending) }) != nil
            {
                pendingSetCount.add(1, ordering: .relaxed)
            }
            return state.store
        }
        guard let store else { throw noStore(key) }
        return (store, pending)
    }

    /// Discards a value that was not written, because it is the stored one or the write has failed.
    func didCommit(_ pending: SetValue?, of setting: any CachedSetting) {
        // Most often the commit has removed it. This thread has then seen that.
        guard pendingSetCount.load(ordering: .relaxed) > 0, let pending else { return }
        state.withLock { state in
            _ = state.settings.update(setting) { cell in
                guard let index = cell.pendingSets.firstIndex(where: { $0 === pending }) else { return }
                pendingSetCount.subtract(1, ordering: .relaxed)
                cell.pendingSets.remove(at: index)
            }
        }
    }

    /// The number of the last commit.
    var sequence: UInt64 { state.withLock { $0.sequence } }

    /// Runs `body` between two commits. `body` must not call foreign code.
    func betweenCommits<R: Sendable>(_ body: () -> R) -> R { state.withLock { _ in body() } }

    /// Returns whether a setting of a name was read, or listened to.
    func isUsed(_ name: String) -> Bool {
        let (settings, wasUsed) = state.withLock { state in
            (state.settings.all(named: name).map(\.setting), state.usedNames.contains(name))
        }
        return wasUsed || settings.contains(where: \.isUsed)
    }

    // MARK: Listeners

    /// Adds a listener to the changes that are committed from now on.
    ///
    /// - Returns: A closure that removes the listener.
    func listen(to setting: any CachedSetting, _ body: SettingListener.Body) -> @Sendable () -> Void {
        store?.follow([setting.name])
        defer { recordListener() }
        return add(body, to: setting)
    }

    /// Lets the store know that there is a listener. Called outside of every lock, because a store may then act.
    func recordListener() { store?.feed.recordListener() }

    /// Adds a listener, of which the caller lets the store know.
    func add(_ body: SettingListener.Body, to setting: any CachedSetting) -> @Sendable () -> Void {
        setting.recordUse()
        let listener = state.withLock { state in
            let listener = SettingListener(since: state.sequence, body: body)
            _ = state.settings.update(setting) { $0.listeners.append(listener) }
            return listener
        }
        return { [self] in
            listener.isActive.store(false, ordering: .releasing)
            let released = state.withLock { state in
                state.settings.update(setting) { cell in cell.remove(listener) } ?? nil
            }
            withExtendedLifetime(released) {}
        }
    }

    func add(_ group: GroupListener) {
        let store = state.withLock { state in
            state.groups.append(group)
            state.usedNames.formUnion(group.names(in: scope))
            return state.store
        }
        store?.follow(group.names(in: scope))
        store?.feed.recordListener()
    }

    func remove(_ group: GroupListener) {
        state.withLock { $0.groups.removeAll { $0 === group } }
    }

    // MARK: The feed

    var receivesErrors: Bool { true }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool {
        state.withLock { state in
            guard state.store?.feed === feed else { return false }
            if state.transitionCount > 0 { state.changedInTransition.formUnion(changes.map(\.name)) }
            state.commit(
                changes, origin: origin, scope: scope, isExhaustive: isExhaustive, pendingSetCount, feed.earlier)
            return state.events.isWorkDue
        }
    }

    func storeDidReleaseLock() { deliver() }

    func storeDidReport(_ error: SettingsError) { diagnostics.report(error) }

    func storeDidBecomeExhaustive(_ feed: SettingsStoreFeed) {
        state.withLock { state in
            if state.store?.feed === feed { setExhaustive(true) }
        }
    }
}

extension ScopeConnection.State {
    /// Orders changes: invalidates cached values, and queues events.
    fileprivate mutating func commit(
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
}
