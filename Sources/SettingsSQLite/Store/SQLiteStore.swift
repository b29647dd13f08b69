import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps settings in a table of an SQLite database, which other tables, other programs and any number of processes may
/// share.
///
/// ```swift
/// let vault = try SQLiteStore(at: databaseURL)
/// let settings = SettingsService(storesForCustomScopes: [.custom(id: "vault"): vault])
/// ```
///
/// A setting is a row of the table `settings`: its `name`, and its `value`, as text if it is JSON (the form of all
/// settings without another transformer), otherwise as a blob:
///
/// ```
/// $ sqlite3 vault.sqlite "SELECT name, value FROM settings"
/// launchCount|3
/// theme|"dark"
/// ```
///
/// People and tools may change the table in the same way. A number or a text is read as JSON.
///
/// ## Safety
/// The database keeps a write-ahead log. When `set` returns, the change is in the log, and survives the end of the
/// process, also by `kill -9`. When ``synchronize()`` returns, it survives a power failure.
///
/// ## Other processes
/// A batch (and so `update` and `transaction`) is one transaction, and atomic across processes. A write waits up to half a second
/// for a process that has the database locked, and then throws `SettingsError.Code.busy`: the old value stays. In the half second
/// after that, a `set` or `reset` of one setting does not wait.
///
/// A commit of another process is noticed within milliseconds if the process uses this module or closes the database, otherwise
/// within 12 seconds. Inside a ``SQLiteStorage``'s `read` or `write`, setting anything throws `outsideAccess`.
///
/// The child of a `fork` may only `exec`.
///
/// All values are also in memory: `get` takes constant time and reads no file. `set` takes one transaction. After a
/// commit of another process, the table is read again, which takes about 10 ms for 10,000 settings.
///
/// All functions may be called from any thread.
public final class SQLiteStore: SettingsStore {
    private static let openStores = OpenObjects<MirroredSettings>()

    /// Identifies an open database's table. Another file at the same path is another database.
    static func key(_ path: String, _ names: String...) -> String {
        ([path, DatabaseFile.identity(of: path)] + names).joined(separator: "\0")
    }

    private static func key(_ path: String, table: String, isReadOnly: Bool) -> String {
        key(path, table, isReadOnly ? "read-only" : "")
    }

    /// The open objects for a table: of the stores that write, and of those that only read.
    static func openSettings(_ path: String, table: String) -> [MirroredSettings] {
        [false, true].compactMap { openStores.openObject(for: key(path, table: table, isReadOnly: $0)) }
    }

    /// Returns the open settings for a key, with all commits so far, and opens them if necessary.
    static func settings(for key: String, open: () throws -> sending MirroredSettings) throws -> MirroredSettings {
        let settings = try openStores.object(for: key, open: open)
        // If they were open, their watch may not have noticed the last commits yet.
        try settings.refresh()
        return settings
    }

    let settings: MirroredSettings

    /// Opens a database, and creates it, its table, and the directories that lead to it, if they are missing.
    ///
    /// Only its owner can read and write a new file.
    ///
    /// - Parameters:
    ///   - url: The file. A ``SQLiteStorage`` may also use it.
    ///   - table: The name of the table. Several stores may have separate tables in one database. If you create the
    ///     table yourself, it needs a `name TEXT PRIMARY KEY` and a `value` of type `TEXT` or none; other columns may
    ///     be `NULL` or have defaults.
    ///   - access: Whether the store may write. If it only reads, the file and the table must be there, and setting throws
    ///     `readOnly`. SQLite itself may create the files `-wal` and `-shm` beside the database.
    ///   - patience: How long an operation waits for a process that keeps the database locked, before it fails with `busy`. If the
    ///     process has several stores for one table, the first one's counts.
    /// - Throws: `SettingsError`, with the code `storeUnavailable` if the file cannot be opened, `notADatabase`,
    ///   `corruptDatabase`, `unexpectedTable` if there is another table of that name, `newerVersion` if a newer version
    ///   of this library has created it, `busy`, `libraryUnavailable`. An existing database is unchanged then.
    public convenience init(
        at url: URL, table: String = "settings", access: SettingsStoreAccess = .readWrite,
        patience: Duration = .milliseconds(500)
    ) throws {
        let path = try DatabaseFile.path(of: url, store: "SQLiteStore")
        let isReadOnly = access == .readOnly
        try DatabaseFile.prepare(path, isReadOnly: isReadOnly, store: "SQLiteStore \(path)")
        // If another file has the path now, another object is opened.
        try self.init(
            Self.settings(for: Self.key(path, table: table, isReadOnly: isReadOnly)) {
                try Self.open(
                    path: path, table: table, isReadOnly: isReadOnly, isWatching: true, patience: patience)
            })
    }

    /// Opens a database as another process would: shares nothing in memory with other stores.
    package convenience init(
        path: String, table: String = "settings", isWatching: Bool, patience: Duration = SQLiteTimings.patience
    ) throws {
        try DatabaseFile.prepare(path, store: "SQLiteStore \(path)")
        try self.init(Self.open(path: path, table: table, isWatching: isWatching, patience: patience))
    }

    /// Creates a database in memory, for tests and previews. It ends with the store, and no other store can use it.
    ///
    /// - Parameter table: The name of the table.
    /// - Throws: `SettingsError` with the code `libraryUnavailable`.
    public static func inMemory(table: String = "settings") throws -> SQLiteStore {
        SQLiteStore(try open(path: Connection.inMemory, table: table, isWatching: false))
    }

    init(_ settings: MirroredSettings) { self.settings = settings }

    private static func open(
        path: String, table: String, isReadOnly: Bool = false, isWatching: Bool,
        patience: Duration = SQLiteTimings.patience
    ) throws -> MirroredSettings {
        let name = table == "settings" ? "" : " (\(table))"
        return try MirroredSettings(
            path: path, layout: KeyedLayout(table: table), description: "SQLiteStore \(path)\(name)",
            isReadOnly: isReadOnly, isWatching: isWatching, patience: patience)
    }

    /// The path of the database.
    public var path: String { settings.path }

    /// Publishes every change, also those of other processes.
    public var feed: SettingsStoreFeed? { settings.feed }

    /// "SQLiteStore", the path, and the table if it is not `settings`.
    public var storeDescription: String { settings.description }

    /// Returns the bytes stored under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { settings.data(named: key.name) }

    /// Stores bytes under a key, or removes it, in a transaction. When it returns, the change survives the end of the process.
    ///
    /// - Throws: `SettingsError`, for example with the codes `busy`, `diskFull`, `readOnly`, `fileReplaced` or `writeFailed`. The old
    ///   bytes then stay.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        try settings.set(data, for: key)
    }

    /// Applies a batch in one transaction, if its expectations hold for all commits so far of all processes.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try settings.apply(batch)
    }

    /// The names in the table, without those that no setting can have.
    public func keys() -> [String] { settings.names.filter(SettingsService.StorageKey.isValid) }

    /// Removes all settings, in one transaction. Values that no setting can have, such as `NULL`, stay.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func removeAll() throws {
        try settings.removeAll()
    }

    /// Applies the commits of others, and returns when every earlier change survives a power failure.
    ///
    /// - Throws: `SettingsError`; the changes then still survive the end of the process.
    public func synchronize() throws { try settings.synchronize() }

    /// Applies the commits of others now, for stores that do not watch.
    package func refresh() throws { try settings.refresh() }
}
