/// Reads, writes and watches settings, each in the store of its scope.
///
/// ```swift
/// let settings = SettingsService()
/// settings.set(.launchCount, to: 2)
/// settings[.launchCount] += 1
/// ```
///
/// A service may be used from any thread, also inside listeners and stores: it holds no lock while foreign code runs. Any number of
/// services may share a store. Each sees the others' changes at once.
public final class SettingsService: Sendable {
    @usableFromInline let table: CachedSettingTable
    let connections: ScopeConnections

    /// Creates a service with the given stores.
    ///
    /// `SettingsKit` has initializers that use the app's property list.
    ///
    /// - Parameters:
    ///   - stores: The store of each scope. A scope need not have one: its settings then read as their defaults, and setting them
    ///     is diagnosed.
    ///   - diagnosticSink: Receives errors that cannot be thrown to a caller. ``diagnostics`` have them, too.
    public init(stores: [Scope: any SettingsStore], diagnosticSink: DiagnosticSink) {
        connections = ScopeConnections(diagnostics: Diagnostics(sink: diagnosticSink), hasOneStore: false)
        table = CachedSettingTable(connections: connections)
        for (scope, store) in stores { register(store, for: scope) }
    }

    /// Creates a service that uses one store for every scope.
    init(over store: any SettingsStore) {
        connections = ScopeConnections(diagnostics: Diagnostics(sink: .standard), hasOneStore: true)
        table = CachedSettingTable(connections: connections)
        register(store, for: .defaults)
    }

    /// Creates a service without stores that reports errors to the same diagnostics as another one.
    init(like connections: ScopeConnections) {
        self.connections = ScopeConnections(
            diagnostics: connections.diagnostics.sibling, hasOneStore: connections.hasOneStore)
        table = CachedSettingTable(connections: self.connections)
    }

    deinit {
        for connection in connections.all { connection.disconnect() }
    }

    /// Uses `store` for `scope` from now on, in place of the store before.
    ///
    /// Listeners to settings of that scope are notified if the stored bytes differ between the two stores, with the origin
    /// ``Origin/external``. Nothing is copied from one store to the other.
    public func register(_ store: any SettingsStore, for scope: Scope) {
        connections[scope].connect(to: store)
    }

    /// Publishes errors that could not be thrown to a caller: the last few, then each new one.
    ///
    /// A read problem is reported once for each cause, a write problem each time.
    public var diagnostics: Stream<SettingsError> { connections.diagnostics.stream() }

    /// Reports an error through ``diagnostics`` and the sink, as the service itself does.
    package func report(_ error: SettingsError) { connections.diagnostics.report(error) }

    func connection(for key: StorageKey) -> ScopeConnection { connections[key.scope] }

    /// Returns this service's cache of a setting, and creates it on first use.
    func cachedSetting<T>(for setting: Setting<T>) -> CachedSettingValue<T> {
        if let cached = table.setting(at: setting.index) {
            return unsafeDowncast(cached.takeUnretainedValue(), to: CachedSettingValue<T>.self)
        }
        let connection = connection(for: setting.key)
        let (cached, isNew) = table.setting(at: setting.index) {
            connection.add { CachedSettingValue(of: setting, connection: connection, slot: $0) }
        }
        if isNew { setting.isHeld(by: table) }
        // An index belongs to one setting at a time, and a setting has one type of value.
        return unsafeDowncast(cached, to: CachedSettingValue<T>.self)
    }
}
