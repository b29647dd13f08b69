/// The services behind everything that uses a store without naming a service: property wrappers, records, migrations and
/// typed access straight over a store. All that use the same store object share one service.
enum StoreServices {
    private static let services = StoreTable<SettingsService>()

    static func service(over store: any SettingsStore) -> SettingsService {
        services.object(for: store) { SettingsService(over: store) }
    }
}
