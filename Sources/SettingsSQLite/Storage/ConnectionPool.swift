import Dispatch
import SettingsKitCore
import Synchronization

/// Connections that accesses take, use and give back, first come, first served.
///
/// No access waits for ever: one that waits while none before it ends fails with `busy`.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let id: Int
        let since: ContinuousClock.Instant
        /// Called once, without a lock.
        let resume: @Sendable (Result<PooledConnection, any Error>) -> Void
    }

    private struct State {
        var idle: [PooledConnection] = []
        /// How many may still be made.
        var room: Int
        var waiters: [Waiter] = []
        var lastID = 0
        /// When an access ended last.
        var lastEnd = ContinuousClock.now
        /// Whether there is a timer that looks after those who wait.
        var isTimed = false
    }

    /// Within the process even those who do not want to wait wait so long: the connection may be looking for changes.
    private static let leastPatience = Duration.milliseconds(100)

    private let state: Mutex<State>
    private let patience: Duration
    private let description: String
    private let make: @Sendable () -> PooledConnection

    /// - Parameters:
    ///   - limit: How many connections there are at most.
    ///   - patience: How long an access waits for those before it.
    ///   - description: What errors call the database.
    init(
        limit: Int, patience: Duration, description: String, make: @escaping @Sendable () -> PooledConnection
    ) {
        state = Mutex(State(room: limit))
        self.patience = max(patience, Self.leastPatience)
        self.description = description
        self.make = make
    }

    /// Suspends until there is a connection.
    ///
    /// Those before it may take longer than the patience together, but not each of them.
    ///
    /// - Throws: `CancellationError`; `SettingsError` with the code `busy`.
    func take() async throws -> PooledConnection {
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

    /// Blocks until there is a connection, no longer than the patience.
    ///
    /// - Throws: `SettingsError` with the code `busy`.
    func takeBlocking() throws -> PooledConnection {
        if let connection = takeIdle() { return connection }
        let id = newID()
        let turn = BlockingTurn()
        wait(id) { turn.come($0) }
        if !turn.hasCome(within: patience) {
            giveUp(id, busy)
            turn.wait()
        }
        return try turn.result().get()
    }

    /// A connection if there is one at once.
    func takeIdle() -> PooledConnection? {
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

    /// Ends the wait of one that has not had its turn yet.
    private func giveUp(_ id: Int, _ error: any Error) {
        let waiter: Waiter? = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(.failure(error))
    }

    /// Looks after a while whether some have waited in vain.
    private func look(after duration: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + duration.dispatchInterval) { [weak self] in
            self?.endWaits()
        }
    }

    private func endWaits() {
        let now = ContinuousClock.now
        let (ended, next): ([Waiter], Duration?) = state.withLock { state in
            // In the order in which they came.
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
            underlying: SQLiteProblem("Other accesses of this storage did not end within the busy time-out."))
    }
}

/// What a blocked thread waits for.
private final class BlockingTurn: Sendable {
    private let outcome = Mutex<Result<PooledConnection, any Error>>(.failure(CancellationError()))
    private let signal = DispatchSemaphore(value: 0)

    func come(_ result: Result<PooledConnection, any Error>) {
        outcome.withLock { $0 = result }
        signal.signal()
    }

    func hasCome(within duration: Duration) -> Bool {
        signal.wait(timeout: .now() + duration.dispatchInterval) == .success
    }

    func wait() { signal.wait() }

    /// What has come.
    func result() -> Result<PooledConnection, any Error> { outcome.withLock { $0 } }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .milliseconds(Int(max(.zero, self) / .milliseconds(1)) + 1)
    }
}
