import Dispatch
import SettingsCore
import SettingsFiles
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records in an SQLite database: with a schema that has versions, read by several tasks beside one that writes, and observed.
///
/// ```swift
/// let storage = try SQLiteStorage(at: databaseURL, versions: [V01(), V02()])
///
/// try await storage.write { try $0.save(user) }
/// let user: User? = try await storage.read { try $0.select(User.where(Column("id") == 7)) }
/// for await user in storage.keepInformed(about: { try $0.select(User.where(Column("id") == 7)) }) { ... }
/// ```
///
/// The database keeps a write-ahead log, so readers never wait for the writer, nor the writer for readers. What a `write` has
/// committed survives the end of the process, `kill -9` included, and a power failure after ``synchronize()``.
///
/// Any number of storages, ``SQLiteStore``s, processes and other programs may use the file at the same time.
public final class SQLiteStorage: Sendable {
    /// The path of the database.
    public let path: String

    let description: String
    let readers: LanePool
    let observers = Observers()
    private let writers: LanePool
    private let isReadOnly: Bool
    private let watch = Mutex<DatabaseWatch?>(nil)
    /// Whether others were to be looked for while somebody was writing.
    private let mustLookAgain = Atomic(false)
    private let hasLookedInVain = Atomic(false)

    /// Opens a database, makes it if it is not there, and applies the versions of its schema that it lacks.
    ///
    /// A new file can be read and written by its owner only.
    ///
    /// - Parameters:
    ///   - url: Where the database is.
    ///   - versions: The versions of the schema, oldest first. No two have the same id. A second list for the same file needs a
    ///     ``Configuration/schemaName``.
    ///   - configuration: How it is opened and used.
    /// - Throws: `SettingsError`, with the code `schemaUpgradeFailed` (the database is then as the version before has left
    ///   it), `schemaTooNew` if it has versions that are not among these, `schemaTooOld` if it lacks some that cannot be applied,
    ///   `storeUnavailable`, `notADatabase`, `corruptDatabase`, `busy`, `libraryTooOld`.
    public init(
        at url: URL, versions: [any SQLiteSchemaVersion] = [], configuration: Configuration = Configuration()
    ) throws {
        path = try DatabaseFile.path(of: url, store: "SQLiteStorage")
        description = "SQLiteStorage \(path)" + (configuration.label.map { " (\($0))" } ?? "")
        isReadOnly = configuration.isReadOnly
        let opening = Opening(path: path, description: description, configuration: configuration)
        let writer = Lane(queue: opening.queue("writer")) { try opening.writer() }
        let connection = try writer.connection()
        try SchemaUpgrade(
            versions, of: configuration.schemaName, checksForeignKeys: configuration.foreignKeysEnabled,
            adoptsGRDBMigrations: configuration.adoptsGRDBMigrations
        )
        .run(on: connection, patience: opening.patience)
        try connection.set(pragma: "foreign_keys = \(configuration.foreignKeysEnabled ? "ON" : "OFF")")
        writer.version = try connection.dataVersion()

        let file = connection.file
        writers = LanePool(limit: 1) { writer }
        readers = LanePool(limit: max(1, configuration.maximumReaderCount)) {
            Lane(queue: opening.queue("reader")) { try opening.reader(of: file) }
        }
        let watch = DatabaseWatch(path: path) { [weak self] in self?.look() }
        self.watch.withLock { $0 = watch }
    }

    /// How connections are opened.
    private struct Opening: Sendable {
        let path: String
        let description: String
        let configuration: Configuration

        func queue(_ role: String) -> DispatchQueue {
            DispatchQueue(label: "SettingsKit.\(description).\(role)", target: configuration.targetQueue)
        }

        /// What SQLite can count, which is as good as for ever.
        var patience: Duration { min(max(configuration.busyTimeout, .zero), .seconds(1_000_000)) }

        func writer() throws -> Connection {
            if configuration.isReadOnly {
                try DatabaseFile.requireFile(path, store: description)
            } else {
                try DatabaseFile.make(path, store: description)
            }
            return try Connection(
                path: path, isReadOnly: configuration.isReadOnly, patience: patience, description: description)
        }

        /// - Parameter file: The one that the writer has opened; meanwhile there may be another.
        func reader(of file: FileStatus?) throws -> Connection {
            let connection = try Connection(
                path: path, isReadOnly: configuration.isReadOnly, patience: patience, description: description)
            try connection.requireSameFile(as: file)
            try connection.set(pragma: "query_only = ON")
            return connection
        }
    }

    // MARK: Access

