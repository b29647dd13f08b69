/// Whether the cluster can be reached, as the follower and the sender find out separately. Pure.
struct Outage {
    enum Part {
        case following
        case sending
    }

    private var following: GatewayFailure? = .notConnected("not tried yet")
    private var sending: GatewayFailure?
    private var isReported = false

    /// Why the cluster cannot be reached; nil while it is.
    var cause: GatewayFailure? { following ?? sending }

    /// Notes that a part cannot reach the cluster.
    mutating func begin(_ failure: GatewayFailure, of part: Part) {
        switch part {
        case .following: following = failure
        case .sending: sending = failure
        }
    }

    /// The cause, to be reported; nil if it was reported already, or there is none.
    mutating func takeUnreported() -> GatewayFailure? {
        if isReported { return nil }
        isReported = cause != nil
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
        guard isReported, cause == nil else { return false }
        isReported = false
        return true
    }

    /// Notes that the first attempt has succeeded, so that there is nothing to report.
    mutating func start() { following = nil }
}
