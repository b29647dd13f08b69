import Dispatch
import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps records in an SQLite database, with a versioned schema, concurrent reads beside a write, and observation.
///
/// ```swift
/// let storage = try SQLiteStorage(at: databaseURL, versions: [V01(), V02()])
///
/// try await storage.write { try $0.save(user) }
/// let user: User? = try await storage.read { try $0.select(User.where(Column("id") == 7)) }
/// for await user in storage.values({ try $0.select(User.where(Column("id") == 7)) }) { ... }
/// ```
///
/// The database keeps a write-ahead log, so readers never wait for the writer, nor the writer for readers. What a `write` has
/// committed survives the end of the process, `kill -9` included, and a power failure after ``synchronize()``.
///
/// The closures of `read` and `write` are synchronous, so no access waits for anything else. Inside a closure, every
/// other access and every write to any storage or ``SQLiteStore`` throws `outsideAccess`. An access takes its turn after earlier
/// ones of the same storage. If it waits for another process longer than ``Options/patience``, it throws `busy`.
///
/// Any number of storages, ``SQLiteStore``s, processes and other programs may use the file at the same time. The child of a
/// `fork` may only `exec`.
public final class SQLiteStorage: Sendable {
    /// The path of the database; `:memory:` for one in memory.
    public let path: String

    let description: String
    let readers: ConnectionPool
    let writers: ConnectionPool
    let observers = Observers()
    let isReadOnly: Bool
    let watch = Mutex<DatabaseWatch?>(nil, .leaf)

    /// Opens a database, creates it if it is missing, and applies the versions of its schema that it lacks.
    ///
    /// A new file can be read and written by its owner only.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - versions: The versions of the schema, oldest first. No two have the same id. A second list for the same file
    ///     needs a ``Options/schemaName``.
    ///   - options: Options for opening and using the database.
    /// - Throws: `SettingsError`, with the code `schemaUpgradeFailed` (the database then has the version before),
    ///   `newerVersion` if it has later versions than these, `schemaTooOld` if it lacks some and is only read,
    ///   `storeUnavailable`, `notADatabase`, `corruptDatabase`, `busy`, `libraryUnavailable`.
    public convenience init(
        at url: URL, versions: [any SQLiteSchemaVersion] = [], options: Options = Options()
    ) throws {
        let path = try DatabaseFile.path(of: url, store: "SQLiteStorage")
        try self.init(path: path, versions, options)
        let watch = DatabaseWatch(path: path) { [weak self] in
            try self?.poll()
        } report: { [weak self] _ in
            // Observers read, and report the error, as the next read or write does.
            self?.observers.notifyAll()
        }
        self.watch.withLock { $0 = watch }
        watch.start()
    }

    /// Creates a database in memory, for tests and previews.
    ///
    /// It ends with the storage, and no other storage can use it. Everything works as in a file, but accesses run one
    /// after the other: a read does not run beside a write.
    ///
    /// ```swift
    /// let storage = try SQLiteStorage.inMemory(versions: [V01(), V02()])
    /// ```
    ///
    /// - Throws: `SettingsError`, with the code `schemaUpgradeFailed` or `libraryUnavailable`.
    public static func inMemory(
        versions: [any SQLiteSchemaVersion] = [], options: Options = Options()
    ) throws -> SQLiteStorage {
        var options = options
        // There would be nothing to read.
        options.access = .readWrite
        return try SQLiteStorage(path: Connection.inMemory, versions, options)
    }

    private init(path: String, _ versions: [any SQLiteSchemaVersion], _ options: Options) throws {
        let description = "SQLiteStorage \(path)\(options.label.map { " (\($0))" } ?? "")"
        let isReadOnly = options.access == .readOnly
        let isInMemory = path == Connection.inMemory
        if !isInMemory { try DatabaseFile.prepare(path, isReadOnly: isReadOnly, store: description) }
        let open: @Sendable () throws -> Connection = {
            try Connection(path: path, isReadOnly: isReadOnly, patience: options.patience, description: description)
        }
        let queue: @Sendable (String) -> DispatchQueue = {
            DispatchQueue(label: "SettingsKit.\(description).\($0)", target: options.targetQueue)
        }
        let connection = try open()
        try SchemaUpgrade(versions, of: options.schemaName, checksForeignKeys: options.foreignKeysEnabled)
            .run(on: connection)
        try connection.set(pragma: "foreign_keys = \(options.foreignKeysEnabled ? "ON" : "OFF")")
        let writer = PooledConnection(
            queue: queue("writer"), connection, version: try connection.dataVersion(), open: open)
        (self.path, self.description, self.isReadOnly) = (path, description, isReadOnly)
        writers = ConnectionPool(limit: 1) { writer }
        let file = connection.file
        readers =
            isInMemory
            ? writers
            : ConnectionPool(limit: max(1, options.maximumReaderCount)) {
                PooledConnection(queue: queue("reader")) {
                    // No file, or another one, may have the path now.
                    try Connection.requireSameFile(as: file, at: path, store: description)
                    let connection = try open()
                    try Connection.requireSameFile(as: file, at: path, store: description)
                    return connection
                }
            }
    }

