/// A lease of the cluster. Keys that are stored with it expire unless it is renewed.
struct Lease {
    let id: Int64
    /// The time of the grant or the last renewal.
    private(set) var renewed: ContinuousClock.Instant

    /// Has the cluster grant a lease for a number of seconds.
    init(
        seconds: Int64, by client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) {
        renewed = .now
        let answer: LeaseAnswer = try client.ask(.grantLease(seconds: seconds), within: time, call: call)
        id = answer.id
        guard id != 0 else { throw .notEtcd(status: 200) }
    }

    /// - Returns: False if the lease has expired.
    mutating func renew(
        by client: GatewayClient, within time: Duration, call: GatewayCall
    ) throws(GatewayFailure) -> Bool {
        let asked = ContinuousClock.now
        let answer: LeaseAnswer = try client.ask(.renewLease(id), within: time, call: call)
        guard answer.timeToLive > 0 else { return false }
        renewed = asked
        return true
    }
}
