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
    package var options: Options

    /// The options of a batch's caller.
    package struct Options: Sendable {
        /// Whether the caller waits until a store that agrees with other machines on each write has done so. Otherwise the store may
        /// return as soon as the writes survive the end of the process.
        package var waitsForAgreement: Bool
        /// Whether a store that is not open yet keeps the writes, which depend on no stored value; see ``RecoveringStore``.
        var isKept: Bool

        /// The options of `set` and `reset`.
        package static let ofSet = Options(waitsForAgreement: false, isKept: true)
        /// The options of `save`, `remove`, `update`, transactions and migrations.
        package static let ofSave = Options(waitsForAgreement: true, isKept: false)
        /// The options of a batch that only asks, for the values in memory.
        package static let ofQuestion = Options(waitsForAgreement: false, isKept: false)
    }

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - writes: The values to store.
    ///   - expectations: The values that must be stored.
    public init(writes: [Entry], expectations: [Entry] = []) {
        self.init(
            writes: writes, expectations: expectations, options: writes.isEmpty ? .ofQuestion : .ofSave)
    }

    package init(writes: [Entry], expectations: [Entry] = [], options: Options) {
        (self.writes, self.expectations, self.options) = (writes, expectations, options)
    }
}

extension [SettingsStoreBatch.Entry] {
    /// Returns whether the entries hold as expectations.
    ///
    /// - Parameter stored: Returns the bytes under a name; nil for none.
    package func hold(for stored: (_ name: String) -> Data?) -> Bool { allSatisfy { stored($0.key.name) == $0.data } }
}
