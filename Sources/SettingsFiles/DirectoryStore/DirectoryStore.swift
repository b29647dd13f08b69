import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings that follow a person from device to device, in a directory that anything carries between them: Syncthing,
/// iCloud Drive, Dropbox, rsync, unison, a network file system.
///
/// Every device has the whole of the settings in a state of its own, outside of the directory: reading and writing never
/// wait for the directory, and go on without it. Into the directory each writes its own files, with all that it knows, and
/// reads those of all others. In what order files arrive, how often, how late, under which names, does not matter: of two
/// values for one setting the later stays, on every device the same, and what was removed stays removed.
///
/// ```swift
/// let settings = SettingsService(shared: try DirectoryStore(at: syncedFolder))
/// ```
///
/// ## What is safe when
/// When `set` returns, the change is in the local state's journal: it survives the end of the process. When
/// ``synchronize()`` returns, it survives a power failure and is in the directory, and what the directory had is here. The
/// replica's files are written in the background, within a second of the change, and what others change is looked for at
/// once where the system reports it, and every two seconds on file systems that may not.
///
/// ## What "later" means
/// Each change has a stamp of a hybrid logical clock. A change that is made where another was seen comes after it, whatever
/// the clocks of the devices say; of two that were made without knowing of each other, the one with the later time of its
/// own device's clock stays. Changes that are more than a day ahead of the own clock are held back.
///
/// ## When something is wrong
/// Nothing is removed because something is missing: an empty directory, one that is not mounted, a file that was deleted,
/// cut off or put back to an older state changes no value. What is intact of a damaged file is used. When the directory
/// cannot be written, changes are kept in the local state and written later; the diagnostics of the service tell, and
/// ``report``. The file format, and what a device sees that returns after a long time, is described in *The shared
/// directory* in the documentation.
///
/// All functions may be called from any thread. `get` takes constant time and touches no file; `set` takes constant time
/// and touches only the local state's journal, as with ``PropertyListStore``. Any number of processes may use one local
/// state.
public final class DirectoryStore: SettingsStore {
    /// What can be chosen.
    public struct Options: Sendable {
        /// What people call this device; nil for the name that the system has for it.
        public var deviceName: String?
        /// How long it is remembered that a setting was removed; 180 days unless said otherwise. A device that has seen
        /// nothing of the others for longer may bring removed values back.
        public var tombstoneRetention: Duration = .seconds(180 * 86_400)
        /// How often to look for changes that the system does not report. Nil chooses by the file system: every two seconds
        /// where changes may go unreported, as on a network file system, and every twelve where all are reported.
        public var pollInterval: Duration?
        /// Larger files are neither read nor written.
        var sizeLimit = ReplicaFile.sizeLimit
        /// How many bytes of records fit into the file that is written at every export.
        var headLimit = PartPlan.headLimit

        /// What is usual.
        public init() {}
    }

    private let core: ReplicatedDirectory

    /// The path of the shared directory.
    public var path: String { core.directory }

    /// Opens a shared directory. It is made if it is not there, and need not be reachable now.
    ///
    /// What the directory has is read before this returns, unless that takes more than a second; it then goes on in the
    /// background.
    ///
    /// - Parameters:
    ///   - directory: The directory that is carried between devices. It may have other files in it.
    ///   - state: The directory for this device's own state, which must not be carried; nil for one of the program's, named
    ///     after `directory`, in `$XDG_STATE_HOME` or `~/.local/state` on Linux, in Application Support on Apple platforms.
    ///   - options: What is to be different from what is usual. Of several stores over the same in one process, the first
    ///     one's hold.
    /// - Throws: ``SettingsError``: `storeUnavailable` if the local state cannot be read or written or is to be inside of
    ///   `directory`, or if that is a file; `memoryOnly` if `state` is nil and there is no home directory.
    public convenience init(at directory: URL, state: URL? = nil, options: Options = Options()) throws {
        guard directory.isFileURL, state?.isFileURL ?? true else {
            throw SettingsError(.storeUnavailable, store: "DirectoryStore", underlying: NotAFileURL())
        }
        let core = try OpenDirectories.core(
            at: DirectoryLocation(directory: directory.path, state: state?.path), options: options)
        try core.waitForFirstLook()
        self.init(core)
    }

