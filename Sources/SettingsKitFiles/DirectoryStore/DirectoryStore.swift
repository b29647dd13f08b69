import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store that shares settings between devices, through a directory that any syncer carries: Syncthing, iCloud Drive,
/// Dropbox, rsync, unison, a network file system.
///
/// Each device keeps all settings in a local state, outside of the directory. Reading and writing settings never wait for the
/// directory, and work without it. Each device writes everything that it knows to its own files in the directory, and reads the
/// files of the other devices. The order, number, delay and names of the files do not matter: the later value wins on every
/// device, and removed settings stay removed.
///
/// ```swift
/// let settings = SettingsService(shared: try DirectoryStore(at: syncedFolder))
/// ```
///
/// ## Durability
/// When `set` returns, the change is in the local state and survives the end of the process. When ``synchronize()`` returns, the
/// change is in the directory and survives a power failure, and the store has read what the directory holds. The replica's file is
/// written in the background, within a second after a change. Changes of other devices are noticed at once where the system reports
/// changes of files, and every two seconds on file systems that may not.
///
/// ## Conflicts
/// Each change has a stamp of a hybrid logical clock, which is greater than those of all changes of the setting that its device has
/// seen, and is never changed. So a change wins over every change that its device had seen, whatever the clocks show. Of two
/// concurrent changes, the one with the later time by its device's clock wins.
///
/// ## Failures
/// A missing file never removes a setting: no value changes if the directory is empty or not mounted, or if a file is
/// deleted, truncated, or put back to an older version. The intact lines of a damaged file are used. If the directory
/// cannot be written, changes stay in the local state and are written later; the service's diagnostics and ``report``
/// say so. The article *The shared directory* describes the file format.
///
/// All functions can be called from any thread. `get` takes constant time and touches no file. `set` takes constant
/// time and touches only the local state. Any number of processes can use one local state.
public final class DirectoryStore: SettingsStore {
    /// Options for opening a directory store.
    public struct Options: Sendable {
        /// The device's name for people. Nil for the system's host name.
        public var deviceName: String?
        /// How often to look for changes that the system does not report. Nil chooses by the file system: every two
        /// seconds where changes may go unreported, as on a network file system, and every twelve seconds elsewhere.
        public var pollInterval: Duration?
        /// How long a change waits for another process that keeps the local state locked, before it
        /// fails with ``SettingsError/Code/busy``: half a second by default. Nothing ever waits for the shared directory.
        public var patience: Duration = PropertyListStore.defaultPatience

        /// The greatest size of the replica's file, in bytes.
        var sizeLimit = DirectoryLimits.fileSize

        /// Creates the default options.
        public init() {}
    }

    private let core: ReplicatedDirectory

    /// What the store may do with its files.
    public var access: SettingsStoreAccess { core.isReadOnly ? .readOnly : .readWrite }

    /// The path of the shared directory.
    public var path: String { core.folder.path }

    /// Opens a shared directory. Creates it if it does not exist. It need not be reachable now.
    ///
    /// The directory is read before this returns. If that takes more than a second, it continues in the background.
    ///
    /// - Parameters:
    ///   - directory: The directory that a syncer carries between devices. It may contain other files.
    ///   - state: The directory for this device's state, which must not be carried. Use one for each shared directory. Nil
    ///     for a directory of the program, named after `directory`, in `$XDG_STATE_HOME` or `~/.local/state` on Linux, in
    ///     Application Support on Apple platforms.
    ///   - options: Options. If the process has several stores with the same directory and state, the first one's apply.
    ///   - access: Whether the store may write. If it only reads, it merges the files of all devices with the local state,
    ///     which need not exist, in memory: it begins no replica, takes no lock, exports nothing and creates nothing.
    /// - Throws: ``SettingsError``: `storeUnavailable` if the local state cannot be read or written, or is inside `directory`, or if
    ///   `directory` is a file; `memoryOnly` if `state` is nil and there is no home directory.
    public convenience init(
        at directory: URL, state: URL? = nil, options: Options = Options(), access: SettingsStoreAccess = .readWrite
    ) throws {
        guard directory.isFileURL, state?.isFileURL ?? true else {
            throw SettingsError(.storeUnavailable, store: "DirectoryStore", underlying: NotAFileURL())
        }
        let core = try OpenDirectories.core(
            at: DirectoryLocation(directory: directory.path, state: state?.path), options: options, access: access)
        try core.waitForFirstReading()
        self.init(core)
    }

    private init(_ core: ReplicatedDirectory) { self.core = core }

