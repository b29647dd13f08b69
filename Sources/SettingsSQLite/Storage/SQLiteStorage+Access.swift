import SettingsKitCore
import SettingsKitPlatform

extension SQLiteStorage {
    /// Takes a connection from a pool, and runs `body` with it on the connection's queue.
    func using<Value: Sendable>(
        _ pool: ConnectionPool, _ body: @Sendable (PooledConnection, AccessLimits) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if let pooled = pool.acquireIdle() { return try await run(pooled, of: pool, body) }
        // A task with a connection must not wait for a thread that tasks share, because others wait for the connection.
        return try await withTaskExecutorPreference(QueueExecutor.turns) {
            try await run(pool.acquire(), of: pool, body)
        }
    }

    private func run<Value: Sendable>(
        _ pooled: PooledConnection, of pool: ConnectionPool,
        _ body: @Sendable (PooledConnection, AccessLimits) throws -> Value
    ) async throws -> Value {
        let limits = AccessLimits()
        return try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(pooled.executor) {
                defer { pool.give(pooled) }
                return try body(pooled, limits)
            }
        } onCancel: {
            limits.cancel()
        }
    }

    /// Takes a connection from a pool, and runs `body` with it on the calling thread.
    func usingNow<Value>(
        _ pool: ConnectionPool, _ body: (PooledConnection, AccessLimits) throws -> Value
    ) throws -> Value {
        try AccessMark.requireOutside(store: description)
        let pooled = pool.acquireBlocking()
        defer { pool.give(pooled) }
        return try body(pooled, AccessLimits())
    }

    func connection(of pooled: PooledConnection) throws -> Connection {
        let connection = try pooled.connection()
        try connection.requireSameFile()
        return connection
    }

    /// Reads, and returns the result and the tables that were read.
    func read<Value>(
        on pooled: PooledConnection, _ limits: AccessLimits, isObserved: Bool = false,
        _ body: (SQLiteDatabase) throws -> Value
    ) throws -> (value: Value, access: TableAccess, digest: Int) {
        let connection = try connection(of: pooled)
        let database = SQLiteDatabase(connection, isWriting: false, isObserved: isObserved)
        // From now on, nothing can interrupt the end of the transaction.
        defer {
            database.end()
            connection.rollBack()
        }
        return try connection.within(limits) {
            try connection.begin(writing: false)
            let value = try AccessMark.inside { try body(database) }
            return (value, database.access, database.digest?.finalize() ?? 0)
        }
    }

    /// Writes, and returns the result and the tables in which settings were set.
    func write<Value>(
        on pooled: PooledConnection, _ limits: AccessLimits, _ body: (SQLiteDatabase) throws -> Value
    ) throws -> (value: Value, settingsTables: Set<String>) {
        let connection = try connection(of: pooled)
        let database = SQLiteDatabase(connection, isWriting: true)
        defer { database.end() }
        do {
            let value = try connection.within(limits) {
                try connection.begin(writing: true)
                try notifyOfOthers(pooled, connection)
                let value = try AccessMark.inside { try body(database) }
                try database.requireTransaction()
                return value
            }
            // The write can no longer be cancelled.
            try connection.commit()
            observers.notify(ofCommit: database.access)
            watch.withLock { $0 }?.announce()
            return (value, database.settingsTables)
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Lets the open stores of these tables read what was committed. Called without a connection: listeners may access the storage.
    ///
    /// A store that is locked or cannot read now does so later, and reports the error.
    func refreshStores(of tables: Set<String>) {
        for table in tables {
            for settings in SQLiteStore.openSettings(path, table: table) { try? settings.refresh() }
        }
    }

    /// Runs `body` on the whole database, outside a transaction.
    func maintain(_ body: @Sendable (Connection) throws -> Void) async throws {
        try await using(writers) { pooled, limits in
            let connection = try self.connection(of: pooled)
            // Cancellation may also have interrupted the end of a transaction that `body` began.
            defer { connection.rollBack() }
            try connection.within(limits) { try body(connection) }
        }
    }

    // MARK: Commits of other processes

    /// Checks whether other processes have committed.
    ///
    /// - Throws: `busy` during a write.
    func poll() throws {
        guard let pooled = writers.acquireIdle() else { throw SettingsError(.busy, store: description) }
        defer { writers.give(pooled) }
        try notifyOfOthers(pooled, connection(of: pooled))
    }

    private func notifyOfOthers(_ pooled: PooledConnection, _ connection: Connection) throws {
        let version = try connection.dataVersion()
        if version == pooled.version { return }
        pooled.version = version
        observers.notifyAll()
    }
}
