/// Reads, writes and watches settings, each in the store of its scope.
///
/// ```swift
/// let settings = SettingsService()
/// settings.set(.launchCount, to: 2)
/// settings[.launchCount] += 1
/// ```
///
/// A service may be used from any thread, inside listeners and stores too: it holds no lock while code that is not its
/// own runs. Any number of services may share a store; each sees what the others set as soon as they have set it.
public final class SettingsService: Sendable {
    @usableFromInline let table: CachedSettingTable
    let connections: ScopeConnections

    /// A service over the given stores.
    ///
    /// `SettingsKit` has initializers that bring the app's own property list.
    ///
    /// - Parameters:
    ///   - stores: The store of each scope. A scope without one is legal: its settings read as their defaults, and
    ///     setting them is diagnosed.
    ///   - diagnosticSink: Receives errors that no caller receives, besides ``diagnostics``.
    public init(stores: [Scope: any SettingsStore], diagnosticSink: DiagnosticSink) {
        connections = ScopeConnections(diagnostics: Diagnostics(sink: diagnosticSink), hasOneStore: false)
        table = CachedSettingTable(connections: connections)
        for (scope, store) in stores { register(store, for: scope) }
    }

    /// A service over one store, whatever scope a setting names.
    init(over store: any SettingsStore) {
        connections = ScopeConnections(diagnostics: Diagnostics(sink: .standard), hasOneStore: true)
        table = CachedSettingTable(connections: connections)
        register(store, for: .defaults)
    }

    /// A service without stores that reports errors where another one does.
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
    /// Listeners to settings of that scope whose stored bytes differ between the two stores are notified, with the origin
    /// ``Origin/external``. Nothing is copied from one store to the other.
    public func register(_ store: any SettingsStore, for scope: Scope) {
        connections[scope].connect(to: store)
    }

    /// The errors that no caller received: the last few, then each new one.
    ///
    /// A problem with reading is reported once for each cause, a problem with writing each time.
    public var diagnostics: Stream<SettingsError> { connections.diagnostics.stream() }

    /// Reports an error as the service itself does: through ``diagnostics`` and the sink.
    package func report(_ error: SettingsError) { connections.diagnostics.report(error) }

    func connection(for key: StorageKey) -> ScopeConnection { connections[key.scope] }

    /// What this service caches of a setting; made on first use.
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
