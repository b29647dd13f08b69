import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings in a table of an SQLite database, which other tables, other programs and any number of processes may share.
///
/// ```swift
/// let vault = try SQLiteStore(at: databaseURL)
/// let settings = SettingsService(storesForCustomScopes: [.custom(id: "vault"): vault])
/// ```
///
/// A setting is a row of the table `settings`: its `name`, and its `value`, as text where it is JSON (what settings are
/// stored as unless they name another transformer), as a blob elsewhere:
///
/// ```
/// $ sqlite3 vault.sqlite "SELECT name, value FROM settings"
/// launchCount|3
/// theme|"dark"
/// ```
///
/// People and tools may change the table in the same way; a number or a text is taken as the JSON that it is written as.
///
/// ## What is safe when
/// The database keeps a write-ahead log. When `set` returns, the change is in it, and survives the end of the process,
/// `kill -9` included. When ``synchronize()`` returns, it survives a power failure.
///
/// ## Others
/// A batch (and so `update` and `transaction`) is one transaction, and exact across processes. A write waits up to three
/// seconds for a process that has the database locked, and then fails with `SettingsError.Code.busy`. What another process
/// commits is noticed within milliseconds if it uses this module or closes the database, otherwise within 12 seconds. Inside a
/// ``SQLiteStorage``'s `read` or `write`, setting anything fails with `outsideAccess`.
///
/// A child that was made by `fork` can go on using the store, if it has the file open only once.
///
/// All values are in memory, too: `get` takes constant time and touches no file. `set` takes one transaction. A commit of
/// somebody else has the table read again, which takes about 10 ms for 10,000 settings.
///
/// All functions may be called from any thread.
public final class SQLiteStore: SettingsStore {
    static let openStores = OpenObjects<MirroredSettings>()

    /// What tells an open database's table from others; another file at the same path is another one.
    static func key(_ path: String, _ names: String...) -> String {
        ([path, DatabaseFile.identity(of: path)] + names).joined(separator: "\0")
    }

    private let settings: MirroredSettings

    /// Opens a database, and makes it and the table if they are not there; also the directories that lead to it.
    ///
    /// A new file can be read and written by its owner only.
    ///
    /// - Parameters:
    ///   - url: Where the database is. A ``SQLiteStorage`` may use it as well.
    ///   - table: The name of the table. Several stores may have tables of their own in one database. One that you have made
    ///     yourself needs a `name TEXT PRIMARY KEY` and a `value` of type `TEXT` or none; other columns may be `NULL` or have
    ///     defaults.
    /// - Throws: `SettingsError`, with the code `storeUnavailable` if there is something that cannot be opened,
    ///   `notADatabase`, `corruptDatabase`, `unexpectedTable` if there is another table of that name, `schemaTooNew` if a
    ///   newer version of this library has made it, `busy`, `libraryTooOld`. A database that is there was not changed then.
    public convenience init(at url: URL, table: String = "settings") throws {
        let path = try DatabaseFile.path(of: url, store: "SQLiteStore")
        try DatabaseFile.make(path, store: "SQLiteStore \(path)")
        // After another file has come to the path, another object is opened.
        try self.init(
            Self.openStores.object(for: Self.key(path, table)) {
                try Self.open(path: path, table: table, isWatching: true)
            })
    }

    /// Opens a database as if it were in another process: shares nothing in memory with other stores.
    package convenience init(
        path: String, table: String = "settings", isWatching: Bool, patience: Duration = .seconds(3)
    ) throws {
        try self.init(Self.open(path: path, table: table, isWatching: isWatching, patience: patience))
    }

    /// Makes a database in memory, for tests and previews; it ends with the store, and no other store can use it.
    ///
    /// - Parameter table: The name of the table.
    /// - Throws: `SettingsError` with the code `libraryTooOld`.
    public static func inMemory(table: String = "settings") throws -> SQLiteStore {
        SQLiteStore(try open(path: Connection.inMemory, table: table, isWatching: false))
    }

    init(_ settings: MirroredSettings) { self.settings = settings }

    private static func open(
        path: String, table: String, isWatching: Bool, patience: Duration = MirroredSettings.patience
    ) throws -> MirroredSettings {
        let name = table == "settings" ? "" : " (\(table))"
        return try MirroredSettings(
            path: path, layout: KeyedLayout(table: table), description: "SQLiteStore \(path)\(name)",
            isWatching: isWatching, patience: patience)
    }

    /// The path of the database.
    public var path: String { settings.path }

    /// Announces every change, also those that other processes make.
    public var feed: SettingsStoreFeed? { settings.feed }

    /// "SQLiteStore", the path, and the table if it is not `settings`.
    public var storeDescription: String { settings.description }

    /// The bytes stored under a key. Never throws.
    public func get(_ key: SettingsService.StorageKey) -> Data? { settings.data(named: key.name) }

    /// Stores bytes under a key, or removes it, in a transaction. When it returns, the change survives the end of the process.
    ///
    /// - Throws: `SettingsError`, with the codes `busy`, `noRoom`, `readOnly`, `fileReplaced` or `writeFailed` for example.
    ///   The old bytes are still there then.
    public func set(_ key: SettingsService.StorageKey, to data: Data?) throws {
        _ = try settings.change { _ in [.init(key: key, data: data)] }
    }

    /// Carries out a batch in one transaction, if its expectations hold for what all processes have committed so far.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func apply(_ batch: SettingsStoreBatch) throws -> Bool {
        try settings.change(isWriting: !batch.writes.isEmpty) { contents in
            batch.expectations.allSatisfy { contents[$0.key.name] == $0.data } ? batch.writes : nil
        }
    }

    /// The names in the table, except for those that no setting can have.
    public func keys() -> [String] { settings.names.filter(SettingsService.StorageKey.isValid) }

    /// Removes all settings, in one transaction. What no setting can be, such as a `NULL`, stays.
    ///
    /// - Throws: as ``set(_:to:)`` does.
    public func removeAll() throws {
        _ = try settings.change { contents in
            contents.keys.filter(SettingsService.StorageKey.isValid).map {
                .init(key: .init($0, scope: .defaults), data: nil)
            }
        }
    }

    /// Takes over what others have committed, and returns when everything set so far survives a power failure.
    ///
    /// - Throws: `SettingsError`; what was set survives the end of the process all the same.
    public func synchronize() throws { try settings.synchronize() }

    /// Takes over at once what others have committed; for stores that do not watch.
    package func refresh() throws { try settings.refresh() }
}
