import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// Polls a database when another process may have written to it, and announces this process's commits to others.
///
/// SQLite itself reports no commits. Processes that use this module touch the write-ahead log after a commit, which the system
/// reports immediately. Commits of other programs are noticed when they close the database, or at the next regular poll.
final class DatabaseWatch: ChangeMonitored {
    /// The files at the last round.
    private struct Seen {
        var statuses: [FileStatus?] = []
        /// The number of further rounds that have found them unchanged.
        var rounds = 0
    }

    private let path: String
    private let log: String
    private let pollDatabase: @Sendable () throws -> Void
    private let report: @Sendable (any Error) -> Void
    private let monitor: ChangeMonitor
    private let announcer: ChangeAnnouncer
    private let seen = Mutex(Seen(), .leaf)

    /// - Parameters:
    ///   - poll: Reads the commits of other processes. Throws `busy` while the database is in use. Called in the background.
    ///   - report: Receives the first of several errors in a row.
    init(path: String, poll: @escaping @Sendable () throws -> Void, report: @escaping @Sendable (any Error) -> Void) {
        self.path = path
        let log = path + "-wal"
        self.log = log
        pollDatabase = poll
        self.report = report
        // A failure can last forever, if another file has taken the database's place.
        monitor = ChangeMonitor(
            interval: SQLiteTimings.pollInterval, pollsAfterFailure: false, queue: BackgroundQueue())
        announcer = ChangeAnnouncer(pause: SQLiteTimings.announcementPause) { Self.touch(log) }
        monitor.monitor(self)
    }

    /// Begins to watch, in the background, and then polls.
    func start() { monitor.start() }

    private static func touch(_ log: String) {
        do throws(SystemError) {
            try POSIXFileSystem().touch(log)
        } catch {
            // Other processes also poll from time to time.
        }
    }

    /// Announces a commit to other processes.
    func announce() { announcer.announce() }

    // MARK: Polling

    var monitoredPlaces: [ChangeMonitor.Place] {
        let (directory, name) = WholeFile.split(log)
        #if canImport(Darwin)
            // On this system, watching a file means opening it, and closing it again would release SQLite's locks on it.
            return [.init(directory: directory, names: [name])]
        #else
            return [.init(directory: directory, names: [name, WholeFile.split(path).name])]
        #endif
    }

    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool { true }

    func poll() throws -> Bool {
        try pollDatabase()
        return true
    }

    func reportFailedPoll(_ error: any Error) { report(error) }

    /// Whether the files have been unchanged for two rounds, with a poll after each.
    ///
    /// One poll is not enough: a commit is written to the log, then waits for the disk, and can be read only afterwards, when the
    /// log's status no longer changes.
    var isQuiet: Bool {
        let present = statuses
        return seen.withLock { seen in
            guard seen.statuses == present else {
                seen = Seen(statuses: present)
                return false
            }
            seen.rounds += 1
            return seen.rounds > 1
        }
    }

    private var statuses: [FileStatus?] {
        [path, log].map { path in
            do throws(SystemError) {
                return try POSIXFileSystem().status(of: path, followingLink: true)
            } catch {
                // The next use of the database reports the error.
                return nil
            }
        }
    }
}
