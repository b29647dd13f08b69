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
        for connection in service.connections.all {
            guard let store = connection.store else { continue }
            if store.recovering === standIn {
                scopes.append(connection.scope)
            } else {
                others[connection.scope] = store.store
            }
        }
        (self.scopes, self.others) = (scopes, others)
        diagnostics = service.connections.diagnostics
        hasOneStore = service.connections.hasOneStore
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

extension ConnectedStore {
    /// Adds to a batch the operation that it was computed by, if the store is not open yet and carries it out again.
    func noting(
        _ operation: PendingOperation.Body?, in batch: SettingsStoreBatch, of service: SettingsService
    ) -> SettingsStoreBatch {
        guard let recovering, let operation, recovering.unavailability != nil else { return batch }
        var batch = batch
        batch.operation = PendingOperation(operation, in: service, on: recovering)
        return batch
    }
}
