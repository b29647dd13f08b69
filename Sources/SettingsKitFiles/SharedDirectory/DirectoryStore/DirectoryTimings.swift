/// The times of a shared directory. Its local state is a property list: see ``PropertyListTimings``.
enum DirectoryTimings {
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

    /// The time for which changes are gathered before the replica's files are written.
    static let writingDelay = Duration.milliseconds(250)
    /// The time for which changes are gathered before the local state is folded. An export folds it first, so this matters only
    /// if the replica's files cannot be written.
    static let stateWritingDelay = Duration.milliseconds(800)
    /// The additional delay for changes of another process, which will probably export them first.
    static let othersDelay = Duration.milliseconds(400)
    /// How long heard moments are gathered before the replica's file is written for them.
    static let hearingPause = Duration.seconds(30)
    /// The time after which the head is written without a change, to show that the device is in use, in milliseconds.
    static let longestSilence: Int64 = 86_400_000

    // MARK: Clocks

    /// How far an instant may be ahead of the machine's clock: a day, in milliseconds. An inaccurate clock is off by
    /// minutes, and a wrong time zone adds hours.
    static let clockTolerance: Int64 = 86_400_000

    // MARK: Forgetting removals

    /// How long a removal is remembered, unless the program chooses another time: 180 days.
    static let retention = Duration.seconds(180 * 86_400)
    /// The time between two runs that forget old removals, and between two attempts while some must be kept.
    static let forgettingInterval = Duration.seconds(86_400)
    static let forgettingPause = Duration.seconds(3_600)
    /// The precision of the time at which files of a replica have last disappeared, in milliseconds.
    static let lossPrecision: Int64 = 86_400_000
}
