/// A point in the order of changes: an epoch, and an instant within it. Any moment of a later epoch is later.
///
/// A replica begins an epoch if the latest moment that it has issued or accepted is far ahead of its machine's clock. So its next
/// changes come after all that it has written and seen, and no stamp has to change.
struct HybridMoment: Hashable, Sendable {
    var epoch: UInt32
    var instant: Instant

    /// The moment before all changes, for values that existed before they were shared.
    static let earliest = HybridMoment(epoch: 0, instant: .earliest)

    /// The last epoch. No replica comes near it, and no file has a later one.
    static let lastEpoch: UInt32 = 999_999_999
    /// The greatest lead of an epoch over the replica's own. Corrected clocks do not reach a later one, which therefore is
    /// damage.
    private static let epochReach: UInt32 = 1 << 20

    /// The latest epoch that a replica whose clock shows this moment believes. A later one is damage.
    var lastCredibleEpoch: UInt32 {
        epoch < Self.lastEpoch - Self.epochReach ? epoch + Self.epochReach : Self.lastEpoch
    }
}

extension HybridMoment: Comparable {
    static func < (one: HybridMoment, other: HybridMoment) -> Bool {
        one.epoch == other.epoch ? one.instant < other.instant : one.epoch < other.epoch
    }
}
