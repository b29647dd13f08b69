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
    /// The store, if it is one that may not be open yet.
    let recovering: RecoveringStore?
    private let gate: StoreGate?

    private init(store: any SettingsStore, feed: SettingsStoreFeed, gate: StoreGate?) {
        self.store = store
        self.feed = feed
        // Compared first: a cast that fails takes as long as reading a small file.
        recovering = type(of: store) == RecoveringStore.self ? store as? RecoveringStore : nil
        self.gate = gate
    }

    deinit {
        if gate != nil { SharedHubs.forget(store) }
    }

    /// Whether a batch is carried out whole or not at all even if the process dies in the middle of it. A store without a
    /// feed may have nothing but its two functions.
    var hasAtomicBatches: Bool { gate == nil }

    /// Tries to open the store if it is not open.
    ///
    /// - Throws: why it cannot be.
    func requireOpen() throws(SettingsError) { try recovering?.requireOpen() }

    /// A batch with the operation that it was computed by, if the store is not open yet and carries it out again.
    func noting(
        _ operation: PendingOperation.Body?, in batch: SettingsStoreBatch, of service: SettingsService
    ) -> SettingsStoreBatch {
        guard let recovering, let operation, recovering.unavailability != nil else { return batch }
        var batch = batch
        batch.operation = PendingOperation(operation, in: service, on: recovering)
        return batch
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
    func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        defer { feed.flush() }
        do {
            guard let gate else { return try store.apply(batch) }
            return try gate.announcing(Set(batch.writes.map(\.key)), of: self) { try store.apply(batch) }
        } catch {
            throw .wrap(error, as: .writeFailed, store: store.storeDescription)
        }
    }

    /// Removes everything and lets the listeners run.
    ///
    /// - Parameter scope: In which scope the names are that are asked for.
    func removeAll(scope: SettingsService.Scope) throws {
        defer { feed.flush() }
        guard let gate else { return try store.removeAll() }
        let names = try Set(store.keys()).union(feed.knownNames).filter(SettingsService.StorageKey.isValid)
        try gate.announcing(Set(names.map { .init($0, scope: scope) }), of: self) { try store.removeAll() }
    }
}

extension StoreGate {
    /// Passes the gate with something that changes values, and announces what it has changed.
    fileprivate func announcing<R: Sendable>(
        _ keys: Set<SettingsService.StorageKey>, of hub: StoreHub, _ body: () throws -> R
    ) throws -> R {
        var problems: [SettingsError] = []
        // Outside of the gate, because whoever is told of a problem is foreign.
        defer { for problem in problems { hub.feed.report(problem) } }
        return try pass {
            let before = try keys.map { ($0, try hub.store.get($0)) }
            // Also when it fails: a store that could not set everything back is announced as it is now.
            defer {
                var changes: [SettingsStoreChange] = []
                for (key, old) in before {
                    do {
                        let new = try hub.store.get(key)
                        if new != old { changes.append(.init(name: key.name, from: old, to: new)) }
                    } catch {
                        problems.append(
                            .wrap(error, as: .readFailed, key: key, store: hub.store.storeDescription))
                    }
                }
                hub.feed.publish(changes, origin: .local)
            }
            return try body()
        }
    }
}

/// A lock around the writes to a store that has none of its own; a write made from inside a write passes.
///
/// It is the one lock that is held while foreign code runs, the store's own functions: what is written, and that it is
/// announced, cannot be put in one order otherwise.
private final class StoreGate: Sendable {
    /// Says that a gate is held by the code that runs in a certain task, or outside of any.
    private final class Pass: Sendable {
        let gate: ObjectIdentifier
        let task: Int?
        /// Tasks that the store begins inherit the pass, and may outlast it.
        let isValid = Atomic(true)

        init(gate: ObjectIdentifier, task: Int?) {
            self.gate = gate
            self.task = task
        }
    }

    @TaskLocal private static var passes: [Pass] = []

    private let lock = Mutex(())

    func pass<R: Sendable>(_ body: () throws -> R) rethrows -> R {
        let identifier = ObjectIdentifier(self)
        let task = withUnsafeCurrentTask { $0?.hashValue }
        let holdsGate = Self.passes.contains { pass in
            pass.gate == identifier && pass.task == task && pass.isValid.load(ordering: .acquiring)
        }
        if holdsGate { return try body() }
        let pass = Pass(gate: identifier, task: task)
        return try lock.withLock { _ in
            defer { pass.isValid.store(false, ordering: .releasing) }
            return try Self.$passes.withValue(Self.passes + [pass], operation: body)
        }
    }
}

/// The hubs of stores without a feed, one a store object.
private enum SharedHubs {
    private static let hubs = Mutex<[ObjectIdentifier: WeakReference<StoreHub>]>([:])

    static func hub(for store: any SettingsStore, make: () -> StoreHub) -> StoreHub {
        guard let identifier = store.identity else { return make() }
        return hubs.withLock { hubs in
            if let hub = hubs[identifier]?.object { return hub }
            let hub = make()
            hubs[identifier] = WeakReference(hub)
            return hub
        }
    }

    /// Called when a hub goes: its store may be the next to go, and its address be used again.
    static func forget(_ store: any SettingsStore) {
        guard let identifier = store.identity else { return }
        // Another hub may have been made for the store in the meantime; looking may be what keeps it last.
        let successor = hubs.withLock { hubs in
            let successor = hubs[identifier]?.object
            if successor == nil { hubs[identifier] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }
}

extension SettingsStore {
    /// Tells the store from all others; nil for a store that is a value: each copy of it is a store of its own.
    var identity: ObjectIdentifier? {
        type(of: self) is any AnyObject.Type ? ObjectIdentifier(self as AnyObject) : nil
    }
}
