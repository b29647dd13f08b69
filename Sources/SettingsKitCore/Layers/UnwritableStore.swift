#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Takes the place of the writable layer in a ``LayeredStore`` without one: it has no values, and refuses every change.
final class UnwritableStore: SettingsStore {
    let feed: SettingsStoreFeed? = SettingsStoreFeed()
    let storeDescription = "LayeredStore without a writable layer"

    private var readOnly: SettingsError { SettingsError(.readOnly, store: storeDescription) }

    func get(_ key: SettingsService.StorageKey) -> Data? { nil }

    func set(_ key: SettingsService.StorageKey, to data: Data?) throws { throw readOnly }

    func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        guard batch.expectations.hold(for: { _ in nil }) else { return false }
        if batch.writes.isEmpty { return true }
        throw readOnly
    }

    func keys() -> [String] { [] }

    func removeAll() throws { throw readOnly }
}
