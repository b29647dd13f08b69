import Dispatch

/// The limits and times of the stores over `UserDefaults` and iCloud's key-value store.
enum UserDefaultsLimits {
    /// The longest name in iCloud, in bytes. The system ends a program that stores a longer one.
    static let cloudName = 64
    /// The number of settings in iCloud, and the size of their names and values together, in bytes.
    static let cloudSettings = 1_024
    static let cloudSize = 1_048_576
    /// On Linux, the time between a change and its writing.
    static let writingDelay = Duration.milliseconds(100)
    /// How long an ended observer stays in memory, because another thread may be calling it.
    static let observerLife = DispatchTimeInterval.seconds(60)
}
