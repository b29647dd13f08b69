#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes that are carried out together, and what must be stored for that.
public struct SettingsStoreBatch: Sendable {
    /// A key, and the bytes that it should have or is expected to have; nil for none.
    public struct Entry: Sendable, Equatable {
        /// The key.
        public var key: SettingsService.StorageKey
        /// The bytes; nil for "nothing stored".
        public var data: Data?

        /// Pairs a key with bytes.
        public init(key: SettingsService.StorageKey, data: Data?) {
            self.key = key
            self.data = data
        }
    }

    /// What to store, in order; a later write of a key replaces an earlier one.
    public var writes: [Entry]
    /// What must be stored at the moment of writing for the batch to be carried out.
    public var expectations: [Entry]
    /// How the writes were computed, for a store that may have to compute them again; see ``RecoveringStore``.
    package var operation: PendingOperation?

    /// Makes a batch.
    public init(writes: [Entry], expectations: [Entry] = []) {
        self.writes = writes
        self.expectations = expectations
    }
}
