/// The limits of a store on a cluster. Sizes are in bytes.
enum EtcdLimits {
    // MARK: Writes

    /// The size of one change, or of a batch. A request also contains the names of its fields, so the limit is lower than the
    /// cluster's.
    static let write = 1_500_000
    /// The size of changes that are sent together.
    static let transaction = 1_000_000
    /// The greatest number of operations in a transaction of etcd, without the one for the client's marker.
    static let operations = 127
    /// The size of the waiting writes among which a later one replaces an earlier one.
    static let tail = transaction

    // MARK: Answers

    /// The greatest size of all values under a prefix.
    static let prefix = 256 << 20
    /// The greatest size of an answer: without values, and with them.
    static let smallAnswer = 1 << 16
    static let largeAnswer = 64 << 20
    /// The greatest size of a watch's message: etcd cuts at about 1.5 MB, between two events, and JSON takes a third more.
    static let watchMessage = 32 << 20
    /// The number of entries that are read at once: at first, and the least that a slow answer leads to.
    static let pageEntries = 2_000
    static let smallestPage = 50

    // MARK: Local files and connections

    /// The greatest number of attempts at a change of the local file while other programs make theirs.
    static let localAttempts = 100
    /// The greatest number of addresses that a local file records.
    static let recordedAddresses = 32
    /// The greatest number of idle connections.
    static let idleConnections = 4
    /// The received bytes after which a transfer pauses until they are read.
    static let unreadBytes = 4 << 20
}
