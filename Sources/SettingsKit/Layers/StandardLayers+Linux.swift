#if !canImport(Darwin)
    import SettingsKitCore

    extension StandardLayers {
        /// Creates the layers of the files in the directories of `$XDG_CONFIG_DIRS`.
        init(name: String, environment: [String: String]) {
            let directories = Self.directories(in: environment["XDG_CONFIG_DIRS"] ?? "").map { "\($0)/\(name)" }
            managed = Self.files("managed", "Managed", in: directories) { .locked($0, name: $1) }
            system = Self.files("system", "Settings", in: directories) { .fallback($0, name: $1) }
        }

        /// Returns the absolute paths in a list; `/etc/xdg` if there is none. The specification says to ignore relative paths.
        package static func directories(in list: String) -> [String] {
            let paths = list.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
            return paths.isEmpty ? ["/etc/xdg"] : paths
        }
    }
#endif
