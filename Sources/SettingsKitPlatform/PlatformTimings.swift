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

    // MARK: Exit

    /// How long the exit of the process waits for locks of other processes, however many stores there are.
    static let exitLockPatience = Duration.milliseconds(500)
    /// How long the exit waits for writes in progress.
    static let exitPatience = Duration.seconds(3)

    // MARK: Watching

    /// The pause between two checks of files whose changes the system reports. More than ten seconds: an idle process must not
    /// wake more often.
    static let roundPause = Duration.seconds(12)
    /// The pause before the next poll after another process was in the way.
    static let busyPollPause = Duration.seconds(2)
    /// The interval of polls where nothing can be watched.
    static let unwatchedInterval = Duration.milliseconds(100)
    /// How long events are gathered before the next are read. An event after a quiet time is handled immediately.
    static let eventPause = Duration.microseconds(200)

    // MARK: Files

    /// How long replacing a file waits for another process that is replacing it.
    static let replacingPatience = Duration.milliseconds(500)
    /// How far, in seconds, in the future the time of a file may be before an inspection notes it.
    package static let clockTolerance: Int64 = 86_400
}

/// The limits of work with files that all stores share.
enum PlatformLimits {
    /// The number of attempts to create a file, to lock a new one, or to find the place of a path while other processes change the same.
    /// Each attempt takes microseconds, so this many failures mean a file system that never gives the same answer twice.
    static let racingAttempts = 100
}
