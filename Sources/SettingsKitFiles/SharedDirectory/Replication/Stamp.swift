/// A time of a hybrid logical clock: milliseconds, and a counter that orders changes within a millisecond.
///
/// Both are in one number, with the counter in the low 16 bits. So the next instant is the number plus one, and a
/// counter that overflows advances the milliseconds.
struct Instant: Hashable, Comparable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// Creates an instant in a millisecond since 1970. Times before 1970 or after the year 9999 become the nearest time
    /// within that range.
    init(milliseconds: Int64, order: UInt16 = 0) {
        number = UInt64(min(max(milliseconds, 0), Self.latestMilliseconds)) << 16 | UInt64(order)
    }

    /// The earliest instant.
    static let earliest = Instant(number: 0)

    /// The last millisecond of the year 9999, the latest year with four digits.
    static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// Milliseconds since 1970.
    var milliseconds: Int64 { Int64(number >> 16) }
    /// The counter.
    var order: UInt16 { UInt16(truncatingIfNeeded: number) }

    /// The instant after this one.
    var next: Instant { Instant(number: number &+ 1) }

    static func < (one: Instant, other: Instant) -> Bool { one.number < other.number }
}

/// The moment of a change, and the replica that made it. The later of two stamps wins. A stamp never changes. No two
/// stamps are the same as long as no two replicas have the same ID.
struct Stamp: Hashable, Sendable {
    var moment: HybridMoment
    var replica: ReplicaID

    init(_ moment: HybridMoment, by replica: ReplicaID) {
        self.moment = moment
        self.replica = replica
    }
}

extension Stamp: Comparable {
    static func < (one: Stamp, other: Stamp) -> Bool {
        one.moment == other.moment ? one.replica < other.replica : one.moment < other.moment
    }
}
