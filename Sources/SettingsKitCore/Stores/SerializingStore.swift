import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsStore {
    /// The store itself if it has a feed; otherwise a store that wraps it and has one.
    ///
    /// A store that wraps another reads, writes and observes through this. Writes through it are made one after the other and
    /// published, in one order with those of every service that uses the same store object.
    public var serialized: any SettingsStore {
        feed == nil ? SerializingStore.table.object(for: self) { SerializingStore(self) } : self
    }
}

/// Gives a store without a feed a lock and a feed, so that its writes have one order and are published.
///
/// The lock makes check-and-write atomic. It is held while the store's functions, which are foreign code, run: otherwise a write
/// and its publication could not have the same order. Listeners run when the lock is released, including listeners to another store
/// to which the store writes. A store that is written from inside one of its own writes ends the process with a message.
///
/// The feed is not exhaustive, because the store may change without this object. Reading therefore asks the store.
final class SerializingStore: SettingsStore {
    static let table = StoreTable<SerializingStore>()

    private let base: any SettingsStore
    private let ownFeed = SettingsStoreFeed(isExhaustive: false)
    private let lock = Mutex((), .store)

    fileprivate init(_ base: any SettingsStore) { self.base = base }

    var feed: SettingsStoreFeed? { ownFeed }
    var storeDescription: String { base.storeDescription }

    func get(_ key: SettingsService.StorageKey) throws -> Data? {
        HeldLocks.requireNone(before: "a store")
        return try base.get(key)
    }

    func keys() throws -> [String] {
        HeldLocks.requireNone(before: "a store")
        return try base.keys()
    }

    func synchronize() throws {
        HeldLocks.requireNone(before: "a store")
        try base.synchronize()
    }

    func bringUpToDate() throws {
        HeldLocks.requireNone(before: "a store")
        try base.bringUpToDate()
    }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try locked {
            let old = try base.get(key)
            guard old != data else { return }
            try base.set(key, to: data)
            ownFeed.publish([.init(name: key.name, from: old, to: data)], origin: .local)
        }
    }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try publishingChanges(of: { Set(batch.writes.map(\.key)) }) { try base.apply(batch) }
    }

    func removeAll() throws { try removeAll(in: .defaults) }

    /// - Parameter scope: The scope of the keys with which the store is read, to publish the removed values.
    func removeAll(in scope: SettingsService.Scope) throws {
        try publishingChanges {
            Set(try base.keys().filter(SettingsService.StorageKey.isValid).map { .init($0, scope: scope) })
        } by: {
            try base.removeAll()
        }
    }

    /// Runs `body` inside the lock, and publishes its changes.
    ///
    /// - Parameter keys: Returns the keys that may change. Called inside the lock.
    private func publishingChanges<R: Sendable>(
        of keys: () throws -> Set<SettingsService.StorageKey>, by body: () throws -> R
    ) throws -> R {
        var problems: [SettingsError] = []
        defer { for problem in problems { ownFeed.report(problem) } }
        return try locked {
            let before = try keys().map { ($0, try base.get($0)) }
            // Also after a failure: a store that could not restore all values is published with its present ones.
            defer {
                var changes: [SettingsStoreChange] = []
                for (key, old) in before {
                    do {
                        let new = try base.get(key)
                        if new != old { changes.append(SettingsStoreChange(name: key.name, from: old, to: new)) }
                    } catch {
                        problems.append(.wrap(error, as: .readFailed, key: key, store: storeDescription))
                    }
                }
                ownFeed.publish(changes, origin: .local)
            }
            return try body()
        }
    }

    private func locked<R: Sendable>(_ body: () throws -> R) throws -> R {
        defer { ownFeed.flush() }
        return try HeldStores.hold(self) { try lock.withLock { _ in try HeldLocks.excepting(body) } }
    }
}

/// The stores inside whose locks the calling thread runs foreign code, and the feeds to flush when it holds none of these locks.
///
/// The code may set settings of other stores, whose listeners must not run inside the locks.
final class HeldStores {
    /// Those of a thread that holds such a lock.
    private static let ofThread = ThreadObject<HeldStores>()

    private var stores: [any SettingsStore & AnyObject] = []
    private var feeds: [SettingsStoreFeed] = []

    /// Has a feed flushed when the calling thread holds no lock of a store without a feed.
    ///
    /// - Returns: False if it holds none now.
    static func postponeFlush(of feed: SettingsStoreFeed) -> Bool {
        guard let current = ofThread.current else { return false }
        if !current.feeds.contains(where: { $0 === feed }) { current.feeds.append(feed) }
        return true
    }

    /// Runs `body` as the one that holds the lock of `store`, then flushes what it has postponed.
    static func hold<R>(_ store: any SettingsStore & AnyObject, _ body: () throws -> R) rethrows -> R {
        if let current = ofThread.current { return try current.hold(store, body) }
        let held = HeldStores()
        defer { for feed in held.feeds { feed.flush() } }
        return try ofThread.replaced(by: held) { try held.hold(store, body) }
    }

    private func hold<R>(_ store: any SettingsStore & AnyObject, _ body: () throws -> R) rethrows -> R {
        precondition(
            !stores.contains { $0 === store },
            "The store \(store.storeDescription) is written while it writes. Its functions may write to other stores only."
        )
        stores.append(store)
        defer { stores.removeLast() }
        return try body()
    }
}
