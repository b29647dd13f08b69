import SettingsKitCore

/// Whether the cluster can be reached, as the follower and the sender find out separately. Pure.
struct Outage {
    enum Part {
        case following
        case sending
    }

    private var following: GatewayFailure? = .notConnected("not tried yet")
    private var sending: GatewayFailure?
    /// The codes that were reported since the cluster was reached last.
    private var reported: Set<SettingsError.Code> = []

    /// Why the cluster cannot be reached; nil while it is.
    var cause: GatewayFailure? { following ?? sending }

    /// Whether what is known is up to date. The cluster may refuse what is sent.
    var isFollowing: Bool { following == nil && (sending?.isAnswer ?? true) }

    /// Notes that a part cannot reach the cluster.
    mutating func begin(_ failure: GatewayFailure, of part: Part) {
        switch part {
        case .following: following = failure
        case .sending: sending = failure
        }
    }

    /// The cause, to be reported; nil if one with its code was reported already, or there is none.
    mutating func takeUnreported() -> GatewayFailure? {
        guard let cause, reported.insert(cause.code).inserted else { return nil }
        return cause
    }

    /// Notes that a part reaches the cluster.
    ///
    /// - Returns: Whether that ends an outage that was reported.
    mutating func end(of part: Part) -> Bool {
        switch part {
        case .following: following = nil
        case .sending: sending = nil
        }
        return endIfOver()
    }

    /// Notes that the watch is in place, and that sending can be tried again.
    ///
    /// - Returns: Whether that ends an outage that was reported.
    mutating func noteReached() -> Bool {
        following = nil
        // A cluster that refuses what is sent was reached before.
        if sending?.isAnswer == false { sending = nil }
        return endIfOver()
    }

    private mutating func endIfOver() -> Bool {
        guard !reported.isEmpty, cause == nil else { return false }
        reported = []
        return true
    }

    /// Notes that the first attempt has succeeded, so that there is nothing to report.
    mutating func start() { following = nil }
}
