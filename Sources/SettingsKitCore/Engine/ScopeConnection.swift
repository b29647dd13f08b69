import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Connects a service with the store of one scope: receives the store's changes, invalidates cached values, and delivers changes to
/// listeners in the order of their commits.
///
/// Locks are taken in this order: the store's, the connection's, then a feed's. The connection's lock guards only its
/// ``ConnectionState``. Listeners, coders and the store are called outside of it, and values that were passed to listeners are
/// released outside of it.
final class ScopeConnection: StoreFeedListener {
    let scope: SettingsService.Scope
    let diagnostics: Diagnostics
    let state: Mutex<ConnectionState>
    private let hasExhaustiveFeed = Atomic(false)
    /// The number of values that are being written: ``SettingCell/pendingSets``. Changed inside the lock.
    private let pendingSetCount = Atomic(0)

    init(scope: SettingsService.Scope, diagnostics: Diagnostics, groups: [GroupListener]) {
        self.scope = scope
        self.diagnostics = diagnostics
        state = Mutex(ConnectionState(groups: groups), .connection)
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

    // MARK: Replacing the store

    /// Uses a store from now on. Listeners are notified of each difference from the store before.
    ///
    /// The lock guards the replacement, which invalidates everything cached. The new store is read on delivery, in order with the
    /// changes before and after.
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
            for store in [old, new] { names.formUnion(store?.knownNames(diagnostics) ?? []) }
        }
        let comparedNames = names
        let readNames = comparedNames.union(unknown.values.map(\.name))
        let contents = old?.contents(named: readNames, in: scope, diagnostics) ?? [:]
        return state.withLock { state in
            guard state.store === old, state.groupNames(in: scope).isSubset(of: comparedNames),
                comparesAll || !state.isAllListenedTo(in: scope),
                state.unknownMoments.allSatisfy({ unknown[$0.key]?.moment == $0.value.moment })
            else { return nil }
            // Inside the lock, so that no change of the new store is missed and none of the old one counts.
            let errors = new.feed.add(self)
            old?.feed.remove(self)
            setExhaustive(new.feed.isExhaustive)
            state.replaceStore(by: new, comparing: comparedNames, contents, unknown: Set(unknown.keys))
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

    // MARK: Judging

    /// Returns what a reader of a setting has to do.
    ///
    /// - Parameters:
    ///   - begin: The number of the last commit when the reader began, which it sets. Later changes need not be judged.
    ///   - isInside: Whether the caller is the setting's own code that judges: it gets what is in force.
    func reading(of setting: any CachedSetting, since begin: inout UInt64?, isInside: Bool) -> ConnectionState.Reading {
        state.withLock { state in
            let since = begin ?? state.sequence
            begin = since
            return state.reading(of: setting, since: since, isExhaustive: isExhaustive, isInside: isInside)
        }
    }

    /// Records what a reader has found to be in force, unless the setting has changed since.
    func settle(_ inForce: ValueInForce, of setting: any CachedSetting, token: UInt64) {
        let replaced = state.withLock { state in
            state.settings.update(setting) { cell -> ValueInForce? in
                guard isExhaustive, setting.token == token else { return nil }
                defer { cell.settle(inForce) }
                return cell.inForce
            } ?? nil
        }
        withExtendedLifetime(replaced) {}
    }

    /// Judges the first change of a setting that has no verdict.
    ///
    /// Several threads may judge it, outside of every lock, but the first verdict counts: no reader waits for a user's code on
    /// another thread.
    ///
    /// - Returns: False if the verdict does not count, because another thread was faster, or the change is another one now.
    @discardableResult func judgeNext(of setting: any CachedSetting) -> Bool {
        let (unjudged, store) = state.withLock { state in
            (state.settings.update(setting) { $0.firstUnjudged } ?? nil, state.store)
        }
        guard let unjudged else { return true }
        let (verdict, before, error) = unjudged.verdict(of: setting, in: store, scope: scope)
        if let error { diagnostics.reportOnce(error) }
        report(verdict.resolution?.rejections ?? [])
        if unjudged.change.isFromOutside, let store, let resolution = verdict.resolution {
            store.feed.earlier.record(resolution, named: setting.name)
        }
        let (replaced, isRecorded) = state.withLock { state in
            state.settings.update(setting) { cell in
                (cell.inForce, cell.judge(unjudged, verdict, after: before))
            } ?? (nil, true)
        }
        withExtendedLifetime(replaced) {}
        return isRecorded
    }

    /// Reports the stored values that the setting rejects, once for each cause.
    func report(_ rejections: [Resolution.Rejection]) {
        for rejection in rejections { reportOnce(rejection.error, bytes: rejection.candidate.data) }
    }

    // MARK: Delivering

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
                let changes = state.withLock { $0.steps(changes, commits) }
                for listener in listeners { listener.deliver(changes) }
            case .replacement(let replacement)?: deliver(replacement)
            case nil: return
            }
        }
        Task.detached { self.deliverNext() }
    }

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

    /// Notifies listeners to groups of the differences between the replaced store and the present one.
    private func deliver(_ replacement: StoreReplacement) {
        let stored = store?.contents(named: replacement.names, in: scope, diagnostics) ?? [:]
        let differing = replacement.differences(to: stored)
        if differing.isEmpty { return }
        let keys = Set(differing.map { SettingsService.StorageKey($0, scope: scope) })
        for listener in replacement.groups { listener.deliver(.init(keys: keys, origin: .external)) }
    }
}
