/// A moment of a hybrid logical clock: milliseconds, and a counter that tells apart what happens within one.
///
/// Both are in one number, the counter in the low 16 bits, so that what comes after a moment is the number plus one: a
/// counter that is full moves the milliseconds on.
struct Instant: Hashable, Comparable, Sendable {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The first moment of a millisecond, counted from 1970. What a clock cannot sensibly show, before 1970 or after the
    /// year 9999, becomes the nearest that it can.
    init(milliseconds: Int64, order: UInt16 = 0) {
        number = UInt64(min(max(milliseconds, 0), Self.latestMilliseconds)) << 16 | UInt64(order)
    }

    /// Before everything that is ever set: for values that were there before they were shared.
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

/// When a value was set, and by whom: what decides which of two values stays. No two are the same, if every replica has an
/// ID of its own.
struct Stamp: Hashable, Sendable {
    var instant: Instant
    var replica: ReplicaID
}

extension Stamp: Comparable {
    static func < (one: Stamp, other: Stamp) -> Bool {
        one.instant == other.instant ? one.replica < other.replica : one.instant < other.instant
    }
}
