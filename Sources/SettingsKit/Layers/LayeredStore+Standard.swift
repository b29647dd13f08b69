import SettingsKitCore
import SettingsKitFiles

#if os(tvOS)
    import SettingsKitUserDefaults
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LayeredStore {
    /// Combines the usual sources of settings: values that an administrator has locked, the arguments, the environment, the app's
    /// property list, and values for all users.
    ///
    /// From the highest to the lowest, with the names of the layers:
    ///
    /// | layer | Linux | Apple platforms |
    /// |---|---|---|
    /// | `managed`, locked | `NAME/Managed.plist` in the directories of `$XDG_CONFIG_DIRS` | the preferences that a profile forces on the app, and the managed app configuration |
    /// | `arguments` | `--volume=0.8` | the same |
    /// | `environment` | `PLAYER_VOLUME=0.8` | the same |
    /// | the writable one | ``PropertyListStore/standard()`` | the same; on tvOS ``UserDefaultsStore/standard`` |
    /// | `system` | `NAME/Settings.plist` in those directories | `/Library/Application Support/NAME/Settings.plist` |
    ///
    /// NAME is that of the app's property list. `$XDG_CONFIG_DIRS` is a list of absolute paths with colons between them, the most
    /// important first, and `/etc/xdg` if the variable has none. Each directory is a layer; the layers of the second one are named
    /// `managed-2` and `system-2`.
    ///
    /// Only the app's property list is ever written. The other files are opened for reading only. They need not exist, and the
    /// store notices when they appear, change and disappear. If one exists and cannot be read, that is reported to the diagnostics
    /// of the service that uses the store, and the store tries again; if it is a managed one, no setting can be changed until then.
    ///
    /// Without a home directory, the app's settings are kept in memory, as by `SettingsService()`: the other layers are used, and
    /// ``SettingsError/Code/memoryOnly`` is reported.
    ///
    /// - Parameters:
    ///   - environmentPrefix: The prefix of the app's environment variables; nil for no such layer.
    ///   - arguments: The arguments, without the name of the program.
    ///   - environment: The variables, `XDG_CONFIG_DIRS` included.
    /// - Throws: As ``PropertyListStore/standard()`` does, if the app's property list cannot be opened.
    public static func standard(
        environmentPrefix: String?, arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> LayeredStore {
        #if os(tvOS)
            // An app's files do not last on this platform.
            let own = UserDefaultsStore.standard
        #else
            let own = try ownStore()
        #endif
        return try standard(
            over: own, named: PropertyListLocation.ownName,
            environmentPrefix: environmentPrefix, arguments: arguments, environment: environment)
    }

    #if !os(tvOS)
        private static func ownStore() throws -> any SettingsStore {
            do {
                return try PropertyListStore.standard()
            } catch SettingsError.Code.memoryOnly {
                return StandardStoreRecovery.store().store
            }
        }
    #endif

    /// - Parameters:
    ///   - store: The writable store.
    ///   - name: The name of the directory with the files, in each place.
    package static func standard(
        over store: any SettingsStore, named name: String, environmentPrefix: String?, arguments: [String],
        environment: [String: String]
    ) throws -> LayeredStore {
        let places = StandardLayers(name: name, environment: environment)
        var layers = named("managed", places.managed).map { Layer.locked($0.store, name: $0.name) }
        layers.append(.arguments(arguments))
        if let environmentPrefix { layers.append(.environment(prefix: environmentPrefix, environment)) }
        layers.append(.writable(store))
        layers += named("system", places.system).map { Layer.fallback($0.store, name: $0.name) }
        return try LayeredStore(layers)
    }

    /// Returns the stores with their names: `system`, `system-2`, `system-3`.
    private static func named(
        _ name: String, _ stores: [any SettingsStore]
    ) -> [(name: String, store: any SettingsStore)] {
        stores.enumerated().map { ($0 == 0 ? name : "\(name)-\($0 + 1)", $1) }
    }
}

/// The stores of an administrator, at the platform's usual places, the most important first.
package struct StandardLayers {
    /// The stores whose values are locked.
    let managed: [any SettingsStore]
    /// The stores for all users.
    let system: [any SettingsStore]

    /// Returns the read-only store of a file. It stands in for a file that cannot be opened now.
    static func file(_ path: String) -> any SettingsStore {
        let url = URL(fileURLWithPath: path)
        do {
            return try PropertyListStore(url: url, access: .readOnly)
        } catch {
            let description = "PropertyListStore at \(path)"
            let store = RecoveringStore(
                reason: .wrap(error, as: .storeUnavailable, store: description), description: description,
                timing: .background
            ) { try PropertyListStore(url: url, access: .readOnly) }
            store.begin()
            return store
        }
    }
}
