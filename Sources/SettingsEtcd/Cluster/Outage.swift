import SettingsKitCore

/// The reachability of the cluster, as the follower and the sender determine it separately. Pure.
struct Outage {
    enum Part {
        case following
        case sending
    }

    private var following: GatewayFailure? = .notConnected("not tried yet")
    private var sending: GatewayFailure?
    /// The codes reported since the cluster was last reached.
    private var reported: Set<SettingsError.Code> = []

    /// The reason why the cluster cannot be reached; nil while it can.
    var cause: GatewayFailure? { following ?? sending }

    /// Whether the known state is current. The cluster may refuse writes.
    var isFollowing: Bool { following == nil && (sending?.isAnswer ?? true) }

    /// Records that a part cannot reach the cluster.
    mutating func begin(_ failure: GatewayFailure, of part: Part) {
        switch part {
        case .following: following = failure
        case .sending: sending = failure
        }
    }

    /// Returns the cause if an error with its code was not reported yet, and records that it was.
    mutating func nextUnreported() -> GatewayFailure? {
        guard let cause, reported.insert(cause.code).inserted else { return nil }
        return cause
    }

    /// Records that a part reaches the cluster.
    ///
    /// - Returns: Whether that ends a reported outage.
    mutating func end(of part: Part) -> Bool {
        switch part {
        case .following: following = nil
        case .sending: sending = nil
        }
        return endIfOver()
    }

    /// Records that the watch is established, so that sending can be retried.
    ///
    /// - Returns: Whether that ends a reported outage.
    mutating func recordReached() -> Bool {
        following = nil
        // A cluster that refuses writes was reached before.
        if sending?.isAnswer == false { sending = nil }
        return endIfOver()
    }

    private mutating func endIfOver() -> Bool {
        guard !reported.isEmpty, cause == nil else { return false }
        reported = []
        return true
    }

    /// Records that the first attempt has succeeded, so that there is nothing to report.
    mutating func start() { following = nil }
}
