import Dispatch
import SettingsKitCore
import Synchronization

/// Connections that accesses acquire, use and give back, in order of arrival.
final class ConnectionPool: Sendable {
    private struct Waiter {
        let id: Int
        /// Called once, without a lock. Nil ends the wait without a connection.
        let resume: @Sendable (PooledConnection?) -> Void
    }

    private struct State {
        var idle: [PooledConnection] = []
        /// The number of connections that may still be created.
        var room: Int
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state: Mutex<State>
    private let make: @Sendable () -> PooledConnection

    /// - Parameter limit: The greatest number of connections.
    init(limit: Int, make: @escaping @Sendable () -> PooledConnection) {
        state = Mutex(State(room: limit), .leaf)
        self.make = make
    }

    /// Suspends until a connection is free.
    ///
    /// - Throws: `CancellationError`.
    func acquire() async throws -> PooledConnection {
        let id = newID()
        let pooled = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(id) { continuation.resume(returning: $0) }
                // The handler may have been called before the task waited.
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
        guard let pooled else { throw CancellationError() }
        return pooled
    }

    /// Blocks until a connection is free.
    func acquireBlocking() -> PooledConnection {
        if let connection = acquireIdle() { return connection }
        let turn = BlockingTurn()
        wait(newID()) { turn.come($0) }
        return turn.wait()
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
            return state.waiters.removeFirst()
        }
        waiter?.resume(connection)
    }

    // MARK: Waiting

    private func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func wait(_ id: Int, _ resume: @escaping @Sendable (PooledConnection?) -> Void) {
        let connection: PooledConnection? = state.withLock { state in
            if let connection = state.idle.popLast() { return connection }
            state.waiters.append(Waiter(id: id, resume: resume))
            return nil
        }
        if let connection { resume(connection) }
    }

    /// Ends the wait of an access without a connection.
    private func giveUp(_ id: Int) {
        let waiter: Waiter? = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.resume(nil)
    }
}

/// The semaphore of a blocked thread, and its connection.
private final class BlockingTurn: Sendable {
    private let connection = Mutex<PooledConnection?>(nil, .leaf)
    private let signal = DispatchSemaphore(value: 0)

    func come(_ pooled: PooledConnection?) {
        connection.withLock { $0 = pooled }
        signal.signal()
    }

    func wait() -> PooledConnection {
        signal.wait()
        guard let pooled = connection.withLock({ $0 }) else {
            preconditionFailure("A blocked thread cannot be cancelled.")
        }
        return pooled
    }
}
