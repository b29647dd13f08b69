#if canImport(Darwin)
    import Foundation

    extension PropertyListLocation {
        /// The app's bundle identifier; the name of the executable where there is no bundle.
        package static var ownName: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }

        static var platformDirectory: String {
            get throws {
                let directories = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
                guard let directory = directories.first else { throw NoHomeDirectory() }
                return directory.path
            }
        }

        static var platformStateDirectory: String { get throws { try platformDirectory } }

        /// A path in a form that is the same the next time: an app's container moves when the app is updated.
        static func lastingForm(of path: String) -> String {
            let home = NSHomeDirectory()
            return path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
        }
    }
#endif
