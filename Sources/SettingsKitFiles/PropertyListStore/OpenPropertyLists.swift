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
                .storeUnavailable, store: JournaledPropertyList.description(of: path), underlying: error)
        }
        let list = try lists.object(for: target) {
            try JournaledPropertyList(
                path: path, fileSystem: POSIXFileSystem(), isWatching: true,
                writingDelay: PropertyListTimings.writingDelay, patience: patience, lag: lag, isReadOnly: isReadOnly)
        }
        list.shorten(patience: patience, lag: lag)
        if !isReadOnly { list.allowWriting() }
        return list
    }
}
