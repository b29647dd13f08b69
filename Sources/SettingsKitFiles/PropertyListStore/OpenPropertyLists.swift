import SettingsKitCore
import SettingsKitPlatform

/// The open property lists of this process, one for each file, however many stores use it.
enum OpenPropertyLists {
    private static let lists = OpenObjects<JournaledPropertyList>()

    /// Returns the property list at a path of this machine, and opens it if necessary.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether the caller only reads.
    ///   - patience: The time that the caller waits for other processes. The shortest of all callers counts.
    ///   - lag: The longest time that a change may be missing from the property list. The shortest of all callers counts.
    static func list(
        at path: String, isReadOnly: Bool, patience: Duration, lag: Duration?
    ) throws -> JournaledPropertyList {
        let target: String
        do {
            target = try WholeFile.realPath(WholeFile(path: path, fileSystem: POSIXFileSystem()).resolvedPath())
        } catch {
            throw SettingsError(
                .storeUnavailable, store: PropertyListSetup.description(of: path), underlying: error)
        }
        let list = try lists.object(for: target) {
            var setup = PropertyListSetup(path: path, fileSystem: POSIXFileSystem())
            (setup.patience, setup.lag, setup.isReadOnly) = (patience, lag, isReadOnly)
            return try JournaledPropertyList(setup)
        }
        list.join(isReadOnly: isReadOnly, patience: patience, lag: lag)
        return list
    }
}
