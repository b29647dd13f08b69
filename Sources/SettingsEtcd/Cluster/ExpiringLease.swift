#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lease of values that expire with this client, and those values. Used by one thread.
struct ExpiringLease {
    private let seconds: Int64
    private(set) var lease: Int64?
    /// The time of the last grant or renewal.
    private var renewed = ContinuousClock.now
    /// The values that this client has stored under the lease.
    private var values: [String: Data] = [:]

    init(_ time: Duration) { seconds = max(5, Int64(time / .seconds(1))) }

    /// The remaining time of the lease without a renewal; nil if there is no lease.
    var timeLeft: Duration? {
        lease == nil ? nil : ContinuousClock.now.duration(to: renewed + .seconds(seconds) / 4)
    }

    /// Whether the lease must be renewed.
    var isDue: Bool { timeLeft.map { $0 <= .zero } ?? false }

    /// Returns the lease, granted if there is none.
    mutating func prepare(
        _ client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Int64 {
        if let lease { return lease }
        let asked = ContinuousClock.now
        let id = try client.ask(
            .grantLease(seconds: seconds), isRepeatable: true, within: time, call: call, limit: 1 << 16,
            LeaseAnswer.init
        ).id
        guard id != 0 else { throw .notEtcd(status: 200) }
        (lease, renewed) = (id, asked)
        return id
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
        guard let lease else { return [:] }
        let asked = ContinuousClock.now
        if try client.askStream(.renewLease(lease), within: time, call: call, LeaseAnswer.init).timeToLive > 0 {
            renewed = asked
            return [:]
        }
        self.lease = nil
        defer { values = [:] }
        return values
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
