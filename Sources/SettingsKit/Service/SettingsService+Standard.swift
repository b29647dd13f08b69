import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

extension SettingsService {
    /// Creates a service whose `.defaults` scope is the app's property list.
    ///
    /// The file is `~/.config/EXECUTABLE/Settings.plist` on Linux (in `$XDG_CONFIG_HOME` if that is set), and
    /// `BUNDLE-IDENTIFIER/Settings.plist` in Application Support on Apple platforms; see ``PropertyListStore/standard()``. On tvOS,
    /// where apps have no lasting files, the scope is ``UserDefaultsStore/standard``; the system limits it to 1 MB.
    ///
    /// ## If the file cannot be opened
    /// A phone's files are unreadable before it is unlocked for the first time, and permissions or a home directory may become
    /// available a moment later. The service then works from memory, reports the reason to ``diagnostics``, and tries to open the
    /// file again: in the background, with pauses that grow from 0.1 to 2 seconds, and when something needs it, such as
    /// ``save(_:to:)`` or ``synchronize()``. Until the file is open:
    ///
    /// - Settings have their defaults, or the values that were set meanwhile. ``load(_:)`` throws.
    /// - `set` and `reset` of a setting keep the change in memory, and write it to the file once that is open. ``diagnostics`` have
    ///   an error with the code `storeUnavailable` for each setting: if the process ends first, the change is lost.
    /// - `update` and transactions may calculate from values that are unknown. They are rejected, and diagnosed.
    /// - Functions that throw their errors throw the reason and change nothing: `save`, `remove`, ``synchronize()`` and `migrate`.
    ///   Resetting a scope or a namespace is rejected, and diagnosed.
    ///
    /// When the file is open, listeners are notified of every value that differs from the last one that they received, with the
    /// origin ``Origin/external``, and ``diagnostics`` have an error with the code `recovered`. Only the changes are written. While
    /// a change cannot be written (a full disk, a directory without permission to write), the service continues in memory.
    ///
    /// All services that this initializer creates share one store, in memory and in the file.
    ///
    /// - Parameters:
    ///   - shared: The store of the `.shared` scope. Without one, its settings have their defaults.
    ///   - storesForCustomScopes: The stores of `.custom` scopes; more can be registered later.
    ///   - diagnosticSink: Receives errors that cannot be thrown to a caller. ``diagnostics`` have them, too.
    public convenience init(
        shared: (any SettingsStore)? = nil, storesForCustomScopes: [Scope: any SettingsStore] = [:],
        diagnosticSink: DiagnosticSink = .standard
    ) {
        let (store, unavailability) = StandardStoreRecovery.store()
        self.init(
            defaults: store, shared: shared, storesForCustomScopes: storesForCustomScopes,
            diagnosticSink: diagnosticSink)
        if let unavailability { report(unavailability) }
    }

    /// Creates a service with the given stores.
    ///
    /// - Parameters:
    ///   - defaults: The store of the `.defaults` scope; nil for none.
    ///   - shared: The store of the `.shared` scope. Without one, its settings have their defaults.
    ///   - storesForCustomScopes: The stores of `.custom` scopes; more can be registered later.
    ///   - diagnosticSink: Receives errors that cannot be thrown to a caller. ``diagnostics`` have them, too.
    public convenience init(
        defaults: (any SettingsStore)?, shared: (any SettingsStore)? = nil,
        storesForCustomScopes: [Scope: any SettingsStore] = [:], diagnosticSink: DiagnosticSink = .standard
    ) {
        self.init(stores: storesForCustomScopes, diagnosticSink: diagnosticSink)
        if let defaults { register(defaults, for: .defaults) }
        if let shared { register(shared, for: .shared) }
    }
}
