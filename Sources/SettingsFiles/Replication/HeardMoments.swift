/// The moments up to which a replica has heard every change of each replica.
///
/// They are raised by merging complete files only, so they never claim a change that the replica lacks. A removal is
/// forgotten only when every other replica has heard it.
struct HeardMoments: Hashable, Sendable {
    private(set) var moments: [ReplicaID: HybridMoment] = [:]

    init(_ moments: [ReplicaID: HybridMoment] = [:]) { self.moments = moments }

    /// The greatest number of replicas. Changes of further ones count as not heard, so their removals are kept.
    static let limit = 10_000

    var isEmpty: Bool { moments.isEmpty }

    /// Whether the change with this stamp was heard.
    func covers(_ stamp: Stamp) -> Bool { moments[stamp.replica].map { stamp.moment <= $0 } ?? false }

    /// Whether every change that `other` covers was heard.
    func covers(_ other: HeardMoments) -> Bool {
        other.moments.allSatisfy { covers(Stamp($0.value, by: $0.key)) }
    }

    /// Raises the moment of a replica, if the new one is later.
    mutating func raise(_ replica: ReplicaID, to moment: HybridMoment) {
        guard moments[replica] != nil || moments.count < Self.limit else { return }
        moments[replica] = max(moments[replica] ?? moment, moment)
    }

    /// Joins what the writer of a complete file has heard.
    ///
    /// - Parameter withheld: By replica, the earliest moment among the entries of the writer's files that were not
    ///   taken. A moment of `other` that is not before it is not joined.
    mutating func join(_ other: HeardMoments, withheld: [ReplicaID: HybridMoment] = [:]) {
        for (replica, moment) in other.moments {
            if let first = withheld[replica], first <= moment { continue }
            raise(replica, to: moment)
        }
    }
}
