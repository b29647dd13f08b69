/// The moments up to which a replica has heard every change of each replica.
///
/// They are raised by merging complete files only, so they never claim a change that the replica lacks. A removal is
/// forgotten only when every other replica has heard it.
struct HeardMoments: Hashable, Sendable {
    private(set) var moments: [ReplicaID: HybridMoment] = [:]

    init(_ moments: [ReplicaID: HybridMoment] = [:]) { self.moments = moments }

    /// More replicas than ever share a directory. What others have received from further ones is not taken over.
    static let limit = 1_000

    var isEmpty: Bool { moments.isEmpty }

    /// Whether the change with this stamp was heard.
    func covers(_ stamp: Stamp) -> Bool { moments[stamp.replica].map { stamp.moment <= $0 } ?? false }

    /// Whether every change that `other` covers was heard.
    func covers(_ other: HeardMoments) -> Bool {
        other.moments.allSatisfy { covers(Stamp($0.value, by: $0.key)) }
    }

    /// Raises the moment of a replica, if the new one is later.
    mutating func raise(_ replica: ReplicaID, to moment: HybridMoment) {
        moments[replica] = max(moments[replica] ?? moment, moment)
    }

    /// Takes over what the writer of a complete file has heard. All of the file's records must have been taken: one that
    /// was not may have replaced a change of any replica.
    ///
    /// - Parameters:
    ///   - own: The replica that hears. Which of its own changes there are no other can know.
    ///   - lastEpoch: The latest epoch that is no damage.
    mutating func join(
        _ other: HeardMoments, own: ReplicaID? = nil, lastEpoch: UInt32 = HybridMoment.lastEpoch
    ) {
        for (replica, moment) in other.moments where replica != own && moment.epoch <= lastEpoch {
            guard moments[replica] != nil || moments.count < Self.limit else { continue }
            raise(replica, to: moment)
        }
    }
}
