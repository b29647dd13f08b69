import SettingsKitCore
import SettingsKitPlatform

/// The property lists that are open in this process, one a file, however many stores there are over it.
enum OpenPropertyLists {
    private static let lists = OpenObjects<JournaledPropertyList>()

    /// The property list at a path of this machine, opened if it is not.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether the caller only reads.
    ///   - patience: How long the caller waits for other processes. The shortest of all callers counts.
    ///   - lag: How long a change may be missing from the property list. The shortest of all callers counts.
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
                writingDelay: JournaledPropertyList.writingDelay, patience: patience, lag: lag, isReadOnly: isReadOnly)
        }
        list.shorten(patience: patience, lag: lag)
        if !isReadOnly { list.allowWriting() }
        return list
    }
}
