/// An operation that computes a change from stored values. It was carried out on a store's stand-in, and is carried out
/// again on the store itself: the outcome of the first time was computed from values that are not the stored ones.
package struct PendingOperation: Sendable {
    /// Carries the operation out through a service.
    typealias Body = @Sendable (SettingsService) throws(SettingsError) -> Void

    private let body: Body
    /// The scopes that the stand-in served.
    private let scopes: [SettingsService.Scope]
    /// The stores of the service's other scopes.
    private let others: [SettingsService.Scope: any SettingsStore]
    private let diagnostics: Diagnostics
    private let hasOneStore: Bool

    /// - Parameters:
    ///   - service: The service through which the operation was carried out the first time. It is not kept.
    ///   - standIn: The store that is replaced.
    init(_ body: @escaping Body, in service: SettingsService, on standIn: RecoveringStore) {
        self.body = body
        var (scopes, others): ([SettingsService.Scope], [SettingsService.Scope: any SettingsStore]) = ([], [:])
        for channel in service.registry.all {
            guard let hub = channel.hub else { continue }
            if hub.recovering === standIn { scopes.append(channel.scope) } else { others[channel.scope] = hub.store }
        }
        (self.scopes, self.others) = (scopes, others)
        diagnostics = service.registry.diagnostics
        hasOneStore = service.registry.hasOneStore
    }

    /// Carries the operation out on the store, through a service of the same scopes.
    func carryOut(on store: any SettingsStore) throws(SettingsError) {
        if hasOneStore { return try body(SettingsService(over: store)) }
        var stores = others
        for scope in scopes { stores[scope] = store }
        try body(
            SettingsService(stores: stores, diagnosticSink: .init { [diagnostics] in diagnostics.report($0) }))
    }
}
