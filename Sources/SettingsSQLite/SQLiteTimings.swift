/// The times of a database.
enum SQLiteTimings {
    // MARK: Waiting for other accesses

    /// How long an access waits for other processes, unless the program chooses another time.
    ///
    /// The public initializer of ``SQLiteStore`` repeats it, because a default there must be public.
    static let patience = Duration.milliseconds(500)
    /// How long a `set` does not wait for other processes, after one has waited in vain.
    static let hasteAfterBusy = Duration.milliseconds(500)
    /// The shortest wait within the process, even without patience: the connection may be polling for changes.
    static let leastPatience = Duration.milliseconds(100)
    /// How long the log is left untruncated for the sake of its readers.
    static let logReaderPatience = Duration.milliseconds(50)

    // MARK: Noticing changes

    /// The longest time that a change may stay unnoticed where the file system may not report it.
    static let pollInterval = Duration.seconds(1)
    /// The time between two announcements, and between two polls of a database in use.
    static let announcementPause = Duration.milliseconds(10)
    /// The pauses before an observer reads again after all connections were in use: the first, and the longest.
    static let firstObservationPause = Duration.milliseconds(10)
    static let longestObservationPause = Duration.seconds(1)
}
