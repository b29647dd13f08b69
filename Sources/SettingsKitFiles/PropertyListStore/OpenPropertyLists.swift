import SettingsKitCore
import SettingsKitPlatform

/// The property lists that are open in this process, one a file, however many stores there are over it.
enum OpenPropertyLists {
    private static let lists = OpenObjects<JournaledPropertyList>()

    /// The property list at a path of this machine, opened if it is not.
    ///
    /// - Parameter isReadOnly: Whether the caller only reads.
    static func list(at path: String, isReadOnly: Bool) throws -> JournaledPropertyList {
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
                writingDelay: JournaledPropertyList.writingDelay, patience: JournaledPropertyList.patience,
                isReadOnly: isReadOnly)
        }
        if !isReadOnly { list.allowWriting() }
        return list
    }
}
