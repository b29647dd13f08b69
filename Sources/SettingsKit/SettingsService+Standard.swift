import Foundation
import SettingsCore
import SettingsFiles

extension SettingsService {
    /// A service whose `.defaults` scope is the app's own property list.
    ///
    /// The file is `~/.config/EXECUTABLE/Settings.plist` on Linux (in `$XDG_CONFIG_HOME` if that is set), and
    /// `BUNDLE-IDENTIFIER/Settings.plist` in Application Support on Apple platforms; see ``PropertyListStore/standard()``.
    /// If it cannot be opened, the service works from memory and says so on ``diagnostics``; the file is left as it is,
    /// and ``synchronize()`` throws the reason.
    ///
    /// - Parameters:
    ///   - shared: The store of the `.shared` scope. Without one, settings in it read as their defaults.
    ///   - storesForCustomScopes: The stores of `.custom` scopes; more can be registered later.
    ///   - diagnosticSink: Who is told of problems, besides ``diagnostics``.
    public convenience init(
        shared: (any SettingsStore)? = nil, storesForCustomScopes: [Scope: any SettingsStore] = [:],
        diagnosticSink: DiagnosticSink = .standard
    ) {
        do {
            self.init(
                defaults: try PropertyListStore.standard(), shared: shared,
                storesForCustomScopes: storesForCustomScopes, diagnosticSink: diagnosticSink)
        } catch {
            let substitute = SubstituteStore(reason: error)
            self.init(
                defaults: substitute, shared: shared, storesForCustomScopes: storesForCustomScopes,
                diagnosticSink: diagnosticSink)
            report(substitute.reason)
        }
    }

    /// A service over the given stores.
    ///
    /// - Parameters:
    ///   - defaults: The store of the `.defaults` scope; nil for none.
    ///   - shared: The store of the `.shared` scope. Without one, settings in it read as their defaults.
    ///   - storesForCustomScopes: The stores of `.custom` scopes; more can be registered later.
    ///   - diagnosticSink: Who is told of problems, besides ``diagnostics``.
    public convenience init(
        defaults: (any SettingsStore)?, shared: (any SettingsStore)? = nil,
        storesForCustomScopes: [Scope: any SettingsStore] = [:], diagnosticSink: DiagnosticSink = .standard
    ) {
        var stores = storesForCustomScopes
        if let defaults { stores[.defaults] = defaults }
        if let shared { stores[.shared] = shared }
        self.init(stores: stores, diagnosticSink: diagnosticSink)
    }
}

/// Stands in for the app's property list where that cannot be opened: works, in memory, and does not pretend to save.
private final class SubstituteStore: SettingsStore {
    let reason: SettingsError
    private let memory = MemoryStore()

    init(reason: any Error) {
        self.reason =
            reason as? SettingsError ?? SettingsError(.memoryOnly, store: "PropertyListStore", underlying: reason)
    }

    var feed: SettingsStoreFeed? { memory.feed }
    var storeDescription: String { "memory, in place of the property list" }

    func get(_ key: SettingsService.StorageKey) -> Data? { memory.get(key) }
    func set(_ key: SettingsService.StorageKey, to data: Data?) { memory.set(key, to: data) }
    func apply(_ batch: SettingsStoreBatch) -> Bool { memory.apply(batch) }
    func keys() -> [String] { memory.keys() }
    func removeAll() { memory.removeAll() }
    func synchronize() throws { throw reason }
}
