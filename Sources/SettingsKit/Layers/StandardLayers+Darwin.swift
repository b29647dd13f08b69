#if canImport(Darwin)
    import SettingsKitCore
    import SettingsKitUserDefaults

    extension StandardLayers {
        /// Creates the preferences that a profile forces on the app, and the files in the local domain.
        init(name: String, environment: [String: String]) {
            managed = [.locked(ManagedPreferencesStore.standard, name: "managed")]
            let directory = "/Library/Application Support/\(name)"
            system = Self.files("system", "Settings", in: [directory]) { .fallback($0, name: $1) }
        }
    }
#endif