    // MARK: Access

    /// Reads in a transaction: `body` sees one state of the database, also while others write.
    ///
    /// The read runs in the background, beside other reads and a write. When the task is cancelled, a running query is
    /// interrupted.
    ///
    /// - Throws: the error of `body`; `SettingsError` if the database cannot be read; `CancellationError`.
    public func read<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value
    ) async throws -> Value {
        try await using(readers) { try self.read(on: $0, $1, body).value }
    }

    /// Reads on the calling thread, for example to have a value before the first frame.
    ///
    /// Does not wait for writes. In an asynchronous function, the asynchronous function of the same name is called. In the top-level
    /// code of a program, this one is called, also with `await`.
    ///
    /// - Throws: the error of `body`; `SettingsError` if the database cannot be read, with the code `outsideAccess` inside the
    ///   closure of another access.
    public func read<Value>(_ body: (SQLiteDatabase) throws -> Value) throws -> Value {
        try usingNow(readers) { try read(on: $0, $1, body).value }
    }

    /// Writes in a transaction: when this returns, all changes of `body` are stored; if it throws, none is.
    ///
    /// Writes run one after the other, also those of other processes, in the background. Keep them short, because
    /// others wait, ``SQLiteStore``s on the same file included. When the task is cancelled before the commit, the write
    /// is rolled back.
    ///
    /// - Throws: the error of `body`; `SettingsError`, with the code `busy` if another process has kept the database
    ///   locked for too long, `diskFull`, `readOnly`, `fileReplaced` or `writeFailed`; `CancellationError`.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value
    ) async throws -> Value {
        if isReadOnly { throw SettingsError(.readOnly, store: description) }
        let (value, settingsTables) = try await using(writers) { try self.write(on: $0, $1, body) }
        refreshStores(of: settingsTables)
        return value
    }

    /// Writes on the calling thread, all or nothing.
    ///
    /// In an asynchronous function, the asynchronous function of the same name is called. In the top-level code of a program, this
    /// one is called, also with `await`.
    ///
    /// - Throws: as the asynchronous function does, without `CancellationError`; also `SettingsError` with the code
    ///   `outsideAccess` inside the closure of another access.
    @discardableResult
    public func write<Value>(_ body: (SQLiteDatabase) throws -> Value) throws -> Value {
        if isReadOnly { throw SettingsError(.readOnly, store: description) }
        let (value, settingsTables) = try usingNow(writers) { try write(on: $0, $1, body) }
        refreshStores(of: settingsTables)
        return value
    }

    /// Reads in a transaction, as `read` without a handler does, and calls a handler with errors.
    ///
    /// - Returns: nil after an error, too.
    nonisolated(nonsending) public func read<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value?, catch handler: (any Error) -> Void
    ) async -> Value? {
        do {
            return try await read(body)
        } catch {
            handler(error)
            return nil
        }
    }

    /// Writes in a transaction, as `write` without a handler does, and calls a handler with errors.
    ///
    /// - Returns: nil after an error.
    @discardableResult
    nonisolated(nonsending) public func write<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws -> Value, catch handler: (any Error) -> Void
    ) async -> Value? {
        do {
            return try await write(body)
        } catch {
            handler(error)
            return nil
        }
    }

    // MARK: The file

    /// Returns when every earlier write survives a power failure.
    ///
    /// The write-ahead log is flushed. SQLite copies it into the database from time to time, and then uses its space again.
    ///
    /// - Throws: `SettingsError`; the writes then still survive the end of the process. `CancellationError`.
    public func synchronize() async throws {
        try await maintain { try $0.synchronize() }
    }

    /// Returns the space of deleted rows to the system: rewrites the database without it, and empties the write-ahead log.
    ///
    /// This takes time and, for a moment, room on the disk for two more copies of the database. Other writes wait
    /// meanwhile, and those of other processes throw `busy` after their time-out; reads continue. If a read still uses
    /// the old state at the end, the file shrinks later. Rows of a table without an integer primary key may get other row
    /// numbers.
    ///
    /// - Throws: `SettingsError`, with the code `busy` if another process is writing, `diskFull`, `readOnly`,
    ///   `fileReplaced`; `CancellationError`. The records stay unchanged then.
    public func compact() async throws {
        if isReadOnly { throw SettingsError(.readOnly, store: description) }
        try await maintain { try $0.compact() }
    }
}
