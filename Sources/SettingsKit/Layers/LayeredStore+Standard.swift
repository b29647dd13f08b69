import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform

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
    /// | `managed-json`, locked | `NAME/Managed.json` in those directories | none |
    /// | `arguments` | `--volume=0.8` | the same |
    /// | `environment` | `PLAYER_VOLUME=0.8` | the same |
    /// | the writable one | ``PropertyListStore/standard()`` | the same; on tvOS ``UserDefaultsStore/standard`` |
    /// | `system` | `NAME/Settings.plist` in those directories | `/Library/Application Support/NAME/Settings.plist` |
    /// | `system-json` | `NAME/Settings.json` in those directories | `/Library/Application Support/NAME/Settings.json` |
    ///
    /// NAME is that of the app's property list. `$XDG_CONFIG_DIRS` is a list of absolute paths with colons between them, the most
    /// important first, and `/etc/xdg` if the variable has none. The layers of the second directory are named `managed-2`,
    /// `managed-json-2`, `system-2` and `system-json-2`. If a directory has a file in both formats, the property list's values count
    /// first, and ``SettingsCatalogue/check(in:)`` reports it.
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
        var layers = places.managed
        layers.append(.arguments(arguments))
        if let environmentPrefix { layers.append(.environment(prefix: environmentPrefix, environment)) }
        layers.append(.writable(store))
        return try LayeredStore(layers + places.system)
    }
}

/// The layers of an administrator, at the platform's usual places, the most important first.
package struct StandardLayers {
    /// Those whose values are locked.
    let managed: [LayeredStore.Layer]
    /// Those for all users.
    let system: [LayeredStore.Layer]

    /// Returns the layers of a property list and of a file in JSON beside it, in each directory.
    ///
    /// - Parameters:
    ///   - name: The name of the first layer: `system`. The second one is `system-2`.
    ///   - file: The name of the files, without their suffix.
    static func files(
        _ name: String, _ file: String, in directories: [String],
        _ layer: (any SettingsStore, String) -> LayeredStore.Layer
    ) -> [LayeredStore.Layer] {
        directories.enumerated().flatMap { index, directory in
            let suffix = index == 0 ? "" : "-\(index + 1)"
            let list = "\(directory)/\(file).plist"
            let json = WholeFile(path: "\(directory)/\(file).json", fileSystem: POSIXFileSystem())
            return [layer(store(list), name + suffix), .file(json, name: "\(name)-json\(suffix)", preferred: list)]
        }
    }

    /// Returns the read-only store of a file. It stands in for a file that cannot be opened now.
    private static func store(_ path: String) -> any SettingsStore {
        let url = URL(fileURLWithPath: path)
        do {
            return try PropertyListStore(url: url, access: .readOnly)
        } catch {
            let description = "PropertyListStore at \(path)"
            let store = RecoveringStore(
                reason: .wrap(error, as: .storeUnavailable, store: description), description: description,
                schedule: RecoveringStore.inBackground
            ) { try PropertyListStore(url: url, access: .readOnly) }
            store.begin()
            return store
        }
    }
}
