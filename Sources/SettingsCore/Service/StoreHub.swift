import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store and the one feed on which its changes are heard, whether the store has a feed of its own or not.
///
/// A store without a feed gets one here, and a gate: writes through this process's services pass it one at a time, which
/// fixes their order, makes check-and-write atomic, and lets the hub announce what each write changed. All services that
/// are given the same store object share its hub.
final class StoreHub: Sendable {
    let store: any SettingsStore
    let feed: SettingsStoreFeed
    private let gate: StoreGate?

    private init(store: any SettingsStore, feed: SettingsStoreFeed, gate: StoreGate?) {
        self.store = store
        self.feed = feed
        self.gate = gate
    }

    deinit {
        if gate != nil { SharedHubs.forget(store) }
    }

    /// The hub of a store.
    static func hub(for store: any SettingsStore) -> StoreHub {
        if let feed = store.feed { return StoreHub(store: store, feed: feed, gate: nil) }
        return SharedHubs.hub(for: store) {
            StoreHub(store: store, feed: SettingsStoreFeed(isExhaustive: false), gate: StoreGate())
        }
    }

    /// Sets one key and lets the listeners run.
    func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        defer { feed.flush() }
        guard let gate else { return try store.set(key, to: data) }
        try gate.pass {
            let old = try store.get(key)
            guard old != data else { return }
            try store.set(key, to: data)
            feed.publish([.init(name: key.name, from: old, to: data)], origin: .local)
        }
    }

    /// Carries out a batch and lets the listeners run.
    ///
    /// - Returns: false, with nothing written, if an expectation did not hold.
    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        defer { feed.flush() }
        guard let gate else { return try store.apply(batch) }
        return try gate.pass {
            let names = Set(batch.writes.map(\.key))
            let before = try names.map { SettingsStoreBatch.Entry(key: $0, data: try store.get($0)) }
            // Also when the batch fails: a store that could not set everything back is announced as it is now.
            defer { publishDifferences(since: before) }
            return try store.apply(batch)
        }
    }

    /// Removes everything and lets the listeners run; `known` are the names that somebody listens to.
    func removeAll(known: [SettingsService.StorageKey]) throws {
        defer { feed.flush() }
        guard let gate else { return try store.removeAll() }
        try gate.pass {
            let before = try known.map { SettingsStoreBatch.Entry(key: $0, data: try store.get($0)) }
            defer { publishDifferences(since: before) }
            try store.removeAll()
        }
    }

    private func publishDifferences(since before: [SettingsStoreBatch.Entry]) {
        var changes: [SettingsStoreChange] = []
        for entry in before {
            do {
                let now = try store.get(entry.key)
                if now != entry.data { changes.append(.init(name: entry.key.name, from: entry.data, to: now)) }
            } catch {
                feed.report(.wrap(error, as: .readFailed, key: entry.key, store: store.storeDescription))
            }
        }
        feed.publish(changes, origin: .local)
    }
}

/// A lock around the writes to a store that has none of its own; a write made from inside a write passes.
private final class StoreGate: Sendable {
    /// The gates that this task or thread is inside of.
    @TaskLocal private static var passed: [ObjectIdentifier] = []

    private let lock = Mutex(())

    func pass<R: Sendable>(_ body: () throws -> R) rethrows -> R {
        let identifier = ObjectIdentifier(self)
        if Self.passed.contains(identifier) { return try body() }
        return try lock.withLock { _ in
            try Self.$passed.withValue(Self.passed + [identifier], operation: body)
        }
    }
}

/// The hubs of stores without a feed, one a store object.
private enum SharedHubs {
    private struct WeakHub: Sendable {
        weak let hub: StoreHub?
    }

    private static let hubs = Mutex<[ObjectIdentifier: WeakHub]>([:])

    static func hub(for store: any SettingsStore, make: () -> StoreHub) -> StoreHub {
        guard let identifier = identifier(of: store) else { return make() }
        return hubs.withLock { hubs in
            if let hub = hubs[identifier]?.hub { return hub }
            let hub = make()
            hubs[identifier] = WeakHub(hub: hub)
            return hub
        }
    }

    /// Called when a hub goes: its store may be the next to go, and its address be used again.
    static func forget(_ store: any SettingsStore) {
        guard let identifier = identifier(of: store) else { return }
        hubs.withLock { hubs in
            if hubs[identifier]?.hub == nil { hubs[identifier] = nil }
        }
    }

    /// nil for a store that is a value: each copy of it is a store of its own.
    private static func identifier(of store: any SettingsStore) -> ObjectIdentifier? {
        type(of: store) is any AnyObject.Type ? ObjectIdentifier(store as AnyObject) : nil
    }
}
