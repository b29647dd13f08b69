/// The times of a property list. ``PrintingPace`` uses those that decide when it is printed.
enum PropertyListTimings {
    // MARK: Noticing changes

    /// The longest time that a change may stay unnoticed where the file system may not report it.
    static let pollInterval = Duration.seconds(2)
    /// How long a store without a listener or a write waits before it watches.
    static let watchingDelay = Duration.milliseconds(200)
    /// The time for which a missing list counts as being written by another program.
    static let suspicionTime = Duration.milliseconds(300)

    /// The time for which a list that cannot be parsed counts as being written by another program.
    static let editingTime = Duration.seconds(2)
    /// The time for which a file's status may not show a change that follows.
    static let youth = Duration.seconds(2)
    /// The time in which a process records a list that it has announced.
    static let recordingTime = Duration.seconds(1)
    /// The time between two compactions of a log for removed values.
    static let removalPause = Duration.seconds(60)

    // MARK: Bringing the property list up to date

    /// The time between a change and the background's look at the files.
    static let writingDelay = Duration.milliseconds(250)
    /// The growth of the log before the list is printed: this many bytes, or a quarter of the file if that is more, up to the largest
    /// growth.
    static let smallestGrowth: Int64 = 65_536
    static let largestGrowth: Int64 = 16 << 20
    /// The quiet time before a small file is printed. More than a second, so that a change every second does not count as quiet.
    static let shortestQuiet = Duration.seconds(1.5)
    /// A larger file is printed after a quiet time in which it could be written at this rate, in bytes a second.
    static let quietRate = 65_536.0
    /// The quiet time after an edit of a file that lacked changes: its editor must see them soon.
    static let editedQuiet = Duration.milliseconds(250)
    /// During continuous changes, a file is printed after this time, or at most as often as it can be written at this rate, in bytes
    /// a second.
    static let shortestLag = Duration.seconds(30)
    static let steadyRate = 512.0
    /// Printing takes at most this share of one core, and of the time.
    static let shareOfCore = 0.01
    static let shareOfTime = 0.1
    /// The longest time between two looks at the log while something must be printed.
    static let longestLook = Duration.seconds(1)
    /// The additional delay for changes of another process, which will probably print them first.
    static let othersDelay = Duration.milliseconds(400)
}
