import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stands in for a store that cannot be opened yet, and passes everything to that store once it is open.
///
/// It tries to open the store in the background, with growing pauses, and when something needs it. Until then:
///
/// - Reading returns the bytes that were written meanwhile, and nothing for every other name. It never waits.
/// - Setting keeps the change in memory and reports `storeUnavailable`, once for each name. So does a batch that
///   ``SettingsStoreBatch/Options/isKept``. The store gets the newest bytes of each name when it opens.
/// - Every other batch throws ``unavailability``: its writes may depend on values that are not the stored ones.
/// - ``keys()``, ``removeAll()``, ``synchronize()`` and ``bringUpToDate()`` throw ``unavailability``.
///
/// When the store is open, it publishes every difference from the values that listeners know, with the origin
/// ``SettingsService/Origin/external``, and reports `recovered`.
///
/// A store that can be opened but not written is not recovered while a change waits for it.
package final class RecoveringStore: SettingsStore {
    private struct State {
        /// The store, when it is open and has every kept change.
        var store: (any SettingsStore)?
        /// The subscription to its feed.
        var subscription: SettingsService.Subscription?
        /// The changes that are kept until the store is open, by name.
        var kept: [String: SettingsStoreBatch.Entry] = [:]
        /// What the store has published since the last attempt to open it began.
        var published: [String: Data?] = [:]
        /// Why the last attempt failed.
        var reason: SettingsError
    }

    /// Calls a function in the background, after a pause.
    package typealias Schedule = @Sendable (_ pause: Duration, _ body: @escaping @Sendable () -> Void) -> Void

    /// Not exhaustive before the store is open: what it holds is unknown.
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let state: Mutex<State>
    /// Held while a change is kept, and while the opened store gets the kept changes: none is added meanwhile.
    private let turn = Mutex((), .store)
    private let schedule: Schedule
    private let open: @Sendable () throws -> any SettingsStore
    private let standInDescription: String

    /// - Parameters:
    ///   - reason: The reason why the store could not be opened.
    ///   - description: The name of the stand-in in messages.
    ///   - open: Opens the store. The store must have an exhaustive feed, and be able to list its keys.
    package init(
        reason: SettingsError, description: String, schedule: @escaping Schedule,
        open: @escaping @Sendable () throws -> any SettingsStore
    ) {
        state = Mutex(State(reason: reason), .store)
        standInDescription = description
        self.schedule = schedule
        self.open = open
    }

    package var feed: SettingsStoreFeed? { ownFeed }
    package var storeDescription: String { openedStore?.storeDescription ?? standInDescription }

    private var openedStore: (any SettingsStore)? { state.withLock { $0.store } }

    /// The reason why the store cannot be used yet; nil when it is open.
    package var unavailability: SettingsError? { state.withLock { $0.store == nil ? $0.reason : nil } }

    /// Tries to open the store unless it is open.
    ///
    /// - Throws: ``unavailability``.
    func requireOpen() throws(SettingsError) { _ = try requiredStore() }

    // MARK: SettingsStore

    package func get(_ key: SettingsService.StorageKey) throws -> Data? {
        let (store, kept) = state.withLock { ($0.store, $0.kept[key.name]) }
        return try store?.get(key) ?? kept?.data
    }

    package func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try keep([.init(key: key, data: data)])?.set(key, to: data)
    }

    package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        let store = batch.options.isKept ? keep(batch.writes) : try requiredStore()
        return try store?.apply(batch) ?? true
    }

    package func keys() throws -> [String] { try requiredStore().keys() }

    package func removeAll() throws { try requiredStore().removeAll() }

    package func synchronize() throws { try requiredStore().synchronize() }

    package func bringUpToDate() throws { try requiredStore().bringUpToDate() }

    /// Keeps writes for the store, and makes them in memory.
    ///
    /// - Returns: The store if it is open; nothing was done then.
    private func keep(_ writes: [SettingsStoreBatch.Entry]) -> (any SettingsStore)? {
        if let store = openedStore { return store }
        var unreported: [SettingsStoreBatch.Entry] = []
        let (store, reason) = turn.withLock { _ in
            state.withLock { state in
                if let store = state.store { return (store as (any SettingsStore)?, state.reason) }
                var changes: [SettingsStoreChange] = []
                for write in writes {
                    let old = state.kept.updateValue(write, forKey: write.key.name)
                    if old == nil { unreported.append(write) }
                    if old?.data != write.data {
                        changes.append(.init(name: write.key.name, from: old?.data, to: write.data))
                    }
                }
                ownFeed.publish(changes, origin: .local)
                return (nil, state.reason)
            }
        }
        ownFeed.flush()
        for write in unreported {
            ownFeed.report(
                SettingsError(
                    .storeUnavailable, key: write.key, store: standInDescription,
                    underlying: StoreIsNotOpen(isKept: true, cause: reason.underlying ?? reason)))
        }
        return store
    }

    // MARK: Opening

    /// Begins attempts in the background, with growing pauses.
    package func begin() { tryInBackground(after: CoreTimings.firstRecoveryPause) }

    private func tryInBackground(after pause: Duration) {
        schedule(pause) { [weak self] in
            guard let self, tryNow() != nil else { return }
            tryInBackground(after: min(pause * 2, CoreTimings.longestRecoveryPause))
        }
    }

    /// Returns the store; tries to open it.
    ///
    /// - Throws: ``unavailability``.
    private func requiredStore() throws(SettingsError) -> any SettingsStore {
        if openedStore == nil { _ = tryNow() }
        return try state.withLock { state throws(SettingsError) in
            guard let store = state.store else { throw state.reason }
            return store
        }
    }

    /// Tries to open the store unless it is open.
    ///
    /// - Returns: ``unavailability``.
    package func tryNow() -> SettingsError? {
        if openedStore != nil { return nil }
        var reports: [SettingsError] = []
        do {
            // Outside the lock: a file system may keep this thread waiting, and others set meanwhile.
            let store = try open()
            // The store's listeners run when the lock is released: they may set settings of this one.
            try HeldStores.hold(self) {
                try turn.withLock { _ in
                    try HeldLocks.excepting { if openedStore == nil { reports = try follow(store) } }
                }
            }
        } catch {
            let failure = SettingsError.wrap(error, as: .storeUnavailable, store: standInDescription)
            let last = state.withLock { state in
                defer { state.reason = failure }
                return state.reason
            }
            if last.description != failure.description { reports = [failure] }
        }
        ownFeed.flush()
        for error in reports { ownFeed.report(error) }
        return unavailability
    }

    /// Writes the kept changes to the store, and passes everything to it from then on.
    ///
    /// - Returns: The errors to report: why the store refuses some of the changes, which are given up.
    private func follow(_ store: any SettingsStore) throws -> [SettingsError] {
        guard let feed = store.feed, feed.isExhaustive else {
            preconditionFailure("A store that is waited for must publish all of its changes.")
        }
        let kept = state.withLock { state in
            state.published = [:]
            return state.kept
        }
        let subscription = feed.observe(publishingOn: ownFeed) { [weak self] changes, origin in
            self?.publish(changes, origin: origin)
        }
        // Read after the subscription has begun, which publishes all later changes.
        var contents: [String: Data] = [:]
        for name in try store.keys() where SettingsService.StorageKey.isValid(name) {
            contents[name] = try store.get(.init(name, scope: .defaults))
        }
        var refusals: [SettingsError] = []
        for write in kept.values {
            do {
                try store.set(write.key, to: write.data)
            } catch {
                let error = SettingsError.wrap(error, as: .writeFailed, key: write.key, store: store.storeDescription)
                if error.isOfStore { throw error }
                refusals.append(error)
            }
        }
        state.withLock { state in
            for (name, data) in state.published { contents[name] = data }
            let changes = Set(contents.keys).union(kept.keys).compactMap { name in
                let (old, new) = (kept[name]?.data, contents[name])
                return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
            }
            (state.store, state.subscription, state.published, state.kept) = (store, subscription, [:], [:])
            // First, because what is published from now on stays known.
            ownFeed.becomeExhaustive()
            ownFeed.publish(changes, origin: .external)
        }
        return refusals + [SettingsError(.recovered, store: store.storeDescription)]
    }

    /// Records the store's changes. Called inside the store's lock.
    private func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        state.withLock { state in
            if state.store != nil { return ownFeed.publish(changes, origin: origin) }
            for change in changes { state.published[change.name] = .some(change.newData) }
        }
    }
}

extension SettingsError {
    /// Whether the same operation may succeed later, because the store failed and the content is valid.
    fileprivate var isOfStore: Bool {
        switch code {
        case .busy, .conflict, .logUnavailable, .memoryOnly, .notSaved, .readFailed, .readOnly, .storeUnavailable,
            .writeFailed:
            true
        default: false
        }
    }
}
