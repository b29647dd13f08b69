import Synchronization

/// The services that stand behind what uses a store without naming one: property wrappers, records and migrations
/// straight over a store. All who use the same store object share one.
enum StoreServices {
    private static let services = Mutex<[ObjectIdentifier: WeakReference<SettingsService>]>([:])

    static func service(over store: any SettingsStore) -> SettingsService {
        guard let identifier = store.identity else { return SettingsService(over: store) }
        if let service = services.withLock({ $0[identifier]?.object }) { return service }
        // Made outside of the lock, because it calls the store. A service holds its store: the address is nobody else's.
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
        // Looking may be what keeps a service last: it is let go of here, outside of the lock.
        withExtendedLifetime(others) {}
        return kept
    }
}
