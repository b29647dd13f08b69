/// A point on the clocks of all replicas: an instant, and the epoch in which it was given out. A later epoch is later,
/// whatever its instants are.
///
/// A replica begins an epoch when its machine's clock turns out to have been far ahead. What it writes then comes after
/// all that it has written and seen, without any stamp being changed.
struct HybridMoment: Hashable, Sendable {
    var epoch: UInt32
    var instant: Instant

    /// Before everything that is ever set: for values that existed before they were shared.
    static let earliest = HybridMoment(epoch: 0, instant: .earliest)

    /// The last epoch. No replica comes near it, and no file has a later one.
    static let lastEpoch: UInt32 = 999_999_999
    /// How far an epoch may be ahead of the own one. What is further ahead was not reached by correcting clocks: it is
    /// damage.
    private static let epochReach: UInt32 = 1 << 20

    /// The latest epoch that is no damage for a replica whose clock shows this moment.
    var lastCredibleEpoch: UInt32 {
        epoch < Self.lastEpoch - Self.epochReach ? epoch + Self.epochReach : Self.lastEpoch
    }
}

extension HybridMoment: Comparable {
    static func < (one: HybridMoment, other: HybridMoment) -> Bool {
        one.epoch == other.epoch ? one.instant < other.instant : one.epoch < other.epoch
    }
}
