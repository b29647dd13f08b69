extension SettingsService {
    /// Creates a service that overrides values of this one, in memory: for tests and previews.
    ///
    /// ```swift
    /// let preview = settings.overriding { $0[.theme] = .dark }
    /// ```
    ///
    /// The new service reads this one's stores for settings that it does not override, and follows their changes. Values that are
    /// set through it stay in its memory: this service's stores are never changed, and their locks have no effect. After a reset, a
    /// setting has this service's value. The new service does not use stores that are registered with this one later.
    ///
    /// - Parameter body: Sets the values. If a value cannot be stored, that is diagnosed, and none of them is used.
    public func overriding<E: Error>(_ body: (inout Transaction) throws(E) -> Void) throws(E) -> SettingsService {
        let service = SettingsService(like: connections)
        for connection in connections.all {
            if let sources = connection.sources { service.register(sources.store.overridden, for: connection.scope) }
        }
        let (_, error) = try Transaction.run(Transaction(service: service, options: .ofSave), body) {
            transaction throws(SettingsError) in
            let scopes = service.scopesWithoutStore(of: transaction)
            for scope in scopes { service.register(MemoryStore(), for: scope) }
            return scopes.isEmpty ? try transaction.commit() : false
        }
        if let error { service.report(error) }
        return service
    }

    private func scopesWithoutStore(of transaction: Transaction) -> Set<Scope> {
        let keys =
            transaction.writtenEntries.map(\.key) + (transaction.error?.key.map { [$0] } ?? [])
        return Set(keys.filter { connection(for: $0).sources == nil }.map(\.scope))
    }
}

extension SettingsStore {
    /// A store in memory, with this store as a layer below.
    fileprivate var overridden: LayeredStore {
        do {
            return try LayeredStore(
                [.writable(MemoryStore())] + ((self as? LayeredStore)?.fallbacks ?? [.fallback(self, name: "store")]))
        } catch {
            preconditionFailure("The names of the layers differ: \(error)")
        }
    }
}

extension LayeredStore {
    /// This store's layers for use below another writable one; the present writable one gets a name. They lock nothing there.
    fileprivate var fallbacks: [Layer] {
        let names = Set(layerNames.compactMap { $0 })
        var name = "store"
        while names.contains(name) { name += "-below" }
        return layers.map { layer in
            var layer = layer
            (layer.name, layer.place) = (layer.name ?? name, nil)
            return layer
        }
    }
}
