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
/// - Setting keeps the change in memory and reports `pending`, once for each name. So does a batch that
///   ``SettingsStoreBatch/Options/isKept``. The store gets the newest bytes of each name when it is open.
/// - Every other batch throws ``unavailability``: its writes may depend on values that are not the stored ones.
/// - ``keys()``, ``removeAll()``, ``synchronize()`` and ``bringUpToDate()`` throw ``unavailability``.
///
/// When the store is open, it publishes every difference from the values that listeners know, with the origin
/// ``SettingsService/Origin/external``, and reports `recovered`.
///
/// A store that can be opened but not written is not recovered while a change waits for it.
package final class RecoveringStore: SettingsStore {
    struct State {
        /// The store, when it is open and has every kept change.
        var store: (any SettingsStore)?
        /// The bytes that were written meanwhile.
        var contents: [String: Data] = [:]
        /// The writes to make when the store is open, by name.
        var pending: [String: SettingsStoreBatch.Entry] = [:]
        /// The names for which `pending` was reported.
        var reported: Set<String> = []
        /// The changes that the store has published since it was opened, while the pending changes are made; nil at other times.
        var published: [String: Data?]?
        /// The reason why the last attempt to open the store failed.
        var reason: SettingsError
        /// The subscription to the store's feed, when the store is open.
        var subscription: SettingsService.Subscription?
        var isTrying = false
        /// The time at which using the store makes it try again.
        var nextTry: ContinuousClock.Instant
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
            wait: @escaping @Sendable (Duration) -> Void, pauseBetweenUses: Duration = CoreTimings.recoveryUsePause
        ) {
            (self.schedule, self.wait, self.pauseBetweenUses) = (schedule, wait, pauseBetweenUses)
        }
    }

    let state: Mutex<State>
    /// Not exhaustive before the store is open: every `get` comes here, and can start an attempt.
    let ownFeed = SettingsStoreFeed(isExhaustive: false)
    let timing: Timing
    let open: @Sendable () throws -> any SettingsStore
    /// The delay of a write in microseconds, because other writes keep the recovery from ending.
    let hindrance = Atomic(0)
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

    package var agreesWithOthers: Bool { openedStore?.agreesWithOthers ?? false }

    /// The reason why the store cannot be used yet; nil when it is open.
    package var unavailability: SettingsError? { state.withLock { $0.store == nil ? $0.reason : nil } }

    /// Tries to open the store unless it is open.
    ///
    /// - Throws: ``unavailability``.
    func requireOpen() throws(SettingsError) {
        _ = try requiredStore()
    }

    // MARK: SettingsStore

    package func get(_ key: SettingsService.StorageKey) throws -> Data? {
        let (store, data) = state.withLock { ($0.store, $0.contents[key.name]) }
        if let store { return try store.get(key) }
        tryInBackgroundIfDue()
        return data
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
        typealias Outcome = (store: (any SettingsStore)?, newKeys: [SettingsService.StorageKey])
        let (store, newKeys) = state.withLock { state -> Outcome in
            if let store = state.store { return (store, []) }
            for write in writes { state.pending[write.key.name] = write }
            ownFeed.publish(state.contents.store(writes), origin: .local)
            return (nil, writes.map(\.key).filter { state.reported.insert($0.name).inserted })
        }
        if let store { return store }
        ownFeed.flush()
        for key in newKeys {
            ownFeed.report(SettingsError(.pending, key: key, store: standInDescription, underlying: unavailability))
        }
        return nil
    }

    package func keys() throws -> [String] { try requiredStore().keys() }

    package func removeAll() throws { try requiredStore().removeAll() }

    package func synchronize() throws { try requiredStore().synchronize() }

    package func bringUpToDate() throws { try requiredStore().bringUpToDate() }
}
