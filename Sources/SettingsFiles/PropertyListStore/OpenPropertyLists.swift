import SettingsCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The property lists that are open in this process, one a file, however many stores there are over it.
enum OpenPropertyLists {
    private static let lists = Mutex<[String: WeakReference<JournaledPropertyList>]>([:])

    /// The property list at a path of this machine, opened if it is not.
    static func list(at path: String) throws -> JournaledPropertyList {
        let target: String
        do {
            target = try realPath(WholeFile(path: path, fileSystem: POSIXFileSystem()).resolvedPath())
        } catch {
            throw SettingsError(
                .storeUnavailable, store: JournaledPropertyList.description(of: path), underlying: error)
        }
        return try lists.withLock { lists in
            if let list = lists[target]?.object { return list }
            lists = lists.filter { $0.value.object != nil }
            let list = try JournaledPropertyList(
                path: path, fileSystem: POSIXFileSystem(), isWatching: true,
                writingDelay: JournaledPropertyList.writingDelay, patience: JournaledPropertyList.patience)
            lists[target] = WeakReference(list)
            return list
        }
    }

    /// The path with symbolic links among its directories followed, too; as it is where the directory is not there.
    private static func realPath(_ path: String) -> String {
        let (directory, name) = WholeFile.split(path)
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        return String(cString: real) + "/" + name
    }
}
