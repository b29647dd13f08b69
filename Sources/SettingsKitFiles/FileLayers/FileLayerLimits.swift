/// The limits and times of layers that are files. The files are written by people and their tools.
enum FileLayerLimits {
    /// The size of the largest file with all settings, in bytes. Reading it takes up to thirty times as much memory.
    static let fileSize = 4 << 20
    /// The size of the largest file with one value.
    static let valueSize = 1 << 20
    /// The number of files in a directory.
    static let directoryFiles = 1_000
    /// The number of attempts to read files that change meanwhile.
    static let readingAttempts = 20
    /// The time for which changed files must stay the same before they are read, and the number of times that this is waited for.
    static let settlingTime = Duration.milliseconds(50)
    static let settlingAttempts = 10
    /// The pause between attempts to read files that change meanwhile, when a layer is made.
    static let readingPause = Duration.milliseconds(5)
    /// The age at which the times of files show every change: some file systems count in steps of a second or two.
    static let racyTime = Duration.seconds(2)
    /// The pause before another attempt after an error of the system.
    static let retryPause = Duration.seconds(1)
}
