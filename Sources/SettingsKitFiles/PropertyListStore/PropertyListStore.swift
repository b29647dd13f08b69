import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings in an ordinary property-list file that people and tools can read and edit, and any number of processes use at
/// once.
///
/// JSON values (what settings are stored as unless they name another transformer) stand in the file as native property
/// list values, everything else as data. A file that an app, `UserDefaults`, a tool or a person has written is read, XML
/// or binary; XML is written. A new file can be used by its owner only; a file that is there keeps its permissions. It is
/// replaced whole: reading it at any moment gives a complete property list. A symbolic link to it stays one.
///
/// ## What is safe when
/// When `set` returns, the change is in a log beside the file, `NAME-log`: it survives the end of the process,
/// `kill -9` included. When ``synchronize()`` returns, it survives a power failure, because the log is on the disk. The
/// property list itself is brought up to date in the background, at ``bringUpToDate()`` and at the orderly exit of the process;
/// after a crash, by the next process that writes. In the background, a small file follows after a quiet second or two, a large
/// one later, because it is written whole; see `lag` in ``init(url:access:patience:lag:)``.
///
/// Until a process sets something, or calls ``synchronize()`` or ``bringUpToDate()``, it writes nothing: no log, no lock, no
/// `fsync`.
///
/// ## Others
/// Other processes, and other stores in this one, may use the file at the same time. Changes follow each other in the
/// order in which they are in the log, in every process; a batch with expectations (and so `update` and `transaction`)
/// is atomic across processes. A change that another process makes, and an edit of the file by hand, is noticed within
/// milliseconds. An edit wins for the keys that it changes; a change that is not in the file yet wins for its own.
///
/// A process that stops while it has locked the files hinders the writes of others. They fail with ``SettingsError/Code/busy``
/// after the store's `patience`, half a second unless you choose another, and the old value stays. In the next half second, a
/// change of one setting by `set` or `reset` tries once, without waiting, so that a form of twenty settings does not freeze;
/// `save`, `update` and transactions always wait. Reading never waits.
///
/// ## Damage
/// A file that cannot be read is never taken for an empty one. When it is damaged, it is reported with its line and column, its
/// last good state is used, and before it is replaced it is kept beside the new one, as `NAME.damaged-DATE`. When it cannot be opened,
/// neither can the store; the same holds for a log that a newer version of this library has written. When the log
/// cannot be written, setting fails, and the old value stays.
///
/// ## Limits
/// The names and values of one property list take at most 256 MiB. What would be more is refused with
/// ``SettingsError/Code/tooLarge``.
///
/// All functions may be called from any thread. `get` takes constant time and touches no file. `set` takes constant time:
/// it locks a file beside the log, appends to the log, and unlocks the file.
public final class PropertyListStore: SettingsStore {
    /// What a store may do with its files.
    public typealias Access = SettingsStoreAccess

    let list: PrintedPropertyList

    /// What the store may do with its files.
    public let access: Access

    /// The path of the property list.
    public var path: String { list.path }

    /// Whether there is a property list, or the log of one.
    package var hasFiles: Bool { list.hasList || list.log.position.log != nil || list.logProblem != nil }

