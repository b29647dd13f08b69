/// The limits of a log.
enum LogLimits {
    /// The number of bytes that are read at a time.
    static let part = 1 << 20
    /// The greatest size of a log, in bytes.
    static let size: Int64 = 1 << 30
    /// A log of this size is not compacted.
    static let smallSize: Int64 = 16 << 10
    /// After how many bytes of lines a process asks for the room that is left, and how much must be left beside the room that a new
    /// log needs, before the log is compacted.
    static let roomInterval: Int64 = 16 << 10
    static let spareRoom: Int64 = 64 << 10
    /// The bytes that the unknown members of a line may take if each of its names has them, as in a new log.
    static let unknownMembers = 1 << 20
    /// The time that an operation waits for other processes, unless the program chooses another one; the longest one of a `set`.
    static let patience = Duration.milliseconds(500)
    /// The time for which the files are those at their paths without a look at the paths.
    static let trust = Duration.milliseconds(1)
    /// The time between two announcements of changes to other processes.
    static let announcementPause = Duration.milliseconds(1)
    /// The pauses between looks at a mutex that another thread holds, before a thread waits for it.
    static let mutexPauses: [Duration] = [20, 40, 80, 160, 320].map { .microseconds($0) }
    /// What may be copied to a new log while the old one is locked, in bytes.
    static let lastCopy: Int64 = 64 << 10
    /// How often a compaction copies what was appended meanwhile, before it takes the lock.
    static let copies = 8
}
