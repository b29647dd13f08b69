#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes that are applied together, and the values that must be stored for that.
public struct SettingsStoreBatch: Sendable {
    /// A key, and the bytes to write or to expect; nil for none.
    public struct Entry: Sendable, Equatable {
        /// The key.
        public var key: SettingsService.StorageKey
        /// The bytes; nil for no value.
        public var data: Data?

        /// The candidates that the key must have, in an expectation about a ``LayeredSettingsStore``; nil to expect only ``data``.
        public var candidates: [SettingsStoreCandidate]?

        /// Pairs a key with bytes.
        public init(key: SettingsService.StorageKey, data: Data?) {
            self.key = key
            self.data = data
        }
    }

    /// The writes, in order; a later write of a key replaces an earlier one.
    public var writes: [Entry]
    /// The values that must be stored at the moment of writing.
    public var expectations: [Entry]
    /// The options with which to apply the batch.
    public var options: Options

    /// The options of a batch's caller.
    public struct Options: Sendable {
        /// Whether the caller waits until the writes are as safe as the store makes them. True, the default, for `save`, `update`,
        /// transactions and migrations; false for `set` and `reset`.
        ///
        /// It matters to a store that agrees with other machines on each write: if the caller does not wait, the store may return
        /// from a batch as soon as the writes survive the end of the process, and agree on them in the background. A store that
        /// another process keeps locked may keep such a batch in memory if it expects nothing, report
        /// ``SettingsError/Code/pending``, and write it later. Other stores ignore it. A store with a ``SettingsStore/feed``
        /// receives the value of `save` as a batch of one write, and the value of `set` by ``SettingsStore/set(_:to:)``.
        public var waitsForAgreement: Bool
        /// The locking candidates that the written settings reject, by name. These lock nothing. Only a ``LayeredSettingsStore``
        /// uses them.
        public var disregardedLocks: [String: [SettingsStoreCandidate]] = [:]
        /// Whether a store that is not open yet keeps the writes, which depend on no stored value; see ``RecoveringStore``.
        package var isKept: Bool

        /// Creates options.
        public init(waitsForAgreement: Bool = true) { self.init(waitsForAgreement: waitsForAgreement, isKept: false) }

        private init(waitsForAgreement: Bool, isKept: Bool) {
            (self.waitsForAgreement, self.isKept) = (waitsForAgreement, isKept)
        }

        /// The options of `set` and `reset`.
        package static let ofSet = Options(waitsForAgreement: false, isKept: true)
        /// The options of `save`, `remove` and `update`.
        package static let ofSave = Options(waitsForAgreement: true, isKept: false)
        /// The options of `transaction`.
        package static let ofTransaction = Options(waitsForAgreement: true, isKept: true)
    }

    /// Whether the batch only asks whether its expectations hold: it has no writes, and its caller does not wait for agreement.
    ///
    /// A service asks at the end of a transaction that only reads, so that the values are of one moment. (If the store
    /// ``SettingsStore/agreesWithOthers``, the caller waits, and the batch is no question.) Compare the expectations with the
    /// values of ``SettingsStore/get(_:)``, all at once, inside the lock that orders your changes. Answer even if the store cannot
    /// write.
    public var isQuestion: Bool { writes.isEmpty && !options.waitsForAgreement }

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - writes: The values to store.
    ///   - expectations: The values that must be stored.
    ///   - options: The options with which to apply the batch.
    public init(writes: [Entry], expectations: [Entry] = [], options: Options = Options()) {
        self.writes = writes
        self.expectations = expectations
        self.options = options
    }
}

extension [SettingsStoreBatch.Entry] {
    /// Returns whether the entries hold as expectations.
    ///
    /// - Parameter stored: Returns the bytes under a name; nil for none.
    package func hold(for stored: (_ name: String) -> Data?) -> Bool { allSatisfy { stored($0.key.name) == $0.data } }
}
