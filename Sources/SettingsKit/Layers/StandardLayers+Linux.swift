#if !canImport(Darwin)
    extension StandardLayers {
        /// Creates the stores of the files in the directories of `$XDG_CONFIG_DIRS`.
        init(name: String, environment: [String: String]) {
            let directories = Self.directories(in: environment["XDG_CONFIG_DIRS"] ?? "").map { "\($0)/\(name)" }
            managed = directories.map { Self.file($0 + "/Managed.plist") }
            system = directories.map { Self.file($0 + "/Settings.plist") }
        }

        /// Returns the absolute paths in a list; `/etc/xdg` if there is none. The specification says to ignore relative paths.
        package static func directories(in list: String) -> [String] {
            let paths = list.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
            return paths.isEmpty ? ["/etc/xdg"] : paths
        }
    }
#endif
