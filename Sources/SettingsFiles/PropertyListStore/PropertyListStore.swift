import SettingsCore

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
/// or binary; XML is written. The file is readable by its owner only, and replaced whole: whoever reads it at any moment
/// finds a complete property list. A symbolic link to it stays one.
///
/// ## What is safe when
/// When `set` returns, the change is in a journal beside the file, `NAME-journal`: it survives the end of the process,
/// `kill -9` included. When ``synchronize()`` returns, it survives a power failure. The property list itself is brought up
/// to date within a second, at ``synchronize()`` and at the orderly exit of the process; after a crash, by whoever opens it
/// next.
///
/// ## Others
/// Other processes, and other stores in this one, may use the file at the same time. Changes follow each other in the
/// order in which they are in the journal, for everybody; a batch with expectations (and so `update` and `transaction`)
/// is atomic across processes. A change that another process makes, and an edit of the file by hand, is heard within
/// milliseconds. An edit wins for the keys that it changes; what was set and is not in the file yet, for its own.
///
/// A process that stops while it has locked the journal delays the writes of others; they fail with
/// ``SettingsError/Code/busy`` after three seconds. Reading never waits.
///
/// ## Damage
/// A file that cannot be read is never taken for an empty one. When it is damaged, its intact part and the journal are
/// used, and before it is replaced it is kept beside the new one, as `NAME.damaged-DATE`. When it cannot be opened, neither
/// can the store; so it is with a journal that a newer version of this library has written. When the journal cannot be
/// written, setting fails, and the old value stays.
///
/// All functions may be called from any thread. `get` takes constant time and touches no file. `set` takes constant time:
/// it locks the journal, appends to it, and unlocks it.
public final class PropertyListStore: SettingsStore {
    let list: JournaledPropertyList

    /// The path of the property list.
    public var path: String { list.path }

    /// Opens the property list at a file URL; it need not be there yet, and neither need its directory.
    ///
    /// - Throws: ``SettingsError`` with the code `storeUnavailable` when there is something at the URL that cannot be read
    ///   (no permission, a directory, an I/O error, a journal of a newer version). A damaged file is no error: what is
    ///   intact is used, and the damage is told to the diagnostics of the service that uses the store.
    public convenience init(url: URL) throws {
        guard url.isFileURL else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NotAFileURL())
        }
        try self.init(path: url.path)
    }

    /// Opens the property list at a path of this machine. Stores of one file share what they have in memory.
    init(path: String) throws {
        try Self.requireUsable(path)
        list = try OpenPropertyLists.list(at: path)
    }

    /// Opens a property list that shares nothing in memory with any other store, as if it were in another process.
    ///
    /// - Parameters:
    ///   - isWatching: Whether changes of others are noticed by themselves; if not, at each write and at
    ///     ``synchronize()``.
    ///   - writingDelay: How long changes are gathered before the property list is brought up to date in the background; a
    ///     test that counts calls has it be long.
    ///   - patience: How long a write waits for another process's.
    ///   - trust: How long a journal is taken to be the one at its path; nil for what is usual.
    package init(
        path: String, fileSystem: any FileSystem, isWatching: Bool = false,
        writingDelay: Duration = .milliseconds(250), patience: Duration = .seconds(3), trust: Duration? = nil
    ) throws {
        try Self.requireUsable(path)
        list = try JournaledPropertyList(
            path: path, fileSystem: fileSystem, isWatching: isWatching, writingDelay: writingDelay, patience: patience,
            trust: trust)
    }

    private static func requireUsable(_ path: String) throws {
        guard !path.utf8.contains(0) else {
            throw SettingsError(.storeUnavailable, store: "PropertyListStore", underlying: NulInPath())
        }
    }

    /// Announces every change, also those that other processes and people make.
    public var feed: SettingsStoreFeed? { list.feed }

    /// "PropertyListStore" and the path.
    public var storeDescription: String { list.description }

    /// The bytes that stand for the value under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? {
        list.contents.withLock { $0.data(named: key.name) }
    }

    /// Stores bytes under a key, or removes it. When it returns, the change survives the end of the process.
    ///
    /// - Throws: what the system reports (``SystemError``); ``SettingsError`` with the code `busy` if another process keeps
    ///   the journal locked. The old bytes are still there then, also in the files.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try list.set(data, named: key.name)
    }

    /// Carries out a batch if its expectations hold, as one change: whatever happens, all of it is stored, or nothing. The
    /// expectations are compared with what all processes have written so far.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try list.apply(batch)
    }

    /// The names in the property list, except for those that no setting can have.
    public func keys() -> [String] {
        list.contents.withLock { $0 }.names.filter(SettingsService.StorageKey.isValid)
    }

    /// Removes everything, also what other programs have put into the file, as one change.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func removeAll() throws {
        try list.removeAll()
    }

    /// Takes over what others have written, brings the property list up to date, and returns when it survives a power
    /// failure.
    ///
    /// - Throws: ``SettingsError`` with the code `notSaved`, or `busy`; what was set is still safe in the journal.
    public func synchronize() throws {
        try list.synchronize()
    }

    /// Takes over at once what others have written; for tests of stores that do not watch.
    package func refresh() throws {
        try list.refresh(waiting: .seconds(3))
    }
}

package struct NulInPath: ValueFreeError {
    package init() {}

    package var description: String { "The path contains a NUL character." }
}

package struct NotAFileURL: ValueFreeError {
    package init() {}

    package var description: String { "The URL is not a file URL." }
}
