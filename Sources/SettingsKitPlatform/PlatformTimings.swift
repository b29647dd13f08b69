/// The times of work with files that all stores share: writing in the background, waiting for locks, watching.
///
/// A store has its own times: see `PropertyListTimings`, `DirectoryTimings`, `SQLiteTimings` and `EtcdTimings`. The pauses between
/// attempts to take a lock are in ``LockPause``.
package enum PlatformTimings {
    // MARK: Writing in the background

    /// The largest share of the time that writing takes.
    static let shareOfWriting = 0.1
    /// The longest time for which changes are gathered before the next write.
    static let longestWritingDelay = Duration.seconds(0.8)
    /// The pause after the system has refused to keep the process running for a write.
    static let suspensionPause = Duration.seconds(1)
    /// The pause before a failed write is repeated: twice as long each time, from one second.
    static let longestRetryPause = Duration.seconds(60)
    static func retryPause(after retries: Int) -> Duration { min(longestRetryPause, .seconds(1 << min(retries, 6))) }

    // MARK: Threads

    /// How long a thread waits for more work before it ends.
    static let idleTime = Duration.seconds(1)
    /// The time without an ended piece of work after which the running ones count as stalled.
    static let stallTime = Duration.milliseconds(50)

    // MARK: Exit and suspension

    /// How long the exit of the process waits for locks of other processes, however many stores there are.
    static let exitLockPatience = Duration.milliseconds(500)
    /// How long the exit waits for writes in progress.
    static let exitPatience = Duration.seconds(3)
    /// How long after the last lock on a file the process asks the system not to suspend it.
    package static let lockLingering = Duration.seconds(1)

    // MARK: Watching

    /// The pause between two checks of files whose changes the system reports. More than ten seconds: an idle process must not
    /// wake more often.
    static let roundPause = Duration.seconds(12)
    /// The pause before the next poll after another process was in the way.
    static let busyPollPause = Duration.seconds(2)
    /// The interval of polls where nothing can be watched.
    static let unwatchedInterval = Duration.milliseconds(100)
    /// How long events are gathered before the next are read.
    ///
    /// After events in quick succession, the next ones are left alone for this long. While they wait, the system merges an event
    /// with the last one if they are alike, and need not wake a thread. An event after a quiet time is handled immediately, and
    /// so is the next one: usually there is none, and a pause wakes a thread once more.
    static let eventPause = Duration.microseconds(200)
    /// The pause after the program has closed a reader's descriptors.
    static let closedReaderPause = Duration.seconds(1)

    // MARK: Ages of files, in seconds

    /// The age from which a temporary file counts as abandoned where the locks of its process may be invisible.
    package static let abandonment: Int64 = 3_600
    /// How far in the future the time of a file may be before an inspection notes it.
    package static let clockTolerance: Int64 = 86_400
}
