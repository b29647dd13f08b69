/// The moments up to which a replica has heard every change of each replica.
///
/// They are raised only by merging complete files, so they never claim a change that the replica lacks. A removal is forgotten
/// only when every other replica has heard it. Only changes that a file or a record shows can have been heard, so later moments
/// of other replicas are not adopted, and moments are lowered when the files that showed them are gone.
struct HeardMoments: Hashable, Sendable {
    private(set) var moments: [ReplicaID: HybridMoment] = [:]

    init(_ moments: [ReplicaID: HybridMoment] = [:]) { self.moments = moments }

    var isEmpty: Bool { moments.isEmpty }

    /// Whether the change with this stamp was heard.
    func covers(_ stamp: Stamp) -> Bool { moments[stamp.replica].map { stamp.moment <= $0 } ?? false }

    /// Whether every change that `other` covers was heard.
    func covers(_ other: HeardMoments) -> Bool {
        other.moments.allSatisfy { covers(Stamp($0.value, by: $0.key)) }
    }

    /// Raises the moment of a replica, if the new one is later.
    mutating func raise(_ replica: ReplicaID, to moment: HybridMoment) {
        if let known = moments[replica], known >= moment { return }
        moments[replica] = moment
    }

    /// Takes the later of two moments for each replica.
    mutating func join(_ other: HeardMoments) {
        moments.merge(other.moments, uniquingKeysWith: max)
    }

    /// Adopts the moments of a complete file's writer. The merge must have skipped none of the file's records, because a skipped
    /// one may have replaced a change of any replica.
    ///
    /// - Parameters:
    ///   - own: The replica that hears. No other replica knows all of this one's changes.
    ///   - known: The latest known change of each replica. No replica has heard a later one.
    ///   - lastEpoch: The latest epoch that is no damage.
    mutating func join(_ other: HeardMoments, own: ReplicaID, known: HeardMoments, lastEpoch: UInt32) {
        for (replica, moment) in other.moments where replica != own {
            guard let latest = known.moments[replica], min(moment, latest).epoch <= lastEpoch else { continue }
            raise(replica, to: min(moment, latest))
        }
    }

    /// Lowers the moments of other replicas to their latest known changes, and removes replicas without one.
    mutating func lower(to known: HeardMoments, own: ReplicaID) {
        for (replica, moment) in moments where replica != own {
            moments[replica] = known.moments[replica].map { min(moment, $0) }
        }
    }

    /// Removes the replicas with the oldest changes, beyond a limit. Other replicas then keep removals for these.
    ///
    /// - Parameter own: The replica that stays in any case.
    mutating func limit(to limit: Int = DirectoryLimits.heardReplicas, keeping own: ReplicaID) {
        guard moments.count > limit else { return }
        let newest = moments.filter { $0.key != own }.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        let others = newest.prefix(limit - (moments[own] == nil ? 0 : 1))
        moments = moments.filter { $0.key == own }.merging(others.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
