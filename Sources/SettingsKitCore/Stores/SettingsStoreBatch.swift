#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes that are applied together, and what must be stored for that.
public struct SettingsStoreBatch: Sendable {
    /// A key, and the bytes that it should have or is expected to have; nil for none.
    public struct Entry: Sendable, Equatable {
        /// The key.
        public var key: SettingsService.StorageKey
        /// The bytes; nil for "nothing stored".
        public var data: Data?

        /// In an expectation about a store of layers, the candidates that the key must have; nil if ``data`` alone counts.
        public var candidates: [SettingsStoreCandidate]?

        /// Pairs a key with bytes.
        public init(key: SettingsService.StorageKey, data: Data?) {
            self.key = key
            self.data = data
        }
    }

    /// What to store, in order; a later write of a key replaces an earlier one.
    public var writes: [Entry]
    /// What must be stored at the moment of writing for the batch to be applied.
    public var expectations: [Entry]
    /// The locking candidates that the written settings do not accept, by name, so that they lock nothing. A store of layers
    /// throws ``SettingsError/Code/locked``, and writes nothing, if a written name has any other locking candidate.
    public var disregardedLocks: [String: [SettingsStoreCandidate]] = [:]
    /// Whether the caller waits until the writes are as safe as the store makes them. True, the default, for `save`, `update`,
    /// transactions and migrations; false for `set` and `reset`.
    ///
    /// It matters to a store that agrees with other machines on each write: it may return from a batch whose caller does not
    /// wait as soon as the writes survive the end of the process, and agree on them in the background. A store that another
    /// process keeps locked may keep such a batch in memory if it expects nothing, report ``SettingsError/Code/pending``, and
    /// write it later. Other stores ignore it.
    /// A store with a ``SettingsStore/feed`` is given the value of `save` as a batch of one write, and the value of `set` by
    /// ``SettingsStore/set(_:to:)``.
    public var waitsForAgreement: Bool
    /// Whether the batch only asks whether its expectations hold: it has no writes, and its caller does not wait for others.
    ///
    /// A service asks at the end of a transaction that only reads, so that what it has read is of one moment. (Where the store
    /// ``SettingsStore/agreesWithOthers``, the caller waits, and the batch is no question.) Compare with what
    /// ``SettingsStore/get(_:)`` returns, all of it at once, inside the lock that orders your changes. Answer also where the
    /// store cannot write.
    public var isQuestion: Bool { writes.isEmpty && !waitsForAgreement }
    /// Whether a store that is not open yet keeps the writes, which depend on nothing stored; see ``RecoveringStore``.
    package var isKept = false

    /// Makes a batch.
    ///
    /// - Parameters:
    ///   - writes: What to store.
    ///   - expectations: What must be stored.
    ///   - waitsForAgreement: Whether the caller waits until the store has agreed on the writes with other machines.
    public init(writes: [Entry], expectations: [Entry] = [], waitsForAgreement: Bool = true) {
        self.writes = writes
        self.expectations = expectations
        self.waitsForAgreement = waitsForAgreement
    }
}

extension [SettingsStoreBatch.Entry] {
    /// Whether they hold as expectations.
    ///
    /// - Parameter stored: Returns the bytes under a name; nil for none.
    package func hold(for stored: (_ name: String) -> Data?) -> Bool { allSatisfy { stored($0.key.name) == $0.data } }
}
