import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// The files that this process has open as databases.
///
/// SQLite remembers the process's locks on each file. A child made by fork inherits that memory, but not the locks. While a
/// connection of its parent is open in it, another one to the same file would take no locks at all, and other processes would
/// remove the log during its use.
enum OpenDatabases {
    private struct Entry: Hashable {
        let device: UInt64
        let inode: UInt64
        /// The process's fork count when the file was opened.
        let forks: Int
    }

    private static let entries = Mutex<[Entry: Int]>([:], .leaf)

    static func add(_ file: FileStatus?, forks: Int) { change(file, forks, by: 1) }

    static func remove(_ file: FileStatus?, forks: Int) { change(file, forks, by: -1) }

    private static func change(_ file: FileStatus?, _ forks: Int, by difference: Int) {
        guard let file else { return }
        entries.withLock { entries in
            let entry = Entry(device: file.device, inode: file.inode, forks: forks)
            let count = entries[entry, default: 0] + difference
            entries[entry] = count == 0 ? nil : count
        }
    }

    /// - Throws: `SettingsError` with the code `storeUnavailable` in a child that has the file open from its parent.
    static func requireNoneInherited(_ file: FileStatus?, store: String) throws(SettingsError) {
        let forks = Fork.count
        guard let file, forks > 0 else { return }
        let isInherited = entries.withLock { entries in
            entries.keys.contains { $0.forks != forks && $0.inode == file.inode && $0.device == file.device }
        }
        guard isInherited else { return }
        throw SettingsError(
            .storeUnavailable, store: store,
            underlying: SQLiteProblem(
                "A process made by fork has the database open from its parent, more than once or in a storage."))
    }
}
