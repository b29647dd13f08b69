/// The services for property wrappers, records and migrations that use a store without a service. There is one service
/// for each store object.
enum StoreServices {
    private static let services = StoreTable<SettingsService>()

    static func service(over store: any SettingsStore) -> SettingsService {
        services.object(for: store) { SettingsService(over: store) }
    }
}
