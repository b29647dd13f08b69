/// The limits and times of a shared directory.
enum DirectoryLimits {
    /// The size of the largest file that is read or written, in bytes: all settings of a replica together.
    static let fileSize = 64 << 20
    /// The greatest number of files in the directory that are read.
    static let files = 2_000

    // MARK: Noticing changes of other devices

    /// The interval at which the directory is read if the file system may not report changes.
    static let pollInterval = Duration.seconds(2)
    /// The shortest interval that a program can choose.
    static let shortestPollInterval = Duration.milliseconds(10)
    /// The pause before a file that may still be arriving is read again.
    static let arrivalPause = Duration.seconds(1)
    /// How long opening a store waits for the directory.
    static let openingPatience = Duration.seconds(1)
    /// The time after which a cloud is asked again for a file that it has not delivered.
    static let downloadPause = Duration.seconds(60)

    // MARK: Writing

    /// The time for which changes are gathered before the replica's file is written.
    static let writingDelay = Duration.milliseconds(250)
    /// The additional delay for changes of another process, which will probably export them first.
    static let othersDelay = Duration.milliseconds(400)
    /// How often an export begins again because other processes change the files.
    static let exportAttempts = 8
}