    /// Reads, in a transaction: `body` sees one state of the database, whatever is written meanwhile.
    ///
    /// Runs beside other reads and a write, in the background. Inside of a `write` it reads the state before that; inside of
    /// another `read` of the same storage it is an error.
    ///
    /// - Throws: what `body` throws; `SettingsError` if the database cannot be read; `CancellationError` if the task was
    ///   cancelled before it was its turn.
    public func read<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) async throws -> Value
    ) async throws -> Value {
        try await readAccess(isObserved: false, body).value
    }

    /// Writes, in a transaction: all that `body` does is stored when this returns, or nothing when it throws.
    ///
    /// Writes follow each other, also those of other processes. They run in the background. Keep them short, and do not wait in
    /// them for anything that takes long: everybody else waits, too, ``SQLiteStore``s on the same file included. A write inside
    /// of a write or a read of the same storage is an error.
    ///
    /// - Throws: what `body` throws; `SettingsError`, with the code `busy` if another process has kept the database locked
    ///   for too long, `noRoom`, `readOnly`, `fileReplaced` or `writeFailed`; `CancellationError` if the task was cancelled
    ///   before it was its turn.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) async throws -> Value
    ) async throws -> Value {
        if isReadOnly { throw SettingsError(.readOnly, store: description) }
        let (value, access) = try await using(writers) { lane in
            let connection = try lane.connection()
            try connection.requireSameFile()
            try connection.begin(writing: true)
            let database = SQLiteDatabase(connection, isWriting: true)
            do {
                try noteOthers(lane, connection)
                let value = try await body(database)
                try database.requireTransaction()
                database.end()
                try connection.commit()
                return (value, database.access)
            } catch {
                database.end()
                connection.rollBack()
                throw error
            }
        }
        observers.noteCommit(access)
        watch.withLock { $0 }?.announce()
        return value
    }

    /// Reads as ``read(_:)`` does, and gives errors to a handler.
    ///
    /// - Returns: nil after an error, too.
    public func read<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) async throws -> Value?, catch handler: (any Error) -> Void
    ) async -> Value? {
        do {
            return try await read(body)
        } catch {
            handler(error)
            return nil
        }
    }

    /// Writes as ``write(_:)`` does, and gives errors to a handler.
    ///
    /// - Returns: nil after an error.
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @Sendable (SQLiteDatabase) async throws -> Value, catch handler: (any Error) -> Void
    ) async -> Value? {
        do {
            return try await write(body)
        } catch {
            handler(error)
            return nil
        }
    }

    /// Returns when everything written so far survives a power failure.
    ///
    /// - Throws: `SettingsError`; what was written survives the end of the process all the same.
    public func synchronize() async throws {
        try await using(writers) { lane in
            let connection = try lane.connection()
            try connection.requireSameFile()
            try connection.synchronize()
        }
    }

    /// Reads, and answers what was read and from which tables.
    func readAccess<Value: Sendable>(
        isObserved: Bool, _ body: @Sendable (SQLiteDatabase) async throws -> Value
    ) async throws -> (value: Value, access: TableAccess, digest: Int) {
        try await using(readers) { lane in
            let connection = try lane.connection()
            try connection.requireSameFile()
            try connection.begin(writing: false)
            let database = SQLiteDatabase(connection, isWriting: false, isObserved: isObserved)
            defer {
                database.end()
                connection.rollBack()
            }
            let value = try await body(database)
            return (value, database.access, database.digest?.finalize() ?? 0)
        }
    }

    /// Takes a lane of a pool, and runs `body` on its thread.
    private func using<Value: Sendable>(
        _ pool: LanePool, _ body: (Lane) async throws -> Value
    ) async throws -> Value {
        // A write may wait for a read. If a read waited for a write as well, two could wait for each other.
        guard !AccessMark.isInside(pool) && !AccessMark.isInside(readers) else {
            throw SettingsError(
                .outsideAccess, store: description,
                underlying: SQLiteProblem(
                    "Inside of a write there can be a read, but no other access: it could wait for this one for ever."))
        }
        let lane = try await pool.take()
        defer { giveBack(lane, to: pool) }
        let mark = AccessMark(pool)
        defer { mark.end() }
        return try await AccessMark.$current.withValue(mark) {
            try await withTaskExecutorPreference(lane.executor) { try await body(lane) }
        }
    }

    private func giveBack(_ lane: Lane, to pool: LanePool) {
        pool.give(lane)
        if pool === writers && mustLookAgain.exchange(false, ordering: .acquiringAndReleasing) {
            watch.withLock { $0 }?.lookAgain(inAMoment: true)
        }
    }

    // MARK: What others write

    /// Has a look whether others have committed something, in the background.
    private func look() {
        mustLookAgain.store(true, ordering: .releasing)
        // Whoever writes at the moment has it looked at afterwards.
        guard let lane = writers.takeIdle() else { return }
        mustLookAgain.store(false, ordering: .releasing)
        defer { giveBack(lane, to: writers) }
        do {
            let connection = try lane.connection()
            try connection.requireSameFile()
            try noteOthers(lane, connection)
            hasLookedInVain.store(false, ordering: .relaxed)
        } catch {
            // Who listens reads, and is told what is wrong; as whoever reads or writes next.
            if !hasLookedInVain.exchange(true, ordering: .relaxed) { observers.noteAnything() }
        }
    }

    private func noteOthers(_ lane: Lane, _ connection: Connection) throws {
        let version = try connection.dataVersion()
        if version == lane.version { return }
        lane.version = version
        observers.noteAnything()
    }
}
