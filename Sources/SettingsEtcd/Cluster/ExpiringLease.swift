#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lease of values that expire with this client, and those values. Used by one thread.
struct ExpiringLease {
    private let seconds: Int64
    private(set) var lease: Lease?
    /// The values that this client has stored under the lease.
    private var values: [String: Data] = [:]

    init(_ time: Duration) { seconds = max(EtcdTimings.shortestExpiry, Int64(time / .seconds(1))) }

    /// The remaining time of the lease without a renewal; nil if there is no lease.
    var timeLeft: Duration? {
        lease.map { ContinuousClock.now.duration(to: $0.renewed + .seconds(seconds) / EtcdTimings.renewalsPerExpiry) }
    }

    /// Whether the lease must be renewed.
    var isDue: Bool { timeLeft.map { $0 <= .zero } ?? false }

    /// Returns the identifier of the lease, which is granted if there is none.
    mutating func prepare(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Int64 {
        if let lease { return lease.id }
        let granted = try Lease(seconds: seconds, by: client, within: time, call: call)
        lease = granted
        return granted.id
    }

    /// Records stored and removed values.
    mutating func record(_ writes: [String: Data?]) {
        for (name, data) in writes { values[name] = data }
    }

    /// Renews the lease.
    ///
    /// - Returns: The values to store again, because the lease had expired.
    mutating func renew(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> [String: Data] {
        guard try lease?.renew(by: client, within: time, call: call) == false else { return [:] }
        return forget()
    }

    /// Forgets a lease that the cluster does not know.
    ///
    /// - Returns: The values to store again.
    mutating func forget() -> [String: Data] {
        lease = nil
        defer { values = [:] }
        return values
    }
}
