/// A clock that gives out increasing moments, whatever the machine's clock shows. Each is later than every moment that
/// the replica has accepted.
///
/// This is a hybrid logical clock (Kulkarni, Demirbas and others, "Logical Physical Clocks and Consistent Snapshots in
/// Globally Distributed Databases", 2014): it shows the machine's time if that has advanced, and counts otherwise. If
/// the last moment is far ahead of the machine's clock, which was corrected, it shows the corrected time in a new
/// epoch.
struct HybridClock: Hashable, Sendable {
    /// The latest moment that the clock has given out or the replica has accepted.
    private(set) var last: HybridMoment

    init(last: HybridMoment = .earliest) { self.last = last }

    /// Returns a moment after all earlier ones.
    mutating func next(now: Int64) -> HybridMoment {
        if Self.isAhead(last.instant, of: now), last.epoch < HybridMoment.lastEpoch {
            last = HybridMoment(epoch: last.epoch + 1, instant: Instant(milliseconds: now))
        } else {
            last.instant = max(Instant(milliseconds: now), last.instant.next)
        }
        return last
    }

    /// Advances to a moment that the replica has accepted.
    mutating func observe(_ moment: HybridMoment) {
        last = max(last, moment)
    }

    /// Whether an instant is so far in the future that a clock must be wrong.
    static func isAhead(_ instant: Instant, of now: Int64) -> Bool { isAhead(instant.milliseconds, of: now) }

    /// Whether a time, in milliseconds since 1970, is so far in the future that a clock must be wrong.
    static func isAhead(_ milliseconds: Int64, of now: Int64) -> Bool {
        milliseconds > Instant(milliseconds: now).milliseconds + DirectoryTimings.clockTolerance
    }
}