    /// Opens the property list at a file URL; it need not be there yet, and neither need its directory.
    ///
    /// - Parameters:
    ///   - url: The file's URL.
    ///   - access: Whether the store may write.
    ///   - patience: How long an operation waits for other processes that keep the files locked.
    ///   - lag: How long a change may be missing from the property list that people and tools read, while changes go on. Nil
    ///     for a time in proportion to the file's size. A short one costs writing: the whole file, each time.
    ///
    ///   If the process has several stores for one file, the `patience` and `lag` of the first count.
    /// - Throws: ``SettingsError`` with the code `storeUnavailable` when there is something at the URL that cannot be read
    ///   (no permission, a directory, an I/O error, a log of a newer version), or that is an SQLite database, JSON or an
    ///   archive, without a log of a property list beside it. A damaged file is no error: its last
    ///   good state is used, and the damage is reported to the diagnostics of the service that uses
    ///   the store. So is a log that cannot be read, or must not be trusted.
    public convenience init(
        url: URL, access: Access = .readWrite, patience: Duration = defaultPatience, lag: Duration? = nil
    ) throws {
        guard url.isFileURL else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NotAFileURL())
        }
        // Quicker than `path`, which ends without a slash.
        var path = url.path(percentEncoded: false)
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        try self.init(path: path, access: access, patience: patience, lag: lag)
    }

    /// How long an operation waits for another process, unless you choose another time: half a second.
    public static let defaultPatience = LogLimits.patience

    /// Opens the property list at a path of this machine. Stores of one file share what they have in memory.
    package init(
        path: String, access: Access = .readWrite, patience: Duration = defaultPatience, lag: Duration? = nil
    ) throws {
        try Self.requireUsable(path)
        self.access = access
        list = try OpenPropertyLists.list(at: path, access, patience: patience, lag: lag)
    }

    /// Opens a property list that shares nothing in memory with any other store, as if it were in another process.
    ///
    /// - Parameters:
    ///   - isWatching: Whether to notice changes of other processes immediately; if not, at each write and at ``synchronize()``.
    ///   - writingDelay: The time between a change and the background's look at the files; long in tests that count calls.
    ///   - patience: The time that a write waits for another process's.
    ///   - lag: The longest time that a change may be missing from the property list.
    ///   - trust: The time for which a log counts as the one at its path; nil for the default.
    ///   - editingTime: The time for which a list that cannot be parsed counts as being written by another program.
    ///   - limits: The limits of the store.
    package init(
        path: String, fileSystem: any FileSystem, access: Access = .readWrite, isWatching: Bool = false,
        writingDelay: Duration = PropertyListTimings.writingDelay, patience: Duration = defaultPatience,
        lag: Duration? = nil, trust: Duration? = nil, editingTime: Duration = PropertyListTimings.editingTime,
        limits: PropertyListStoreLimits = .init()
    ) throws {
        try Self.requireUsable(path)
        self.access = access
        var setup = PropertyListSetup(path: path, fileSystem: fileSystem)
        (setup.isWatching, setup.writingDelay, setup.patience) = (isWatching, writingDelay, patience)
        (setup.lag, setup.trust, setup.limits) = (lag, trust, limits)
        (setup.editingTime, setup.access) = (editingTime, access)
        list = try PrintedPropertyList(setup)
    }

    private static func requireUsable(_ path: String) throws {
        guard !path.utf8.contains(0) else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NulInPath())
        }
    }

    private func requireWriting() throws(SettingsError) {
        if access == .readOnly { throw SettingsError(.readOnly, store: storeDescription) }
    }

    /// Publishes every change, local or external.
    public var feed: SettingsStoreFeed? { list.log.feed }

    /// "PropertyListStore" and the path.
    public var storeDescription: String { list.description }

    /// Returns the bytes of the value under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { list.log.data(named: key.name) }

    /// Stores bytes under a key, or removes it. When it returns, the change survives the end of the process.
    ///
    /// - Throws: what the system reports (``SystemError``); ``SettingsError`` with the code `busy` if another process keeps the
    ///   files locked, `tooLarge` beyond the limits, `logUnavailable` if the file at the log's path must not be
    ///   trusted, `readOnly`. The old bytes are still there then, also in the files.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try requireWriting()
        let name = key.name
        try list.change(isSet: true) { contents in
            contents.change(storing: data, under: name).map { [$0] } ?? []
        }
    }

    /// Applies a batch as one change if its expectations hold: always stores all of it, or nothing. The expectations
    /// are compared with what all processes have written so far. Without writes, they are compared with the values in memory,
    /// without a lock on files.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        if batch.writes.isEmpty { return list.log.withContents { $0.changes(of: batch) != nil } }
        try requireWriting()
        return try list.change { $0.changes(of: batch) }
    }

    /// Sets members of the property list with their types, which bytes do not show, and removes others, as one change.
    ///
    /// - Throws: as ``apply(_:)`` does.
    package func set(_ members: [PropertyListMember], removing names: [String]) throws {
        try requireWriting()
        try list.change { contents in
            let removals = names.filter { contents.data(named: $0) != nil }.map { LogChange(name: $0, data: nil) }
            let changed = members.filter { contents.value(named: $0.key) != $0.value.writable }
            return removals + changed.map { LogChange(name: $0.key, member: $0.value) }
        }
    }

    /// The names in the property list, except for those that no setting can have.
    public func keys() -> [String] {
        list.log.withContents { $0.names }.filter(SettingsService.StorageKey.isValid)
    }

    /// Removes all settings, including those that other programs have put into the file, as one change.
    ///
    /// - Throws: as ``set(_:to:)`` does; also `busy` if another process keeps the files locked.
    public func removeAll() throws {
        try requireWriting()
        // Removes recent edits of the property list, too.
        try list.refresh()
        try list.change { contents in contents.names.map { LogChange(name: $0, data: nil) } }
    }

    /// Adopts changes of other processes, and returns when every change survives a power failure. A store that only reads only does
    /// the first.
    ///
    /// It flushes the log, which takes about as long for a million settings as for one. Threads that wait for it together share
    /// a flush. The property list is written first if it is missing or damaged, or if an earlier flush has failed.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved`, or `busy`; every change is still safe from the end of the process.
    public func synchronize() throws {
        try list.synchronize(isReadOnly: access == .readOnly)
    }

    /// Does the same as ``synchronize()``, and returns when the property list has every change, too: for a program that reads the
    /// file next. Takes time in proportion to the size of the file if it lacks a change.
    ///
    /// - Throws: as ``synchronize()`` does.
    public func bringUpToDate() throws {
        try list.synchronize(isReadOnly: access == .readOnly, forOthers: true)
    }

    /// Adopts changes of other processes immediately, in a store that does not watch.
    package func refresh() throws { try list.refresh() }
}

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
