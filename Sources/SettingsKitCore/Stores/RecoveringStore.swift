import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stands in for a store that cannot be opened yet, and passes everything to that store once it is open.
///
/// It tries to open the store in the background, with growing pauses, and when it is used. Until then:
///
/// - Reading returns the bytes that were written meanwhile, and nothing for every other name. It never waits.
/// - Setting keeps the change in memory and reports `storeUnavailable`, once for each name. So does a batch that
///   ``SettingsStoreBatch/Options/isKept``. The store gets the newest bytes of each name when it is open.
/// - Every other batch throws ``unavailability``: its writes may depend on values that are not the stored ones.
/// - ``keys()``, ``removeAll()``, ``synchronize()`` and ``bringUpToDate()`` throw ``unavailability``.
///
/// When the store is open, it publishes every difference from the values that listeners know, with the origin
/// ``SettingsService/Origin/external``, and reports `recovered`.
///
/// A store that can be opened but not written is not recovered while a change waits for it.
package final class RecoveringStore: SettingsStore {
    private struct State {
        /// The store, when it is open and has every write.
        var store: (any SettingsStore)?
        /// The subscription to its feed.
        var subscription: SettingsService.Subscription?
        /// The changes that are kept until the store is open, by name.
        var kept: [String: Kept] = [:]
        /// The number of changes so far.
        var keptCount = 0
        /// The names whose changes were reported.
        var reported: Set<String> = []
        /// The changes that the store has published since it was opened, while the writes are stored; nil at other times.
        var published: [String: Data?]?
        /// The reason why the last attempt failed.
        var reason: SettingsError
        var isTrying = false
        /// The time at which using the store makes it try again.
        var nextTry: ContinuousClock.Instant
    }

    /// A change that is kept until the store is open.
    private struct Kept: Sendable {
        let write: SettingsStoreBatch.Entry
        /// Differs from that of every other change, so that one with the same bytes differs from it.
        let number: Int
        /// Whether the store has it or has refused it.
        var isStored = false
    }

    /// The timing of attempts in the background.
    package struct Timing: Sendable {
        let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
        let wait: @Sendable (Duration) -> Void
        let pauseBetweenUses: Duration

        /// - Parameters:
        ///   - schedule: Calls a function in the background, after a delay.
        ///   - wait: Waits, on the calling thread.
        ///   - pauseBetweenUses: The time after an attempt during which using the store starts no other.
        package init(
            schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
            wait: @escaping @Sendable (Duration) -> Void,
            pauseBetweenUses: Duration = CoreTimings.recoveryUsePause
        ) {
            (self.schedule, self.wait, self.pauseBetweenUses) = (schedule, wait, pauseBetweenUses)
        }
    }

    /// Not exhaustive before the store is open: every `get` comes here, and can start an attempt.
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let state: Mutex<State>
    private let timing: Timing
    private let open: @Sendable () throws -> any SettingsStore
    /// The delay of a write in microseconds, because other writes keep the recovery from ending.
    private let writeDelay = Atomic(0)
    private let standInDescription: String

    /// - Parameters:
    ///   - reason: The reason why the store could not be opened.
    ///   - description: The name of the stand-in in messages.
    ///   - open: Opens the store. The store must have an exhaustive feed, and be able to list its keys.
    package init(
        reason: SettingsError, description: String, timing: Timing,
        open: @escaping @Sendable () throws -> any SettingsStore
    ) {
        state = Mutex(State(reason: reason, nextTry: .now + timing.pauseBetweenUses), .standIn)
        standInDescription = description
        self.timing = timing
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
        if let store { return try store.get(key) }
        tryInBackgroundIfDue()
        return kept?.write.data
    }

    package func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        if let store = storeIfDue() ?? keep([.init(key: key, data: data)]) { try store.set(key, to: data) }
    }

    package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.options.isKept else { return try requiredStore().apply(batch) }
        if let store = storeIfDue() ?? keep(batch.writes) { return try store.apply(batch) }
        return true
    }

    /// Keeps writes for the store, and makes them in memory.
    ///
    /// - Returns: The store if it is now open; nothing was done then.
    private func keep(_ writes: [SettingsStoreBatch.Entry]) -> (any SettingsStore)? {
        waitForRecovery()
        var unreported: [SettingsStoreBatch.Entry] = []
        let (store, reason) = state.withLock { state in
            if let store = state.store { return (store as (any SettingsStore)?, state.reason) }
            var changes: [SettingsStoreChange] = []
            for write in writes {
                let old = state.kept[write.key.name]?.write.data
                if old != write.data { changes.append(.init(name: write.key.name, from: old, to: write.data)) }
                state.keptCount += 1
                state.kept[write.key.name] = Kept(write: write, number: state.keptCount)
                if state.reported.insert(write.key.name).inserted { unreported.append(write) }
            }
            ownFeed.publish(changes, origin: .local)
            return (nil, state.reason)
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

    package func keys() throws -> [String] { try requiredStore().keys() }

    package func removeAll() throws { try requiredStore().removeAll() }

    package func synchronize() throws { try requiredStore().synchronize() }

    package func bringUpToDate() throws { try requiredStore().bringUpToDate() }

    // MARK: When

    /// Begins attempts in the background, with growing pauses.
    package func begin() { tryInBackground(after: CoreTimings.firstRecoveryPause) }

    private func tryInBackground(after pause: Duration) {
        timing.schedule(pause) { [weak self] in
            guard let self, openedStore == nil else { return }
            if tryNow() != nil { tryInBackground(after: min(pause * 2, CoreTimings.longestRecoveryPause)) }
        }
    }

    /// Starts one attempt in the background if the last one was a while ago. Does not wait.
    private func tryInBackgroundIfDue() {
        let isDue = state.withLock { state in
            if state.isTrying || state.store != nil || state.nextTry > .now { return false }
            state.nextTry = .now + timing.pauseBetweenUses
            return true
        }
        guard isDue else { return }
        timing.schedule(.zero) { [weak self] in _ = self?.tryNow() }
    }

    /// Returns the store if it is open; tries to open it if the last attempt was a while ago.
    private func storeIfDue() -> (any SettingsStore)? {
        if let store = openedStore { return store }
        guard isTurn(isForced: false) else { return nil }
        recover()
        return openedStore
    }

    /// Tries to open the store unless it is open, or another thread is trying.
    ///
    /// - Returns: ``unavailability``.
    package func tryNow() -> SettingsError? {
        if isTurn(isForced: true) { recover() }
        return unavailability
    }

    /// Returns the store; tries to open it.
    ///
    /// - Throws: ``unavailability``.
    private func requiredStore() throws(SettingsError) -> any SettingsStore {
        if let store = openedStore { return store }
        _ = tryNow()
        return try state.withLock { state throws(SettingsError) in
            guard let store = state.store else { throw state.reason }
            return store
        }
    }

    /// Returns whether the caller must try; no other thread does until ``recover()`` has returned.
    private func isTurn(isForced: Bool) -> Bool {
        state.withLock { state in
            if state.isTrying || state.store != nil { return false }
            if !isForced && state.nextTry > .now { return false }
            state.isTrying = true
            return true
        }
    }

    /// Delays a write for a moment, so that the recovery can end although writes keep arriving. No longer, because the recovery may
    /// be waiting for the writer.
    private func waitForRecovery() {
        let pause = writeDelay.load(ordering: .relaxed)
        if pause > 0 { timing.wait(.microseconds(pause)) }
    }

    // MARK: How

    /// Tries to open the store, and to store the kept changes, once.
    ///
    /// One thread at a time does so, without a lock: it runs foreign code (listeners of the store), which may read and write settings.
    /// So writes may arrive until the end. The recovery ends when it finds none left.
    private func recover() {
        let failure: SettingsError?
        do {
            try follow(try open())
            failure = nil
        } catch {
            failure = .wrap(error, as: .storeUnavailable, store: storeDescription)
        }
        writeDelay.store(0, ordering: .relaxed)
        let isNew = state.withLock { state in
            state.isTrying = false
            state.nextTry = .now + timing.pauseBetweenUses
            guard let failure else { return false }
            defer { state.reason = failure }
            return state.reason.description != failure.description
        }
        if let failure {
            if isNew { ownFeed.report(failure) }
        } else {
            ownFeed.flush()
            ownFeed.report(SettingsError(.recovered, store: storeDescription))
        }
    }

    /// Stores the kept changes in a store, and passes everything to it from then on.
    private func follow(_ store: any SettingsStore) throws {
        guard let feed = store.feed, feed.isExhaustive else {
            preconditionFailure("A store that is waited for must publish all of its changes.")
        }
        state.withLock { $0.published = [:] }
        let subscription = feed.observe(publishingOn: ownFeed) { [weak self] changes, origin in
            self?.publish(changes, origin: origin)
        }
        do {
            // Read after the subscription has begun, which publishes all later changes.
            var contents: [String: Data] = [:]
            for name in try store.keys() where SettingsService.StorageKey.isValid(name) {
                contents[name] = try store.get(.init(name, scope: .defaults))
            }
            repeat {
                try self.store(state.withLock { $0.kept.values.filter { !$0.isStored } }, in: store)
                // Delay writes longer each time, if they arrive faster than they are stored.
                writeDelay.store(min(10_000, writeDelay.load(ordering: .relaxed) + 20), ordering: .relaxed)
            } while !goOver(to: store, holding: contents, subscription)
        } catch {
            subscription.cancel()
            state.withLock { $0.published = nil }
            throw error
        }
    }

    /// Stores writes. One that the store refuses for its content, not because it could not write, is reported and given up.
    private func store(_ changes: [Kept], in store: any SettingsStore) throws {
        if changes.isEmpty { return }
        do {
            _ = try store.apply(SettingsStoreBatch(writes: changes.map(\.write), options: .ofSet))
        } catch {
            let key = changes.count == 1 ? changes[0].write.key : nil
            let error = SettingsError.wrap(error, as: .writeFailed, key: key, store: store.storeDescription)
            if error.isOfStore { throw error }
            guard changes.count == 1 else {
                for change in changes { try self.store([change], in: store) }
                return
            }
            ownFeed.report(error)
        }
        // Also if the recovery fails now, and is repeated later.
        state.withLock { state in
            for change in changes where state.kept[change.write.key.name]?.number == change.number {
                state.kept[change.write.key.name]?.isStored = true
            }
        }
    }

    /// Passes everything to the store from now on, and publishes the differences from the values in memory.
    ///
    /// - Parameters:
    ///   - contents: The store's values when the subscription began.
    ///   - subscription: The subscription to the store's feed.
    /// - Returns: False, with nothing changed, if changes have arrived that are still to be stored.
    private func goOver(
        to store: any SettingsStore, holding contents: [String: Data], _ subscription: SettingsService.Subscription
    ) -> Bool {
        state.withLock { state in
            guard state.kept.values.allSatisfy(\.isStored) else { return false }
            var contents = contents
            for (name, data) in state.published ?? [:] { contents[name] = data }
            let changes = Set(contents.keys).union(state.kept.keys).compactMap { name in
                let (old, new) = (state.kept[name]?.write.data, contents[name])
                return old == new ? nil : SettingsStoreChange(name: name, from: old, to: new)
            }
            (state.store, state.subscription, state.published, state.kept) = (store, subscription, nil, [:])
            ownFeed.publish(changes, origin: .external)
            ownFeed.becomeExhaustive()
            return true
        }
    }

    /// Records the store's changes. Called inside the store's lock.
    private func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        state.withLock { state in
            if state.store != nil { return ownFeed.publish(changes, origin: origin) }
            for change in changes { state.published?[change.name] = .some(change.newData) }
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
