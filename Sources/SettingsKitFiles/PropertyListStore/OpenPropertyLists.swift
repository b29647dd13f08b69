import SettingsKitCore
import SettingsKitPlatform

/// The open property lists of this process, one for each file, however many stores use it.
enum OpenPropertyLists {
    private static let lists = OpenObjects<PrintedPropertyList>()

    /// Returns the property list at a path of this machine, and opens it if necessary.
    ///
    /// - Parameters:
    ///   - access: What the caller may do. A log is opened for reading only until a store that may write does.
    ///   - patience: The time that an operation waits for other processes. That of the first caller counts.
    ///   - lag: The longest time that a change may be missing from the property list. That of the first caller counts.
    static func list(
        at path: String, _ access: SettingsStoreAccess, patience: Duration, lag: Duration?
    ) throws -> PrintedPropertyList {
        let target: String
        do {
            target = try WholeFile.realPath(WholeFile(path: path, fileSystem: POSIXFileSystem()).resolvedPath())
        } catch {
            throw SettingsError(
                .storeUnavailable, store: PropertyListSetup.description(of: path), underlying: error)
        }
        return try lists.object(for: target) {
            var setup = PropertyListSetup(path: path, fileSystem: POSIXFileSystem())
            (setup.access, setup.patience, setup.lag) = (access, patience, lag)
            return try PrintedPropertyList(setup)
        }
    }
}
