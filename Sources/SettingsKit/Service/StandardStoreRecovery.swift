import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Synchronization

#if os(tvOS)
    import SettingsKitUserDefaults
#endif

/// The store of `SettingsService()`: the app's property list, or its replacement in memory until it can be opened. On tvOS, which
/// deletes an app's files to free space, `UserDefaults`.
enum StandardStoreRecovery {
    /// The replacement, while the property list cannot be opened.
    private static let standIn = Mutex<RecoveringStore?>(nil, .store)

    /// Returns the store, and the reason if it is not the property list yet.
    static func store() -> (store: any SettingsStore, unavailability: SettingsError?) {
        #if os(tvOS)
            (UserDefaultsStore.standard, nil)
        #else
            propertyList()
        #endif
    }

    private static func propertyList() -> (store: any SettingsStore, unavailability: SettingsError?) {
        if let standIn = standIn.withLock({ $0 }) {
            if let unavailability = standIn.tryNow() { return (standIn, unavailability) }
            // Once the property list is open, use it directly.
            Self.standIn.withLock { $0 = nil }
        }
        do {
            return (try PropertyListStore.standard(), nil)
        } catch {
            let new = RecoveringStore(
                reason: error as? SettingsError
                    ?? SettingsError(.memoryOnly, store: "PropertyListStore", underlying: error),
                description: "memory, in place of the property list", schedule: RecoveringStore.inBackground
            ) { try PropertyListStore.standard() }
            let (kept, isNew) = standIn.withLock { standIn in
                if let standIn { return (standIn, false) }
                standIn = new
                return (new, true)
            }
            if isNew { kept.begin() }
            return (kept, kept.unavailability)
        }
    }
}

extension RecoveringStore {
    static let inBackground: Schedule = {
        let queue = BackgroundQueue()
        return { queue.async(after: $0, $1) }
    }()
}
