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
    var isVerified = false

    /// - Parameter cluster: The one that is probably reached; 0 if it is unknown.
    init(probably cluster: UInt64 = 0) { self.cluster = cluster }

    /// Whether an answer comes from the known cluster.
    func isOn(_ cluster: UInt64) -> Bool { isConfirmed && cluster == self.cluster }

    /// Whether a cluster's answer is consistent with what readers see.
    func allows(_ cluster: UInt64) -> Bool { self.cluster == 0 || self.cluster == cluster }

    /// Records the cluster that has answered.
    ///
    /// - Returns: Whether it is another one than before.
    mutating func confirm(_ cluster: UInt64) -> Bool {
        defer { (self.cluster, isConfirmed) = (cluster, true) }
        return !allows(cluster)
    }
}

extension EtcdCluster {
    /// Records the cluster that answers a read, before the read is complete. An unexpected cluster is recorded once its whole
    /// state has arrived.
    func recordAnswer(of cluster: UInt64) {
        let strangers = state.withLock { state in
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
        let isOther = state.identity.confirm(cluster)
        let waiting = state.queue.entries
        // Writes that end with the process apply to every cluster.
        let strangers = options.keepsWrites ? state.queue.begin(cluster) : []
        if isOther { state.queue.forgetBases() }
        feed.publish(state.show(waiting.flatMap(\.writes.keys)), origin: .external)
        return strangers
    }
}

extension EtcdCluster.State {
    /// Shows the waiting writes of some names to readers, as far as they are for the cluster.
    ///
    /// - Returns: The changes for readers.
    mutating func show(_ names: some Sequence<String>) -> [SettingsStoreChange] {
        let names = Set(names)
        return contents.show(queue.waitingValues(of: names, for: identity.cluster), of: names)
    }
}
