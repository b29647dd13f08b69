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

        /// In an expectation about a ``LayeredSettingsStore``, the candidates that the key must have; nil if ``data`` alone counts.
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
    /// How to apply the batch.
    public var options: Options

    /// What the caller of a batch wishes.
    public struct Options: Sendable {
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
        /// The locking candidates that the written settings do not accept, by name, so that they lock nothing. They matter to a
        /// ``LayeredSettingsStore`` alone.
        public var disregardedLocks: [String: [SettingsStoreCandidate]] = [:]
        /// Whether a store that is not open yet keeps the writes, which depend on nothing stored; see ``RecoveringStore``.
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

    /// Whether the batch only asks whether its expectations hold: it has no writes, and its caller does not wait for others.
    ///
    /// A service asks at the end of a transaction that only reads, so that what it has read is of one moment. (Where the store
    /// ``SettingsStore/agreesWithOthers``, the caller waits, and the batch is no question.) Compare with what
    /// ``SettingsStore/get(_:)`` returns, all of it at once, inside the lock that orders your changes. Answer also where the
    /// store cannot write.
    public var isQuestion: Bool { writes.isEmpty && !options.waitsForAgreement }

    /// Makes a batch.
    ///
    /// - Parameters:
    ///   - writes: What to store.
    ///   - expectations: What must be stored.
    ///   - options: How to apply the batch.
    public init(writes: [Entry], expectations: [Entry] = [], options: Options = Options()) {
        self.writes = writes
        self.expectations = expectations
        self.options = options
    }
}

extension [SettingsStoreBatch.Entry] {
    /// Whether they hold as expectations.
    ///
    /// - Parameter stored: Returns the bytes under a name; nil for none.
    package func hold(for stored: (_ name: String) -> Data?) -> Bool { allSatisfy { stored($0.key.name) == $0.data } }
}
