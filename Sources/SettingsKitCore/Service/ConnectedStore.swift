#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store as services use it: with a feed, its own or that of its ``SerializingStore``, and with errors that name it.
final class ConnectedStore: Sendable {
    let store: any SettingsStore
    let feed: SettingsStoreFeed
    /// The store, or its writable layer, if it is one that may not be open yet.
    let recovering: RecoveringStore?
    /// Whether only a setting's type can say which of several values counts.
    let isLayered: Bool
    /// The store, if it is one that serializes another.
    private let serializing: SerializingStore?

    init(_ store: any SettingsStore) {
        let store = store.serialized
        guard let feed = store.feed else {
            preconditionFailure("The feed of a store must be the same object each time.")
        }
        self.store = store
        self.feed = feed
        isLayered = store._layered != nil
        recovering = Self.standIn(in: store)
        // Compared first: a cast that fails takes as long as reading a small file.
        serializing = type(of: store) == SerializingStore.self ? store as? SerializingStore : nil
    }

    private static func standIn(in store: any SettingsStore) -> RecoveringStore? {
        if type(of: store) == RecoveringStore.self { return store as? RecoveringStore }
        guard type(of: store) == LayeredStore.self, let layered = store as? LayeredStore else { return nil }
        return standIn(in: layered.writable)
    }

    var description: String { store.storeDescription }

    /// Whether both are the same store.
    func isSame(as other: ConnectedStore?) -> Bool { feed === other?.feed }

    /// Whether the store is open. What a store that is not open yet answers, is not what is stored.
    var isOpen: Bool { recovering?.unavailability == nil }

    /// Tries to open the store if it is not open.
    ///
    /// - Throws: Why it cannot be opened.
    func requireOpen() throws(SettingsError) { try recovering?.requireOpen() }

    func get(_ key: SettingsService.StorageKey) throws(SettingsError) -> Data? {
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.get(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: description)
        }
    }

    /// What the store holds under a key, in all of its layers.
    func read(_ key: SettingsService.StorageKey) throws(SettingsError) -> StoredValue {
        guard isLayered else { return StoredValue(try get(key)) }
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.read(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: description)
        }
    }

    /// What keeps a key from being written; nil for nothing.
    ///
    /// - Parameters:
    ///   - stored: What the store holds under the key.
    ///   - candidate: The candidate that counts; nil if the default does.
    func lock(
        of key: SettingsService.StorageKey, holding stored: StoredValue, _ candidate: SettingsStoreCandidate?
    ) -> SettingsService.Lock? {
        guard isLayered else { return nil }
        if let candidate, candidate.isLocking, let layer = candidate.layer {
            return .init(layer: layer, location: candidate.location)
        }
        // The setting accepts none of those that are above the candidate that counts.
        return (store as? LayeredStore)?.lock(of: key, disregarding: stored.all.filter(\.isLocking))
    }

    /// The error that a candidate locks a key, with the place of the candidate.
    func locked(_ key: SettingsService.StorageKey, by candidate: SettingsStoreCandidate) -> SettingsError {
        store.locating(SettingsError(.locked, key: key, store: candidate.location, layer: candidate.layer))
    }

    func keys() throws(SettingsError) -> [String] {
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.keys().filter(SettingsService.StorageKey.isValid)
        } catch {
            throw .wrap(error, as: .readFailed, store: description)
        }
    }

    /// Sets one key. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Parameter waitsForAgreement: Whether the caller waits until the store has agreed on the write with other machines.
    func set(
        _ key: SettingsService.StorageKey, to data: Data?, waitsForAgreement: Bool
    ) throws(SettingsError) {
        // In case the store itself did not, on some path.
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            // A store without a feed need not have an `apply` that is better than its `set`.
            if !waitsForAgreement || serializing != nil { return try store.set(key, to: data) }
            if try store.apply(SettingsStoreBatch(writes: [.init(key: key, data: data)])) { return }
            throw SettingsError(.conflict)
        } catch {
            throw .wrap(error, as: .writeFailed, key: key, store: description)
        }
    }

    /// Carries out a batch. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Returns: False, with nothing written, if an expectation did not hold.
    func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.apply(batch)
        } catch SettingsError.Code.readOnly where batch.writes.isEmpty && batch.options.waitsForAgreement {
            // Where nothing can be written, there is no turn of writing to wait for.
            var question = batch
            question.options.waitsForAgreement = false
            return try holds(question)
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }

    /// Whether the machines with which the store agrees have agreed on what was read; true for a store that agrees with none.
    func confirms(_ expectation: SettingsStoreBatch.Entry) throws(SettingsError) -> Bool {
        try store.agreesWithOthers ? apply(SettingsStoreBatch(writes: [], expectations: [expectation])) : true
    }

    /// Whether all expectations of a question hold at one moment.
    ///
    /// A store may throw that knows only batches that write. Then the values are read again: if none has changed, all were
    /// stored together when the first of these readings began, unless one has changed and changed back meanwhile.
    ///
    /// - Parameter isDoubted: Whether they are also read again if the store says no, because it has done so too often.
    func holds(_ question: SettingsStoreBatch, isDoubted: Bool = false) throws(SettingsError) -> Bool {
        do throws(SettingsError) {
            if try apply(question) { return true }
            if !isDoubted { return false }
        } catch {
            // The answer is found below.
        }
        for expectation in question.expectations
        where try read(expectation.key).entry(for: expectation.key) != expectation { return false }
        return true
    }

    /// - Parameter scope: The scope under which a store without a feed is read.
    func removeAll(in scope: SettingsService.Scope) throws(SettingsError) {
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            if let serializing { try serializing.removeAll(in: scope) } else { try store.removeAll() }
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }

    /// - Parameter forOthers: Whether other programs must be able to read the changes.
    func synchronize(forOthers: Bool = false) throws(SettingsError) {
        HeldLocks.requireNone(before: "a store")
        do {
            if forOthers { try store.bringUpToDate() } else { try store.synchronize() }
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }
}
