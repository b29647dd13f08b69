import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stands in for a store that cannot be opened yet, and becomes that store as soon as it can be opened.
///
/// It tries to open the store in the background, with growing pauses, and when it is used. Until then:
///
/// - Reading returns the bytes that were written meanwhile, and nothing for every other name. It never waits.
/// - Setting keeps the change in memory and reports `pending`, once for each name. The changes are made in the store, in
///   their order, when that is open.
/// - A batch with a ``SettingsStoreBatch/operation`` is carried out in memory, and its operation is carried out again on the
///   store. Every other batch throws ``unavailability``: its writes may depend on values that are not the stored ones.
/// - ``keys()``, ``removeAll()`` and ``synchronize()`` throw ``unavailability``.
///
/// When the store is open, everything is passed on to it. What differs from the values that listeners know is published,
/// with the origin ``SettingsService/Origin/external``, and `recovered` is reported.
///
/// A store that can be opened but not written is not recovered while a change waits for it.
package final class RecoveringStore: SettingsStore {
    struct State {
        /// The store, when it is open and has every change that was kept.
        var store: (any SettingsStore)?
        /// What was written meanwhile.
        var contents: [String: Data] = [:]
        var pending = PendingChanges()
        /// The names for which `pending` was reported.
        var reported: Set<String> = []
        /// What the store has published since it was opened, while the pending changes are made; nil at other times.
        var published: [String: Data?]?
        /// Why the store could not be opened the last time.
        var reason: SettingsError
        /// The subscription to the store's feed, when the store is open.
        var subscription: SettingsService.Subscription?
        var isTrying = false
        /// When using the store makes it try again.
        var nextTry: ContinuousClock.Instant
    }

    /// When something happens in the background.
    package struct Timing: Sendable {
        let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
        let wait: @Sendable (Duration) -> Void
        let pauseBetweenUses: Duration

        /// - Parameters:
        ///   - schedule: Calls a function in the background, after a while.
        ///   - wait: Waits, on the calling thread.
        ///   - pauseBetweenUses: How long using the store does not make it try again.
        package init(
            schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
            wait: @escaping @Sendable (Duration) -> Void, pauseBetweenUses: Duration = .milliseconds(100)
        ) {
            (self.schedule, self.wait, self.pauseBetweenUses) = (schedule, wait, pauseBetweenUses)
        }
    }

    let state: Mutex<State>
    /// Not exhaustive before the store is open: every `get` comes here, and makes it try again.
    let ownFeed = SettingsStoreFeed(isExhaustive: false)
    let timing: Timing
    let open: @Sendable () throws -> any SettingsStore
    /// How long a write waits, in microseconds, because others keep the recovery from coming to an end.
    let hindrance = Atomic(0)
    private let standInDescription: String

    /// - Parameters:
    ///   - reason: Why the store could not be opened.
    ///   - description: What messages call the stand-in.
    ///   - open: Opens the store. It must have an exhaustive feed, and be able to list its keys.
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

    /// Why the store cannot be used yet; nil when it is open.
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
        if let store = storeIfDue() { return try store.set(key, to: data) }
        let outcome = try keep(SettingsStoreBatch(writes: [.init(key: key, data: data)]))
        if case .isOpen(let store) = outcome { try store.set(key, to: data) }
    }

    package func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.operation != nil else {
            if batch.isQuestion, let answer = answer(to: batch) { return answer }
            return try requiredStore().apply(batch)
        }
        if let store = storeIfDue() { return try store.apply(batch) }
        return switch try keep(batch) {
        case .isOpen(let store): try store.apply(batch)
        case .isRefused: false
        case .isKept: true
        }
    }

    /// Whether the expectations of a question hold for what stands in for the store; nil if the store is open.
    private func answer(to question: SettingsStoreBatch) -> Bool? {
        state.withLock { state in
            if state.store != nil { return nil }
            return question.expectations.hold { state.contents[$0] }
        }
    }

    private enum Outcome {
        /// Nothing was done: the store is open now.
        case isOpen(any SettingsStore)
        /// Nothing was done: an expectation did not hold.
        case isRefused
        /// With the keys for which that was not reported yet.
        case isKept([SettingsService.StorageKey])
    }

    /// Carries a batch out in memory, and keeps its operation, or its writes, for the store.
    private func keep(_ batch: SettingsStoreBatch) throws(SettingsError) -> Outcome {
        waitForRecovery()
        let outcome = try state.withLock { state throws(SettingsError) -> Outcome in
            if let store = state.store { return .isOpen(store) }
            guard batch.expectations.hold(for: { state.contents[$0] }) else { return .isRefused }
            if let operation = batch.operation {
                if state.pending.isFull && !batch.writes.isEmpty { throw state.reason }
                if !state.pending.isFull { state.pending.keep(operation) }
            } else {
                for write in batch.writes { state.pending.keep(write) }
            }
            ownFeed.publish(state.contents.store(batch.writes), origin: .local)
            return .isKept(batch.writes.map(\.key).filter { state.reported.insert($0.name).inserted })
        }
        if case .isKept(let keys) = outcome {
            ownFeed.flush()
            for key in keys {
                ownFeed.report(SettingsError(.pending, key: key, store: standInDescription, underlying: unavailability))
            }
        }
        return outcome
    }

    package func keys() throws -> [String] { try requiredStore().keys() }

    package func removeAll() throws { try requiredStore().removeAll() }

    package func synchronize() throws { try requiredStore().synchronize() }
}
