import Synchronization

/// The services for property wrappers, records and migrations that use a store without a service. There is one service
/// for each store object.
enum StoreServices {
    private static let services = Mutex<[ObjectIdentifier: WeakReference<SettingsService>]>([:])

    static func service(over store: any SettingsStore) -> SettingsService {
        guard let identifier = store.identity else { return SettingsService(over: store) }
        if let service = services.withLock({ $0[identifier]?.object }) { return service }
        // Created outside the lock, because this calls the store. A service holds its store, so no other store has its
        // address.
        let service = SettingsService(over: store)
        let (kept, others) = services.withLock { services in
            var others: [SettingsService] = []
            services = services.filter { entry in
                guard let service = entry.value.object else { return false }
                others.append(service)
                return true
            }
            let kept = services[identifier]?.object ?? service
            services[identifier] = WeakReference(kept)
            return (kept, others)
        }
        // The reference from the lookup may be the last one to the service, so it is released here, outside the lock.
        withExtendedLifetime(others) {}
        return kept
    }
}
