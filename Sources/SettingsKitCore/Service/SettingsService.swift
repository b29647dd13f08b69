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
    @usableFromInline let table: SlotTable
    let connections: Connections

    /// Creates a service with the given stores.
    ///
    /// `SettingsKit` has initializers that use the app's property list.
    ///
    /// - Parameters:
    ///   - stores: The store of each scope. A scope need not have one: its settings then read as their defaults, and setting them
    ///     is diagnosed.
    ///   - diagnosticSink: Receives errors that cannot be thrown to a caller. ``diagnostics`` have them, too.
    public init(stores: [Scope: any SettingsStore], diagnosticSink: DiagnosticSink) {
        connections = Connections(diagnostics: Diagnostics(sink: diagnosticSink), hasOneStore: false)
        table = SlotTable(connections: connections)
        for (scope, store) in stores { register(store, for: scope) }
    }

    /// Those of stores without a service, so that each cause is reported once.
    private static let bareDiagnostics = Diagnostics(sink: .standard)

    /// Creates a service that uses one store for every scope.
    init(over store: any SettingsStore) {
        connections = Connections(diagnostics: Self.bareDiagnostics, hasOneStore: true)
        table = SlotTable(connections: connections)
        register(store, for: .defaults)
    }

    /// Creates a service without stores that reports errors to the same diagnostics as another one.
    init(like connections: Connections) {
        self.connections = Connections(
            diagnostics: connections.diagnostics.sibling, hasOneStore: connections.hasOneStore)
        table = SlotTable(connections: self.connections)
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

    func connection(for key: StorageKey) -> Connection { connections[key.scope] }

    /// Returns this service's slot of a setting, and creates it on first use.
    func slot<T>(for setting: Setting<T>) -> Slot<T> {
        if let slot = table.slot(at: setting.index) {
            return unsafeDowncast(slot.takeUnretainedValue(), to: Slot<T>.self)
        }
        let connection = connection(for: setting.key)
        let (slot, isNew) = table.slot(at: setting.index) { connection.add(Slot(of: setting, connection)) }
        if isNew {
            connection.sources?.follow(CollectionOfOne(setting.key.name))
            setting.isHeld(by: table)
            connections.diagnostics.releaseHeld()
        }
        // An index belongs to one setting at a time, and a setting has one type of value.
        return unsafeDowncast(slot, to: Slot<T>.self)
    }
}
