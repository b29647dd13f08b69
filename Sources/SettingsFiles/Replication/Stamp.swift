/// What a hybrid logical clock shows: milliseconds, and a counter that orders what happens within one.
///
/// Both are in one number, the counter in the low 16 bits, so that the next instant is the number plus one: a counter that
/// is full moves the milliseconds on.
struct Instant: Hashable, Comparable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The first instant of a millisecond, counted from 1970. Times before 1970 or after the year 9999 become the nearest
    /// time within.
    init(milliseconds: Int64, order: UInt16 = 0) {
        number = UInt64(min(max(milliseconds, 0), Self.latestMilliseconds)) << 16 | UInt64(order)
    }

    /// The first instant of all.
    static let earliest = Instant(number: 0)

    /// The last millisecond of the year 9999. A text of four digits has no later year.
    static let latestMilliseconds: Int64 = 253_402_300_799_999

    /// Milliseconds since 1970.
    var milliseconds: Int64 { Int64(number >> 16) }
    /// The counter.
    var order: UInt16 { UInt16(truncatingIfNeeded: number) }

    var next: Instant { Instant(number: number &+ 1) }

    static func < (one: Instant, other: Instant) -> Bool { one.number < other.number }
}

/// When a setting was changed, and by which replica: decides which of two values wins. A stamp never changes, and no two are
/// the same, as long as each replica has an ID of its own.
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
