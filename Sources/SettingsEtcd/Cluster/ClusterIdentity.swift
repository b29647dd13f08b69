import SettingsKitCore

/// The identity of the store's cluster. Pure.
struct ClusterIdentity {
    /// The identifier of the cluster that has answered. Before an answer: of the one that the local files probably belong to. 0
    /// if neither is known.
    private(set) var cluster: UInt64 = 0
    /// Whether the cluster has answered.
    private(set) var isConfirmed = false
    /// Whether the cluster has confirmed the known state since the last watch ended. It may have been restored from a backup in
    /// the meantime.
    private(set) var isVerified = false
    /// Accepted writes of earlier runs for another cluster than the one that is probably reached.
    private var held: [QueuedWrite] = []

    /// Whether an answer comes from the known cluster.
    func isOn(_ cluster: UInt64) -> Bool { isConfirmed && cluster == self.cluster }

    mutating func doubt() { isVerified = false }

    mutating func verify() { isVerified = true }

    /// Begins with the contents of local files.
    mutating func begin(with cluster: UInt64, holding held: [QueuedWrite]) {
        (self.cluster, self.held) = (cluster, held)
    }

    /// Whether a cluster's answer is consistent with what readers see.
    func allows(_ cluster: UInt64) -> Bool { self.cluster == 0 || self.cluster == cluster }

    /// Records the cluster that has answered.
    ///
    /// - Returns: Whether it is another one than before, and the held writes.
    mutating func confirm(_ cluster: UInt64) -> (isOther: Bool, held: [QueuedWrite]) {
        defer { (self.cluster, isConfirmed, held) = (cluster, true, []) }
        return (self.cluster != 0 && self.cluster != cluster, held)
    }
}

extension EtcdCluster {
    /// Records the cluster that answers a read, before the read is complete. An unexpected cluster is recorded once its whole
    /// state has arrived.
    func recordAnswer(of cluster: UInt64) {
        let strangers = change { state in
            state.identity.allows(cluster) ? identify(cluster, &state) : []
        }
        keepAside(strangers)
        sendWake.signal()
    }

    /// Records the cluster that has answered.
    ///
    /// - Returns: The accepted writes for other clusters, which are given up.
    func identify(_ cluster: UInt64, _ state: inout State) -> [QueuedWrite] {
        if state.identity.isOn(cluster) { return [] }
        let (isOther, held) = state.identity.confirm(cluster)
        // Writes that end with the process apply to every cluster.
        let strangers = options.keepsWrites ? state.queue.begin(cluster) : []
        for write in strangers { feed.publish(state.contents.endShowing(write.writes), origin: .external) }
        if isOther { state.queue.forgetBases() }
        let own = held.filter { $0.cluster == cluster }
        state.queue.prepend(own)
        for write in own.reversed() { feed.publish(state.contents.showBelow(write.writes), origin: .local) }
        return held.filter { $0.cluster != cluster } + strangers
    }
}

extension EtcdCluster.State {
    /// Begins with accepted writes of earlier runs.
    ///
    /// - Parameter cluster: The one that is probably reached; 0 if unknown.
    mutating func begin(with pending: [QueuedWrite], of cluster: UInt64) {
        identity.begin(with: cluster, holding: pending.filter { $0.cluster != 0 && $0.cluster != cluster })
        queue.reserve(pending)
        for write in pending where write.cluster == 0 || write.cluster == cluster {
            queue.append(write)
            _ = contents.show(write.writes)
        }
        queue.endEarlier()
    }
}
