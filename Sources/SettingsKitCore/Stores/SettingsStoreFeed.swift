import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of a stored value.
public struct SettingsStoreChange: Sendable, Equatable {
    /// The name of the key.
    public let name: String
    /// The bytes before; nil for none.
    public let oldData: Data?
    /// The bytes now; nil for none.
    public let newData: Data?

    /// Creates a change.
    public init(name: String, from oldData: Data?, to newData: Data?) {
        self.name = name
        self.oldData = oldData
        self.newData = newData
    }
}

/// Publishes a store's changes to every service that uses it.
///
/// A store keeps one feed, and publishes every change on it, local or external:
///
/// ```swift
/// func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
///     contents.withLock { contents in
///         let old = contents[key.name]
///         guard old != data else { return }
///         contents[key.name] = data
///         feed.publish([.init(name: key.name, from: old, to: data)], origin: .local)
///     }
///     feed.flush()
/// }
/// ```
///
/// Publishing takes two steps. ``publish(_:origin:)`` inside the store's lock orders the changes and invalidates cached values.
/// ``flush()`` outside the lock lets the listeners run.
///
/// A store that wraps another observes that store's feed, and publishes differences on its feed: ``observe(publishingOn:_:)``.
public final class SettingsStoreFeed: Sendable {
    /// Whether every change is published before a reader could see the old value again. Services then cache values.
    ///
    /// A feed that may miss a change, or publishes it later, is not exhaustive. Listeners are then notified of published changes,
    /// and every `get` reads the store.
    public var isExhaustive: Bool { publishesAllChanges.load(ordering: .acquiring) }

    private struct State {
        var listeners: [any StoreFeedListener] = []
        /// Errors that no listener has received yet.
        var unheard: [SettingsError] = []
        /// The action to run, once, when the first listener to changes is added.
        var firstListenerAction: (@Sendable () -> Void)?
        /// The feeds whose changes are published on this one.
        var sources: [WeakReference<SettingsStoreFeed>] = []
    }

    /// Whether the store agrees with other machines on each change, so that `get` may return an older value than the agreed one.
    ///
    /// A service then confirms what a transaction has read: it applies a batch without writes whose caller waits.
    let agreesWithOthers: Bool
    private let publishesAllChanges: Atomic<Bool>
    /// A leaf: held for a moment, to read or change the list of listeners. Nothing is called inside it.
    private let state = Mutex(State(), .leaf)
    /// Whether a published change waits for ``flush()``. Most changes have no listener, and flushing them takes no lock.
    private let isFlushNeeded = Atomic(false)
    /// Whether the feed has ever had a listener to changes.
    private let hasHadListeners = Atomic(false)

    /// Creates a feed.
    public init(isExhaustive: Bool = true) {
        publishesAllChanges = Atomic(isExhaustive)
        agreesWithOthers = false
    }

    /// Creates the feed of a store that agrees with other machines on each change.
    package init(agreesWithOthers: Bool) {
        publishesAllChanges = Atomic(true)
        self.agreesWithOthers = agreesWithOthers
    }

    /// Makes the feed exhaustive from now on. Called inside the store's lock, as ``publish(_:origin:)`` is.
    func becomeExhaustive() { publishesAllChanges.store(true, ordering: .releasing) }

