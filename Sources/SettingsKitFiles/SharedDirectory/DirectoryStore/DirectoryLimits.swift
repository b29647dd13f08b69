/// The limits of a shared directory and its files.
enum DirectoryLimits {
    // MARK: Files

    /// The size of the largest file that is read or written, in bytes: all records of a replica together.
    static let fileSize = 64 << 20
    /// The length of the longest line that is read.
    static let line = 32 << 20
    /// The size of the largest value that can be set or is read. A line has room for it in base 64.
    static let value = 16 << 20
    /// The size of the longest name that can be set or is read. A line has room for it with escapes.
    static let name = 1 << 20
    /// The greatest number that is read. No version, count, order or epoch reaches it.
    static let number = 999_999_999
    /// The greatest number of files in the directory that are read.
    static let files = 2_000

    // MARK: Parts of a replica

    /// The greatest number of parts that a head lists. A head with more is damaged.
    static let listedParts = 99
    /// The largest part. Its only limit is that of a file.
    static let lastPart = 4
    /// The size of the records in the head, which every export writes, in bytes.
    static let head = 8 << 10
    /// Each part may be this many times as large as the one before.
    static let partFactor = 12

    // MARK: Memory of other replicas

    /// More epochs than can have separate times in the future, unless a clock is wrong at each start, and less each time.
    static let acceptedEpochs = 64
    /// More replicas than ever share a directory.
    static let heardReplicas = 1_000
}
