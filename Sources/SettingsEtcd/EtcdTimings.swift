/// The times of a store on a cluster. ``Backoff`` has the rule by which pauses grow.
enum EtcdTimings {
    // MARK: Waiting for the cluster

    /// The defaults of ``EtcdStore/Options``.
    static let patience = Duration.seconds(5)
    static let openingPatience = Duration.seconds(2)
    static let silence = Duration.seconds(6)
    /// How long a caller whose time is over waits for a write that ends at that moment.
    static let latePatience = Duration.seconds(1)
    /// How long closing a store waits for its threads.
    static let closingPatience = Duration.seconds(2)
    /// How long a change of the local file waits for another program. One that is stopped in the middle of a change must not stop
    /// this one, which then stores its own change later.
    static let localPatience = Duration.milliseconds(200)

    // MARK: Following

    /// The pauses after a failed read or watch.
    static let followingPauses = Backoff(first: .milliseconds(50), limit: .seconds(5))
    /// How long the creation of a watch may take.
    static let watchPatience = Duration.seconds(2)
    /// After this time without a message, in addition to the permitted silence, the cluster may have been restored from a backup.
    static let absence = Duration.seconds(4)
    /// The time in which the watch must show the state that a read has shown, before another member is watched.
    static let catchUpPatience = Duration.seconds(1)
    /// The longest pause between two looks at the state while a caller waits for it.
    static let catchUpPause = Duration.milliseconds(20)
    /// The time without a message, in addition to half of the permitted silence, after which a watch is in doubt.
    static let watchDoubt = Duration.seconds(1)

    // MARK: Sending

    /// The pauses after a failed write.
    static let sendingPauses = Backoff(first: .milliseconds(30), limit: .seconds(3))
    /// The longest part of such a pause after which the queue is looked at again.
    static let sendingWait = Duration.seconds(1)
    /// The pauses between the attempts of a batch whose expectations others keep changing.
    static let conflictPauses = Backoff(first: .milliseconds(2), limit: .milliseconds(200))
    /// The pause before a transaction is planned again, which limits the requests to a server that always refuses.
    static let planningPause = Duration.milliseconds(5)
    /// The longest time of a single request that writes, also with a longer patience, and the share of the patience that it takes.
    static let longestRequest = Duration.seconds(6)
    static let shareOfPatience = 0.6
    /// The rate of the slowest connection or machine that can send large values, in bytes a second.
    static let slowestRate = 40_000.0

    // MARK: Leases

    /// The time after which the key of a client that has ended is removed, in seconds.
    static let markerLease: Int64 = 90
    /// The time after which the next write renews the lease of the key.
    static let renewalPause = Duration.seconds(30)
    /// The shortest time after which values that expire are removed, in seconds.
    static let shortestExpiry: Int64 = 5
    /// The share of that time after which their lease is renewed, as a divisor.
    static let renewalsPerExpiry = 4
    /// How long closing a store waits for the cluster to remove them.
    static let releasePatience = Duration.milliseconds(800)

    // MARK: Connections

    /// The pauses before a client returns to the first member of its list. They grow each time that the member fails.
    static let returnPauses = Backoff(first: .seconds(60), limit: .seconds(1800))
    /// The time limit of a large answer, as a multiple of the limit for its first byte.
    static let longAnswer = 20
    /// The pauses between the spaces that a watch sends before the answer begins: the first, and the longest.
    static let firstSpacePause = Duration.milliseconds(1)
    static let longestSpacePause = Duration.milliseconds(250)
}
