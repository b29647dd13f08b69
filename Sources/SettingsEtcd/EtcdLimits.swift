/// The limits of a store on a cluster. Sizes are in bytes.
enum EtcdLimits {
    /// The size of a batch. A request also contains the names of its fields, so the limit is lower than the cluster's.
    static let write = 1_500_000
    /// The size of the values that a transaction compares. Larger ones are compared by their revisions.
    static let comparedValue = 1_024
    /// The greatest number of operations in a transaction of etcd, without the one for the client's marker.
    static let operations = 127
    /// The greatest size of all values under a prefix.
    static let prefix = 256 << 20
    /// The greatest size of an answer: without values, and with them.
    static let smallAnswer = 1 << 16
    static let largeAnswer = 32 << 20
    /// The greatest size of a watch's message: etcd cuts at about 1.5 MB, between two events, and JSON takes a third more.
    static let watchMessage = 32 << 20
    /// The number of entries that are read at once, unless they are large.
    static let pageEntries: Int64 = 2_000
    /// The greatest size of the file of the last known values.
    static let knownFile = 1 << 30
    /// The greatest number of idle connections.
    static let idleConnections = 4
}

/// The times of a store on a cluster. ``Backoff`` has the rule by which pauses grow.
enum EtcdTimings {
    // MARK: Following

    /// The pauses after a failed read or watch.
    static let followingPauses = Backoff(first: .milliseconds(50), limit: .seconds(5))
    /// How long the creation of a watch and the question before it may take.
    static let watchPatience = Duration.seconds(2)
    /// After this time without a message, in addition to the permitted silence, the cluster may have been restored from a backup.
    static let absence = Duration.seconds(4)
    /// The time in which the watch must show the state that a read has shown, before another member is watched.
    static let catchUpPatience = Duration.seconds(1)
    /// The longest pause between two looks at the state while a caller waits for it.
    static let catchUpPause = Duration.milliseconds(20)

    // MARK: Writing

    /// The pauses after a failed request.
    static let writingPauses = Backoff(first: .milliseconds(30), limit: .seconds(1))
    /// The pauses after a batch whose expectations others keep changing.
    static let conflictPauses = Backoff(first: .milliseconds(2), limit: .milliseconds(200))
    /// The longest time of a single request that writes, also with a longer patience, and the share of the patience that it takes.
    static let longestRequest = Duration.seconds(6)
    static let shareOfPatience = 0.6

    // MARK: Leases

    /// The time after which the marker of a client that has ended is removed, in seconds, and after which it is renewed.
    static let lease: Int64 = 90
    static let leaseRenewal = Duration.seconds(22)

    // MARK: The file of the last known values, and closing

    /// The pause between a change and the write of the file, and between two writes as a multiple of the time that one takes.
    static let savingPause = Duration.seconds(5)
    static let savingShare = 50
    /// How long closing a store waits for the thread that follows.
    static let closingPatience = Duration.seconds(2)

    // MARK: Connections

    /// The time limit of a large answer, as a multiple of the limit for its first byte.
    static let longAnswer = 20
}

/// The pauses before retries: about twice as long each time, up to a limit, and randomized, so that many machines do not return
/// at the same moment.
struct Backoff: Sendable {
    let first: Duration
    let limit: Duration
    /// The number of failures in a row.
    private(set) var failures = 0

    init(first: Duration, limit: Duration) { (self.first, self.limit) = (first, limit) }

    mutating func succeed() { failures = 0 }

    /// Records a failure.
    ///
    /// - Returns: The pause: a random part, at least half, of the time for this number of failures.
    mutating func fail() -> Duration {
        let whole = min(limit, first * (1 << min(failures, 30)))
        failures += 1
        return whole * Double.random(in: 0.5...1)
    }
}
