/// The times of a database.
enum SQLiteTimings {
    // MARK: Waiting for other accesses

    /// How long an access waits for other processes, unless the program chooses another time.
    ///
    /// The public initializer of ``SQLiteStore`` repeats it, because a default there must be public.
    static let patience = Duration.milliseconds(500)
    /// How long a `set` does not wait for other processes, after one has waited in vain.
    static let hasteAfterBusy = Duration.milliseconds(500)

    // MARK: Noticing changes

    /// The longest time that a change may stay unnoticed where the file system may not report it.
    static let pollInterval = Duration.seconds(1)
    /// The time between two announcements.
    static let announcementPause = Duration.milliseconds(10)
}