    /// Publishes changes that were just made. One call per batch.
    ///
    /// Call it inside the lock that orders the store's changes, after the changes and before you release the lock. It runs no
    /// foreign code but the closures of ``observe(publishingOn:_:)``, calls no function of the store, and takes time proportional
    /// to the number of changes.
    public func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        if changes.isEmpty { return }
        let listeners = listeners
        for index in listeners.indices where listeners[index].storeDidChange(changes, origin: origin, on: self) {
            isFlushNeeded.store(true, ordering: .releasing)
        }
    }

    /// Lets the listeners run. Call it after each ``publish(_:origin:)``, outside of every lock.
    public func flush() {
        // Inside the lock of a serializing store, the flag stays set: another thread that flushes need not wait for that lock.
        guard isFlushNeeded.load(ordering: .acquiring), !HeldStores.postponeFlush(of: self),
            isFlushNeeded.exchange(false, ordering: .acquiringAndReleasing)
        else { return }
        for listener in listeners { listener.storeDidReleaseLock() }
    }

    /// Reports an error that cannot be thrown to a caller, of a background write for example.
    ///
    /// Call it outside of every lock. Errors that are reported before a service uses the store wait for the first service.
    public func report(_ error: SettingsError) {
        let listeners = state.withLock { state in
            let listeners = state.listeners.filter(\.receivesErrors)
            if listeners.isEmpty && state.unheard.count < CoreLimits.unheardErrors { state.unheard.append(error) }
            return listeners
        }
        for listener in listeners { listener.storeDidReport(error) }
    }

    /// Calls a closure with each batch of changes, inside the store's lock; for stores that wrap other stores.
    ///
    /// A store whose values differ from those of the wrapped store publishes its own changes:
    ///
    /// ```swift
    /// subscription = base.serialized.feed?.observe(publishingOn: ownFeed) { [ownFeed, overrides] changes, origin in
    ///     ownFeed.publish(changes.filter { overrides[$0.name] == nil }, origin: origin)
    /// }
    /// ```
    ///
    /// The closure runs inside the lock that orders the store's changes, on the thread that makes them. It may only record and
    /// publish: it must not call a store, set a setting or wait. The feed keeps the closure, so do not capture your store strongly.
    ///
    /// - Parameters:
    ///   - feed: The feed on which the closure publishes. It is flushed after this one, and gets the errors that are
    ///     reported here.
    ///   - body: Called with the changes of a batch, and their origin.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observe(
        publishingOn feed: SettingsStoreFeed? = nil,
        _ body: @escaping @Sendable (_ changes: [SettingsStoreChange], _ origin: SettingsService.Origin) -> Void
    ) -> SettingsService.Subscription {
        observe(by: StoreFeedObserver(target: feed, body: body), publishingOn: feed)
    }

    /// Calls a closure with each reported error, beginning with those that wait for a first listener.
    ///
    /// - Returns: A subscription, which ends when it is cancelled or released.
    package func observeErrors(
        _ body: @escaping @Sendable (SettingsError) -> Void
    ) -> SettingsService.Subscription {
        let observer = StoreErrorObserver(body: body)
        for error in add(observer) { body(error) }
        return SettingsService.Subscription { [weak self] in self?.remove(observer) }
    }

    /// Adds a listener that publishes on another feed.
    func observe(
        by observer: any StoreFeedListener, publishingOn feed: SettingsStoreFeed?
    ) -> SettingsService.Subscription {
        let unheard = add(observer)
        for error in unheard { observer.storeDidReport(error) }
        if feed?.isWaitingForListener(with: self) != true { recordListener() }
        return SettingsService.Subscription { [weak self] in self?.remove(observer) }
    }

    /// Sets the action that runs, once, when the first listener to changes of a setting or of a scope is added. A service that only
    /// reads is not a listener.
    ///
    /// - Parameter body: Runs at once if there has been a listener already. No lock is held, and it should not wait.
    package func onFirstListener(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            let isLate = hasHadListeners.load(ordering: .relaxed)
            if !isLate { state.firstListenerAction = body }
            return isLate
        }
        if isLate { body() }
    }

    /// Returns whether this feed has had no listener yet. `source` is then notified when it gets one.
    private func isWaitingForListener(with source: SettingsStoreFeed) -> Bool {
        let (isWaiting, others) = state.withLock { state in
            let others = state.sources.removeDangling()
            let isWaiting = !hasHadListeners.load(ordering: .relaxed)
            if isWaiting { state.sources.append(WeakReference(source)) }
            return (isWaiting, others)
        }
        withExtendedLifetime(others) {}
        return isWaiting
    }

    /// Records that a listener to changes is added.
    func recordListener() {
        if hasHadListeners.load(ordering: .relaxed) { return }
        let (action, sources) = state.withLock { state in
            defer { (state.firstListenerAction, state.sources) = (nil, []) }
            hasHadListeners.store(true, ordering: .relaxed)
            return (state.firstListenerAction, state.sources)
        }
        action?()
        for source in sources { source.object?.recordListener() }
    }

    private var listeners: [any StoreFeedListener] { state.withLock { $0.listeners } }

    /// Adds a listener unless it is there.
    ///
    /// - Returns: The errors that have waited for it. The caller reports them, outside of its locks.
    func add(_ listener: any StoreFeedListener) -> [SettingsError] {
        state.withLock { state in
            if !state.listeners.contains(where: { $0 === listener }) { state.listeners.append(listener) }
            guard listener.receivesErrors else { return [] }
            defer { state.unheard = [] }
            return state.unheard
        }
    }

    func remove(_ listener: any StoreFeedListener) {
        state.withLock { state in
            state.listeners.removeAll { $0 === listener }
        }
    }
}

/// Listens to a store's feed: a service's connection to the store, or a store that wraps it.
protocol StoreFeedListener: AnyObject, Sendable {
    /// Whether the listener receives errors; if not, they wait for another listener.
    var receivesErrors: Bool { get }
    /// Records changes. Called inside the store's lock: runs no foreign code.
    ///
    /// - Returns: Whether ``storeDidReleaseLock()`` is needed.
    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool
    /// Runs code that must not run inside the store's lock.
    func storeDidReleaseLock()
    func storeDidReport(_ error: SettingsError)
}

/// Calls a closure with a feed's changes, and passes everything else to the feed on which the closure publishes.
private final class StoreFeedObserver: StoreFeedListener {
    private let target: SettingsStoreFeed?
    private let body: @Sendable ([SettingsStoreChange], SettingsService.Origin) -> Void

    init(
        target: SettingsStoreFeed?, body: @escaping @Sendable ([SettingsStoreChange], SettingsService.Origin) -> Void
    ) {
        self.target = target
        self.body = body
    }

    var receivesErrors: Bool { target != nil }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool {
        body(changes, origin)
        return target != nil
    }

    func storeDidReleaseLock() { target?.flush() }

    func storeDidReport(_ error: SettingsError) { target?.report(error) }
}

/// Calls a closure with the errors of a feed.
private final class StoreErrorObserver: StoreFeedListener {
    private let body: @Sendable (SettingsError) -> Void

    init(body: @escaping @Sendable (SettingsError) -> Void) { self.body = body }

    var receivesErrors: Bool { true }

    func storeDidChange(
        _ changes: [SettingsStoreChange], origin: SettingsService.Origin, on feed: SettingsStoreFeed
    ) -> Bool { false }

    func storeDidReleaseLock() {}

    func storeDidReport(_ error: SettingsError) { body(error) }
}
