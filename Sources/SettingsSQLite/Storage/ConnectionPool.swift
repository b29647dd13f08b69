import Dispatch
import SettingsKitCore
import Synchronization

/// Connections that accesses acquire, use and give back, in order of arrival.
///
/// Every wait is bounded: an access throws `busy` if no earlier one ends within the patience.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let id: Int
        let since: ContinuousClock.Instant
        /// Called once, without a lock.
        let resume: @Sendable (Result<PooledConnection, any Error>) -> Void
    }

    private struct State {
        var idle: [PooledConnection] = []
        /// The number of connections that may still be created.
        var room: Int
        var waiters: [Waiter] = []
        var lastID = 0
        /// The end of the last access.
        var lastEnd = ContinuousClock.now
        /// Whether a timer checks the waiting accesses.
        var isTimed = false
    }

    private let state: Mutex<State>
    private let patience: Duration
    private let description: String
    private let make: @Sendable () -> PooledConnection

    /// - Parameters:
    ///   - limit: The greatest number of connections.
    ///   - patience: The time that an access waits for earlier ones.
    ///   - description: The name of the database in errors.
    init(
        limit: Int, patience: Duration, description: String, make: @escaping @Sendable () -> PooledConnection
    ) {
        state = Mutex(State(room: limit), .leaf)
        self.patience = max(patience, SQLiteTimings.leastPatience)
        self.description = description
        self.make = make
    }

    /// Suspends until a connection is free.
    ///
    /// The earlier accesses may together take longer than the patience, but not any single one.
    ///
    /// - Throws: `CancellationError`; `SettingsError` with the code `busy`.
    func acquire() async throws -> PooledConnection {
        let id = newID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id) { continuation.resume(with: $0) }
                // The handler may have been called before the task waited.
                if Task.isCancelled { giveUp(id, CancellationError()) }
            }
        } onCancel: {
            giveUp(id, CancellationError())
        }
    }

    /// Blocks until a connection is free, for no longer than the patience.
    ///
    /// - Throws: `SettingsError` with the code `busy`.
    func acquireBlocking() throws -> PooledConnection {
        if let connection = acquireIdle() { return connection }
        let id = newID()
        let turn = BlockingTurn()
        wait(id) { turn.come($0) }
        if !turn.hasCome(within: patience) {
            giveUp(id, busy)
            turn.wait()
        }
        return try turn.result().get()
    }

    /// Returns a connection if one is free.
    func acquireIdle() -> PooledConnection? {
        let (connection, isNew): (PooledConnection?, Bool) = state.withLock { state in
            if let connection = state.idle.popLast() { return (connection, false) }
            guard state.room > 0 else { return (nil, false) }
            state.room -= 1
            return (nil, true)
        }
        return isNew ? make() : connection
    }

    func give(_ connection: PooledConnection) {
        let waiter: Waiter? = state.withLock { state in
            if state.waiters.isEmpty {
                state.idle.append(connection)
                return nil
            }
            state.lastEnd = .now
            return state.waiters.removeFirst()
        }
        waiter?.resume(.success(connection))
    }

    // MARK: Waiting

    private func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func wait(_ id: Int, _ resume: @escaping @Sendable (Result<PooledConnection, any Error>) -> Void) {
        let (connection, needsTimer): (PooledConnection?, Bool) = state.withLock { state in
            if let connection = state.idle.popLast() { return (connection, false) }
            state.waiters.append(Waiter(id: id, since: .now, resume: resume))
            defer { state.isTimed = true }
            return (nil, !state.isTimed)
        }
        if let connection { return resume(.success(connection)) }
        if needsTimer { look(after: patience) }
    }

    /// Ends the wait of an access without a connection.
    private func giveUp(_ id: Int, _ error: any Error) {
        let waiter: Waiter? = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(.failure(error))
    }

    /// Checks later whether accesses have waited too long.
    private func look(after duration: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + duration.dispatchInterval) { [weak self] in
            self?.endWaits()
        }
    }

    private func endWaits() {
        let now = ContinuousClock.now
        let (ended, next): ([Waiter], Duration?) = state.withLock { state in
            // In order of arrival.
            let ended = state.waiters.prefix { max($0.since, state.lastEnd) + patience <= now }
            state.waiters.removeFirst(ended.count)
            state.isTimed = !state.waiters.isEmpty
            return (Array(ended), state.waiters.first.map { max($0.since, state.lastEnd) + patience - now })
        }
        for waiter in ended { waiter.resume(.failure(busy)) }
        if let next { look(after: next) }
    }

    private var busy: SettingsError {
        SettingsError(
            .busy, store: description,
            underlying: SQLiteProblem("Other accesses to this storage did not end within the busy time-out."))
    }
}

/// The semaphore of a blocked thread, and its result.
private final class BlockingTurn: Sendable {
    private let outcome = Mutex<Result<PooledConnection, any Error>>(.failure(CancellationError()), .leaf)
    private let signal = DispatchSemaphore(value: 0)

    func come(_ result: Result<PooledConnection, any Error>) {
        outcome.withLock { $0 = result }
        signal.signal()
    }

    func hasCome(within duration: Duration) -> Bool {
        signal.wait(timeout: .now() + duration.dispatchInterval) == .success
    }

    func wait() { signal.wait() }

    /// The result.
    func result() -> Result<PooledConnection, any Error> { outcome.withLock { $0 } }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .milliseconds(Int(exactly: (max(.zero, self) / .milliseconds(1)).rounded(.down) + 1) ?? .max)
    }
}
