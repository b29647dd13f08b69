#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store as services use it: with its feed or that of its ``SerializingStore``, and with errors that name the store.
final class ConnectedStore: Sendable {
    let store: any SettingsStore
    let feed: SettingsStoreFeed
    /// The store or its writable layer, if it may not be open yet.
    let recovering: RecoveringStore?
    /// Whether a setting's type decides which of several values is in force.
    let isLayered: Bool
    /// The store, if it publishes changes only of names that it knows to be used.
    private let nameFollowing: (any NameFollowingStore)?
    /// The store, if it serializes another.
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
        // Compared first, because a failing cast takes as long as reading a small file.
        nameFollowing = type(of: store) == LayeredStore.self ? store as? LayeredStore : nil
        serializing = type(of: store) == SerializingStore.self ? store as? SerializingStore : nil
    }

    private static func standIn(in store: any SettingsStore) -> RecoveringStore? {
        if type(of: store) == RecoveringStore.self { return store as? RecoveringStore }
        guard type(of: store) == LayeredStore.self, let layered = store as? LayeredStore else { return nil }
        return standIn(in: layered.writable)
    }

    var description: String { store.storeDescription }

    /// Returns whether both are the same store.
    func isSame(as other: ConnectedStore?) -> Bool { feed === other?.feed }

    /// Whether the store is open. An unopened store's answer is provisional.
    var isOpen: Bool { recovering?.unavailability == nil }

    /// Whether the store is open, holds one value for each key, and agrees on nothing with other machines.
    var isSimple: Bool { isOpen && !isLayered && !feed.agreesWithOthers }

    /// Whether the store publishes all changes that it makes or finds, even if readers may see some before.
    var isContinuous: Bool { feed.isExhaustive || isLayered || recovering != nil }

    /// Tries to open the store if it is not open.
    ///
    /// - Throws: The reason if it cannot be opened.
    func requireOpen() throws(SettingsError) { try recovering?.requireOpen() }

    /// Has the store publish changes of names that listeners use. A name that is read is followed, too.
    func follow(_ names: some Sequence<String>) {
        guard let nameFollowing else { return }
        HeldLocks.requireNone(before: "a store")
        for name in names { nameFollowing.follow(name) }
    }

    func get(_ key: SettingsService.StorageKey) throws(SettingsError) -> Data? {
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.get(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: description)
        }
    }

    /// Returns the values that the store holds under a key, in all of its layers.
    func read(_ key: SettingsService.StorageKey) throws(SettingsError) -> StoredValue {
        guard isLayered else { return StoredValue(try get(key)) }
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.read(key)
        } catch {
            throw .wrap(error, as: .readFailed, key: key, store: description)
        }
    }

    /// Returns the error that keeps a key from being written; nil if it can be written.
    ///
    /// - Parameters:
    ///   - stored: The values that the store holds under the key.
    ///   - candidate: The candidate in force; nil if the default is.
    func lock(
        of key: SettingsService.StorageKey, holding stored: StoredValue, _ candidate: SettingsStoreCandidate?
    ) -> SettingsService.Lock? {
        guard isLayered else { return nil }
        if let candidate, candidate.isLocking, let layer = candidate.layer {
            return .init(layer: layer, location: candidate.location)
        }
        // The setting rejects all candidates above the one in force.
        return (store as? LayeredStore)?.lock(of: key, disregarding: stored.all.filter(\.isLocking))
    }

    /// Returns the error for a key that a candidate locks, with the place of the candidate.
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

    /// Returns the values that the store holds under some names. Values that cannot be read are diagnosed.
    func contents(
        named names: Set<String>, in scope: SettingsService.Scope, _ diagnostics: Diagnostics
    ) -> [String: StoredValue] {
        var contents: [String: StoredValue] = [:]
        for name in names {
            do throws(SettingsError) {
                let stored = try read(.init(name, scope: scope))
                if !stored.isEmpty { contents[name] = stored }
            } catch {
                diagnostics.reportOnce(error)
            }
        }
        return contents
    }

    /// Returns the names in the store; none if it cannot list them. Another error is diagnosed.
    func knownNames(_ diagnostics: Diagnostics) -> [String] {
        do throws(SettingsError) {
            return try keys()
        } catch {
            // Without a list of the keys, listeners to a setting by name are still notified.
            if error.code != .unsupported { diagnostics.reportOnce(error) }
            return []
        }
    }

    /// Sets one key. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Parameter waitsForAgreement: Whether the call waits until the store has agreed on the write with other machines.
    func set(
        _ key: SettingsService.StorageKey, to data: Data?, waitsForAgreement: Bool
    ) throws(SettingsError) {
        // In case the store itself did not, on some path.
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            // The `apply` of a store without a feed need not be better than its `set`.
            if !waitsForAgreement || serializing != nil { return try store.set(key, to: data) }
            if try store.apply(SettingsStoreBatch(writes: [.init(key: key, data: data)])) { return }
            throw SettingsError(.conflict)
        } catch {
            throw .wrap(error, as: .writeFailed, key: key, store: description)
        }
    }

    /// Applies a batch. When it returns, listeners have run, unless another thread is running them.
    ///
    /// - Returns: False, with nothing written, if an expectation did not hold.
    func apply(_ batch: SettingsStoreBatch) throws(SettingsError) -> Bool {
        defer { feed.flush() }
        HeldLocks.requireNone(before: "a store")
        do {
            return try store.apply(batch)
        } catch {
            throw .wrap(error, as: .writeFailed, store: description)
        }
    }

    /// Returns whether the machines with which the store agrees confirm a read value; true for a store that agrees with none.
    func confirms(_ expectation: SettingsStoreBatch.Entry) throws(SettingsError) -> Bool {
        if !feed.agreesWithOthers { return true }
        return try apply(SettingsStoreBatch(writes: [], expectations: [expectation], options: .ofSave))
    }

    /// Returns whether all expectations of a question hold at one moment.
    ///
    /// A store that only accepts batches with writes may throw. The values are then read again. If none has changed, all were
    /// stored together when the first of these readings began, unless one has changed and changed back meanwhile.
    ///
    /// - Parameter isDoubted: Whether the values are also read again if the store answers no, because it has done so too often.
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

    /// Returns those of some names that can be removed. In a store with layers, those with a value in the layer that is written to.
    func removable(_ names: [String], in scope: SettingsService.Scope) throws(SettingsError) -> [String] {
        guard isLayered else { return names }
        var removable: [String] = []
        for name in names where try read(.init(name, scope: scope)).writableData != nil { removable.append(name) }
        return removable
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
