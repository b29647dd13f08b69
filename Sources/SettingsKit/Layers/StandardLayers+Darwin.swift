#if canImport(Darwin)
    import SettingsKitUserDefaults

    extension StandardLayers {
        /// Creates the preferences that a profile forces on the app, and the file in the local domain.
        init(name: String, environment: [String: String]) {
            managed = [ManagedPreferencesStore.standard]
            system = [Self.file("/Library/Application Support/\(name)/Settings.plist")]
        }
    }
#endif
