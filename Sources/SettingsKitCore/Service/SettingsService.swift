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
    @usableFromInline let table: CellTable
    let registry: ChannelRegistry

    /// A service over the given stores.
    ///
    /// `SettingsKit` has initialisers that bring the app's own property list.
    ///
    /// - Parameters:
    ///   - stores: The store of each scope. A scope without one is legal: its settings read as their defaults, and
    ///     setting them is diagnosed.
    ///   - diagnosticSink: Who is told of problems; ``diagnostics`` has them in any case.
    public init(stores: [Scope: any SettingsStore], diagnosticSink: DiagnosticSink) {
        registry = ChannelRegistry(diagnostics: Diagnostics(sink: diagnosticSink), hasOneStore: false)
        table = CellTable(registry: registry)
        for (scope, store) in stores { register(store, for: scope) }
    }

    /// A service over one store, whatever scope a setting names.
    init(over store: any SettingsStore) {
        registry = ChannelRegistry(diagnostics: Diagnostics(sink: .standard), hasOneStore: true)
        table = CellTable(registry: registry)
        register(store, for: .defaults)
    }

    deinit {
        for channel in registry.all { channel.detach() }
    }

    /// Uses `store` for `scope` from now on, instead of the one before, if there was one.
    ///
    /// Listeners to settings of that scope whose stored bytes differ between the two stores are told, with the origin
    /// ``Origin/external``. Nothing is copied from one store to the other.
    public func register(_ store: any SettingsStore, for scope: Scope) {
        registry.channel(for: scope).attach(store)
    }

    /// What went wrong without an error to throw: the last few problems, then each new one.
    ///
    /// A problem with reading is told once for each cause, a problem with writing each time.
    public var diagnostics: Stream<SettingsError> { registry.diagnostics.stream() }

    /// Tells of a problem, as the service itself does: through ``diagnostics`` and the sink.
    package func report(_ error: SettingsError) { registry.diagnostics.report(error) }

    func channel(for key: StorageKey) -> Channel { registry.channel(for: key.scope) }

    /// The setting's cell in this service; made on first use.
    func cell<T>(of setting: Setting<T>) -> Cell<T> {
        if let cell = table.cell(at: setting.index) {
            return unsafeDowncast(cell.takeUnretainedValue(), to: Cell<T>.self)
        }
        let channel = channel(for: setting.key)
        let (cell, isNew) = table.cell(at: setting.index) {
            let cell = Cell(of: setting, channel: channel)
            channel.add(cell)
            return cell
        }
        if isNew { setting.isHeld(by: table) }
        // An index is one setting's at a time, and a setting has one type of value.
        return unsafeDowncast(cell, to: Cell<T>.self)
    }
}
