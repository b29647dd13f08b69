import Dispatch
import SettingsKitCore

/// A connection of a pool, opened when it is first used, and the queue on which asynchronous accesses use it.
///
/// An access blocks: it waits for the disk and for other processes. So it does not run on the threads that tasks share.
// @unchecked: `state` and `version` are used only by the access that has taken the connection out of its pool.
final class PooledConnection: @unchecked Sendable {
    let executor: QueueExecutor
    /// SQLite's number for the state that was seen last.
    var version: Int64?

    private enum State {
        case closed(@Sendable () throws -> Connection)
        case open(Connection)
    }

    private var state: State

    init(queue: DispatchQueue, open: @escaping @Sendable () throws -> Connection) {
        executor = QueueExecutor(queue)
        state = .closed(open)
    }

    /// - Parameter version: SQLite's number for the present state.
    init(queue: DispatchQueue, _ connection: Connection, version: Int64) {
        executor = QueueExecutor(queue)
        state = .open(connection)
        self.version = version
    }

    func connection() throws -> Connection {
        switch state {
        case .open(let connection): return connection
        case .closed(let open):
            let connection = try open()
            state = .open(connection)
            return connection
        }
    }
}

/// Runs a task on a dispatch queue.
///
/// (With a continuation in its place, the closures of accesses would have to be escaping ones.)
final class QueueExecutor: TaskExecutor {
    /// For tasks that wait for a connection: what runs here never blocks.
    static let turns = QueueExecutor(DispatchQueue(label: "SettingsKit.SQLite.turns"))

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
