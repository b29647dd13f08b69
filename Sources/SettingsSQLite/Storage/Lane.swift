import Dispatch
import SettingsCore

/// A connection and the thread that it is used on.
///
/// What an access does blocks: it waits for the disk and for other processes. So it runs on a queue of its own, not on the
/// threads that tasks share.
// @unchecked: `opened` and `version` are used only by who has taken the lane out of its pool, one at a time.
final class Lane: @unchecked Sendable {
    let executor: LaneExecutor
    /// SQLite's number for the state that was seen last.
    var version: Int64?

    private let open: @Sendable () throws -> Connection
    private var opened: Connection?

    init(queue: DispatchQueue, open: @escaping @Sendable () throws -> Connection) {
        executor = LaneExecutor(queue: queue)
        self.open = open
    }

    /// The connection, opened when it is first used.
    func connection() throws -> Connection {
        if let opened {
            guard !opened.isInherited else {
                throw SettingsError(
                    .outsideAccess, store: opened.description,
                    underlying: SQLiteProblem("A child made by fork cannot use the storage of its parent."))
            }
            return opened
        }
        let connection = try open()
        opened = connection
        return connection
    }
}

/// Runs tasks on a dispatch queue.
final class LaneExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
