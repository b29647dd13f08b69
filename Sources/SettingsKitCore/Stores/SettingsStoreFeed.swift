import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of what a store holds.
public struct SettingsStoreChange: Sendable, Equatable {
    /// The name of the key.
    public let name: String
    /// What was stored before; nil for nothing.
    public let oldData: Data?
    /// What is stored now; nil for nothing.
    public let newData: Data?

    /// Makes a change.
    public init(name: String, from oldData: Data?, to newData: Data?) {
        self.name = name
        self.oldData = oldData
        self.newData = newData
    }
}

/// On this a store announces its own changes; everyone in the process who uses the store hears them.
///
/// A store keeps one feed, and for every change, by whomever it was made:
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
/// Two steps, so that the order of changes is the order in which they are made, and no foreign code runs inside the
/// store's lock: ``publish(_:origin:)`` inside it fixes the order and makes kept values invalid, ``flush()`` outside it
/// lets the listeners run.
public final class SettingsStoreFeed: Sendable {
    /// Whether every change is announced before a reader could see the old value again: then values may be kept.
    ///
    /// A feed that may miss something (changes of others that are only noticed later, values that the store drops
    /// silently) is not exhaustive; listeners are still told of what it announces, but every `get` asks the store.
    public var isExhaustive: Bool { announcesAll.load(ordering: .acquiring) }

    private let announcesAll: Atomic<Bool>

    private struct State {
        var listeners: [any StoreFeedListener] = []
        var unheard: [SettingsError] = []
        var firstListenerAction: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// Whether anything has ever listened to changes that the feed publishes.
    private let hasHadListeners = Atomic(false)

    /// Makes a feed.
    public init(isExhaustive: Bool = true) {
        announcesAll = Atomic(isExhaustive)
    }

    /// Says that every change is announced from now on. Called as ``publish(_:origin:)`` is.
    func becomeExhaustive() {
        announcesAll.store(true, ordering: .releasing)
        for listener in listeners { listener.storeDidBecomeExhaustive() }
    }

    /// Announces changes that have just been made. One call a batch.
    ///
    /// Call it inside the lock that orders the store's changes, after making them and before releasing it. It runs no
    /// foreign code, calls no function of the store, and takes time proportional to the number of changes.
    public func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        guard !changes.isEmpty else { return }
        for listener in listeners { listener.storeDidChange(changes, origin: origin) }
    }

    /// Lets the listeners run. Call it after each ``publish(_:origin:)``, outside of every lock.
    public func flush() {
        for listener in listeners { listener.storeDidReleaseLock() }
    }

    /// Tells of a problem that no caller is there to be told of, in a background write for example.
    ///
    /// Outside of every lock. A problem told before anybody listens waits for the first listener.
    public func report(_ error: SettingsError) {
        let listeners = state.withLock { state in
            if state.listeners.isEmpty && state.unheard.count < 32 { state.unheard.append(error) }
            return state.listeners
        }
        for listener in listeners { listener.storeDidReport(error) }
    }

    /// Sets what is done when something begins to listen to changes, to a setting or to a scope: once, for the first
    /// listener of all. A service that only reads is no listener.
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

    /// Takes note that something begins to listen to changes.
    func noteListener() {
        if hasHadListeners.load(ordering: .relaxed) { return }
        let action = state.withLock { state in
            defer { state.firstListenerAction = nil }
            hasHadListeners.store(true, ordering: .relaxed)
            return state.firstListenerAction
        }
        action?()
    }

    /// The names that somebody who hears the feed reads or listens to.
    var knownNames: Set<String> { Set(listeners.flatMap(\.knownNames)) }

    private var listeners: [any StoreFeedListener] { state.withLock { $0.listeners } }

    func add(_ listener: any StoreFeedListener) {
        let unheard = state.withLock { state in
            state.listeners.append(listener)
            defer { state.unheard = [] }
            return state.unheard
        }
        for error in unheard { listener.storeDidReport(error) }
    }

    func remove(_ listener: any StoreFeedListener) {
        state.withLock { state in
            state.listeners.removeAll { $0 === listener }
        }
    }
}

/// Who hears a feed: a service's connection to the store.
protocol StoreFeedListener: AnyObject, Sendable {
    /// The names that it reads or listens to.
    var knownNames: [String] { get }
    /// Inside the store's lock: take note, run nothing foreign.
    func storeDidChange(_ changes: [SettingsStoreChange], origin: SettingsService.Origin)
    /// Outside of every lock: deliver what was noted.
    func storeDidReleaseLock()
    func storeDidReport(_ error: SettingsError)
    /// Inside the store's lock: values may be kept from now on.
    func storeDidBecomeExhaustive()
}