    private init(_ core: ReplicatedDirectory) { self.core = core }

    /// Opens a directory as another process, or another device, would: nothing is shared in memory with any other store.
    ///
    /// - Parameters:
    ///   - isWatching: Whether anything is done in the background; if not, only ``synchronize()``, ``refresh()`` and
    ///     ``export()`` touch the directory.
    ///   - now: The device's clock, in milliseconds since 1970.
    package init(
        directory: String, state: String, fileSystem: any FileSystem, options: Options = Options(),
        isWatching: Bool = false, now: @escaping @Sendable () -> Int64 = ReplicatedDirectory.systemTime
    ) throws {
        core = try ReplicatedDirectory(
            at: DirectoryLocation(directory: directory, state: state), fileSystem: fileSystem, options: options,
            isWatching: isWatching, now: now)
    }

    // MARK: A store

    /// Announces every change of a value, also those that other devices have made.
    public var feed: SettingsStoreFeed? { core.list.feed }

    /// "DirectoryStore" and the path.
    public var storeDescription: String { core.list.description }

    /// The bytes that stand for the value under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { core.value(named: key.name) }

    /// Stores bytes under a key, or removes it. When it returns, the change survives the end of the process.
    ///
    /// - Throws: what the system reports of the local state (``SystemError``); ``SettingsError`` with the code `busy` if
    ///   another process keeps it locked, `writeFailed` if the value is larger than 16 MiB. The old bytes are still there
    ///   then.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try core.set(data, named: key.name)
    }

    /// Carries out a batch if its expectations hold, as one change of the local state. Other devices get all of it at once
    /// with the replica's file; where they have later values for some of it, those stay.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool { try core.apply(batch) }

    /// The names under which there is a value.
    public func keys() -> [String] { core.records().filter { !$0.entry.isTombstone }.map(\.name) }

    /// Removes everything, on all devices, as one change.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func removeAll() throws { try core.removeAll() }

    /// Takes over what the directory now holds, writes the replica's files if others lack something that was changed here,
    /// and returns when everything survives a power failure.
    ///
    /// - Throws: ``SettingsError``: `notExported` if the directory cannot be read or written; what was set is safe then in
    ///   the local state. `notSaved` or `busy` if not even that can be brought up to date.
    public func synchronize() throws { try core.synchronize() }

    // MARK: The directory

    /// The replicas whose files are in the directory, this one first if it has one, then by name.
    public var replicas: [Replica] { core.replicas() }

    /// What is not as it should be in the directory, as it was found last.
    public var report: Report { core.report() }

    /// Writes the replica's files now, also if they have everything already.
    ///
    /// Of several files only those are written that have to change; the smallest one always is.
    ///
    /// - Throws: ``SettingsError`` with the code `notExported`.
    public func export() throws { try core.export(always: true) }

    /// Takes over the values of a property list, for settings that have none here and were not removed.
    ///
    /// For an app that begins to share what it kept in a file of the device; once, as a removal is not remembered for ever.
    /// The values count as older than everything that anybody has set: wherever another device has a value, or brings one
    /// later, that stays. The file is not changed.
    ///
    /// - Returns: how many values were taken over.
    /// - Throws: ``SettingsError`` with the code `storeUnavailable` if the file cannot be read, and as ``set(_:to:)`` does.
    @discardableResult
    public func importPropertyList(at url: URL) throws -> Int {
        let list = try PropertyListStore(url: url)
        return try core.importValues(
            list.keys().compactMap { name in
                list.get(.init(name, scope: .defaults)).map { (name, $0) }
            })
    }

    /// Takes over at once what the directory now holds.
    package func refresh() throws { try core.look() }
}