    /// Opens a directory as another process or another device would. Shares nothing in memory with other stores.
    ///
    /// - Parameters:
    ///   - isWatching: Whether the store works in the background. If not, only ``synchronize()``, ``refresh()`` and
    ///     ``export()`` touch the directory.
    ///   - now: The device's clock, in milliseconds since 1970.
    package init(
        directory: String, state: String, fileSystem: any FileSystem, options: Options = Options(),
        access: SettingsStoreAccess = .readWrite, isWatching: Bool = false,
        now: @escaping @Sendable () -> Int64 = ReplicatedDirectory.systemTime
    ) throws {
        core = try ReplicatedDirectory(
            at: DirectoryLocation(directory: directory, state: state), fileSystem: fileSystem, options: options,
            access: access, isWatching: isWatching, now: now)
    }

    private func requireWriting() throws(SettingsError) {
        if access == .readOnly { throw SettingsError(.readOnly, store: storeDescription) }
    }

    // MARK: A store

    /// Publishes every change of a value to the services that use the store, including changes of other devices.
    public var feed: SettingsStoreFeed? { core.log.feed }

    /// The store's name for messages: "DirectoryStore at" and the path.
    public var storeDescription: String { core.description }

    /// Returns the stored bytes for a key, or nil if there is no value. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { core.log.data(named: key.name) }

    /// Stores bytes under a key, or removes the key. When it returns, the change survives the end of the process. Storing equal
    /// bytes is no change.
    ///
    /// - Throws: ``SystemError`` if the local state cannot be written; ``SettingsError``: `busy` if another process keeps the state
    ///   locked, `tooLarge` if the state would be larger than 1 GiB, `writeFailed` if another device has changed the setting in the
    ///   year 2199. The old bytes stay then.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try requireWriting()
        let name = key.name
        try core.change(isSet: true) { contents in
            contents.change(storing: data, under: name).map { [$0] } ?? []
        }
    }

    /// Applies a batch as one change of the local state, if its expectations hold. Other devices receive it at once
    /// with the replica's file. If they have later values for some of its keys, those values stay.
    ///
    /// - Returns: whether the expectations hold.
    /// - Throws: the errors of ``set(_:to:)``.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.isEmpty { return core.log.withContents { $0.changes(of: batch) != nil } }
        try requireWriting()
        return try core.change { $0.changes(of: batch) }
    }

    /// Returns the names that have a value.
    public func keys() -> [String] { core.log.withContents(\.names).filter(SettingsService.StorageKey.isValid) }

    /// Removes all values on all devices, as one change.
    ///
    /// - Throws: the errors of ``set(_:to:)``.
    public func removeAll() throws {
        try requireWriting()
        try core.change { contents in contents.names.map { LogChange(name: $0, data: nil) } }
    }

    /// Reads the directory, writes the replica's file if it lacks something, and returns when everything survives a
    /// power failure. A store that only reads does the first of these.
    ///
    /// - Throws: ``SettingsError``: `notSaved` if the directory cannot be read or written; changes are safe in the
    ///   local state then. `notSaved` or `busy` if the local state cannot be written either.
    public func synchronize() throws { try core.synchronize() }

    // MARK: The directory

    /// This replica and those that have files in the directory: this one first, then sorted by device name. Linear time.
    public var replicas: [Replica] { core.replicas }

    /// The last known change of a setting; nil if it has no value.
    package func lastChange(of name: String) -> LastChange? { core.lastChange(of: name) }

    /// The problems with files in the directory, at the last reading.
    public var report: Report { core.report }

    /// Reads the directory, and writes the replica's file if it lacks something, whatever this process remembers of it.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved` if the directory cannot be read or written.
    public func export() throws {
        try requireWriting()
        try core.export(always: true)
    }

    /// Imports the values of a property list, for names that have neither a value nor a remembered removal here.
    ///
    /// Use it in an app that begins to share the settings of a local file. Imported values count as older than every change: if
    /// another device has changed a setting, that change wins, also if it arrives later. The file is not changed.
    ///
    /// - Parameter url: The property list.
    /// - Returns: the number of imported values.
    /// - Throws: ``SettingsError`` with the code `storeUnavailable` if the file cannot be read, and the errors of
    ///   ``set(_:to:)``.
    @discardableResult
    public func importPropertyList(at url: URL) throws -> Int {
        try requireWriting()
        let list = try PropertyListStore(url: url)
        let values = list.keys().compactMap { name in
            list.get(.init(name, scope: .defaults)).map { (name: name, data: $0) }
        }
        var count = 0
        try core.change(at: 0) { contents in
            let new = values.filter { contents.entries[$0.name] == nil }
            count = new.count
            return new.map { LogChange(name: $0.name, data: $0.data) }
        }
        return count
    }

    /// Reads the directory, and adopts the changes in it.
    package func refresh() throws { try core.read() }
}
