import SettingsKitCore

/// The reachability of the cluster, as the follower and the sender determine it separately. Pure.
struct Outage {
    typealias Part = WritableKeyPath<Outage, GatewayFailure?>

    /// Why the cluster cannot be followed; nil while it can.
    var following: GatewayFailure? = .notConnected("not tried yet")
    /// Why the cluster cannot be written to; nil while it can.
    var sending: GatewayFailure?
    /// The codes reported since the cluster was last reached.
    private var reported: Set<SettingsError.Code> = []

    /// The reason why the cluster cannot be reached; nil while it can.
    var cause: GatewayFailure? { following ?? sending }

    /// Whether the known state is current. The cluster may refuse writes.
    var isFollowing: Bool { following == nil && (sending?.isAnswer ?? true) }

    /// Returns the cause if an error with its code was not reported yet, and records that it was.
    mutating func nextUnreported() -> GatewayFailure? {
        guard let cause, reported.insert(cause.code).inserted else { return nil }
        return cause
    }

    /// Records that the sender reaches the cluster.
    ///
    /// - Returns: Whether that ends a reported outage.
    mutating func endSending() -> Bool {
        sending = nil
        return endIfOver()
    }

    /// Records that the watch is established, so that sending can be retried.
    ///
    /// - Returns: Whether that ends a reported outage.
    mutating func endFollowing() -> Bool {
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
}
