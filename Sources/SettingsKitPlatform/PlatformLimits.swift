/// The limits of work with files that all stores share.
enum PlatformLimits {
    /// The number of pieces of background work that run at once, and the greatest number of threads for it.
    static let backgroundWidth = 4
    static let backgroundThreads = 64
    /// The size of the stack of such a thread, in bytes.
    static let backgroundStackSize = 8 << 20
    /// The number of attempts to create a file, to lock a new one, or to find the place of a path while other processes change the same.
    /// Each attempt takes microseconds, so this many failures mean a file system that never gives the same answer twice.
    static let racingAttempts = 100
    /// The longest name that companions contain completely. The longest suffix takes 40 bytes: `-log.damaged-` with
    /// a date and a random number.
    static let longestOwnName = 200
    /// The length of the part of a longer name.
    static let keptNameSize = 160
    /// The longest value of an extended attribute that is copied, in bytes. (The limit of Linux.)
    static let attributeSize = 65_536
}
