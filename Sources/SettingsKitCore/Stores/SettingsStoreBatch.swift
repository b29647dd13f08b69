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
    /// How the writes were computed, for a store that may have to compute them again; see ``RecoveringStore``.
    package var operation: PendingOperation?

    /// Makes a batch.
    public init(writes: [Entry], expectations: [Entry] = []) {
        self.writes = writes
        self.expectations = expectations
    }
}
