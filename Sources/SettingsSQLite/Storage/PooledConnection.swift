import Dispatch
import SettingsKitCore

/// A connection of a pool, opened at its first use, and the queue for its asynchronous accesses.
///
/// An access blocks: it waits for the disk and for other processes. So it must not run on the threads that tasks share.
// @unchecked: `opened` and `version` are used only by the access that has taken the connection out of its pool.
final class PooledConnection: @unchecked Sendable {
    let executor: QueueExecutor
    /// SQLite's number for the last known state.
    var version: Int64?

    private let open: @Sendable () throws -> Connection
    private var opened: Connection?

    /// - Parameters:
    ///   - opened: The connection, if it is open.
    ///   - version: SQLite's number for its state.
    init(
        queue: DispatchQueue, _ opened: Connection? = nil, version: Int64? = nil,
        open: @escaping @Sendable () throws -> Connection
    ) {
        executor = QueueExecutor(queue)
        (self.open, self.opened, self.version) = (open, opened, version)
    }

    func connection() throws -> Connection {
        if let opened { return opened }
        let connection = try open()
        opened = connection
        return connection
    }
}

/// Runs a task on a dispatch queue.
///
/// (With a continuation instead, the closures of accesses would have to escape.)
final class QueueExecutor: TaskExecutor {
    /// For tasks that wait for a connection: jobs on this queue never block.
    static let turns = QueueExecutor(DispatchQueue(label: "SettingsKit.SQLite.turns"))

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
