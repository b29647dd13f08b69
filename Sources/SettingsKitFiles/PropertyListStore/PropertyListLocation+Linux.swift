#if !canImport(Darwin)
    import Glibc
    import SettingsKitPlatform

    extension PropertyListLocation {
        /// The name under which the executable was called.
        package static var ownName: String {
            let name = WholeFile.split(CommandLine.arguments.first ?? "").name
            return name.isEmpty ? "swift-settings" : name
        }

        static var platformDirectory: String {
            get throws {
                if let directory = absolutePath(inVariable: "XDG_CONFIG_HOME") { return directory }
                if let home = absolutePath(inVariable: "HOME") ?? homeOfUser { return home + "/.config" }
                throw NoHomeDirectory()
            }
        }

        /// The directory for data that is neither settings nor worth a backup: `$XDG_STATE_HOME`, `~/.local/state`.
        static var platformStateDirectory: String {
            get throws {
                if let directory = absolutePath(inVariable: "XDG_STATE_HOME") { return directory }
                if let home = absolutePath(inVariable: "HOME") ?? homeOfUser { return home + "/.local/state" }
                throw NoHomeDirectory()
            }
        }

        /// A path in a form that is the same the next time.
        static func lastingForm(of path: String) -> String { path }

        /// The specification requires relative paths to be ignored.
        private static func absolutePath(inVariable name: String) -> String? {
            guard let value = getenv(name) else { return nil }
            let path = String(cString: value)
            return path.hasPrefix("/") ? path : nil
        }

        /// The home directory, in the user database, of the user who runs the process.
        private static var homeOfUser: String? {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: 16_384)
            return buffer.withUnsafeMutableBufferPointer { buffer in
                // The entry's strings are in the buffer.
                guard let start = buffer.baseAddress,
                    getpwuid_r(getuid(), &entry, start, buffer.count, &found) == 0, found != nil,
                    let home = entry.pw_dir
                else { return nil }
                let path = String(cString: home)
                return path.hasPrefix("/") ? path : nil
            }
        }
    }
#endif
