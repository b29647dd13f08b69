/// A clock whose moments follow each other whatever the machine's clock does, and come after all that the replica has seen.
///
/// A hybrid logical clock (Kulkarni, Demirbas and others, "Logical Physical Clocks and Consistent Snapshots in Globally
/// Distributed Databases", 2014): it shows the machine's time where that has moved on, and counts where it has not. Where
/// the machine's time turns out to have been far ahead, it shows the corrected time in a new epoch.
struct HybridClock: Hashable, Sendable {
    /// The latest moment that was given out or accepted.
    private(set) var last: HybridMoment

    init(last: HybridMoment = .earliest) { self.last = last }

    /// How far ahead of the machine's clock an instant may be to be believed: a day, in milliseconds. Clocks that are not
    /// set are off by minutes; a wrong time zone makes hours.
    static let tolerance: Int64 = 86_400_000

    /// Gives out a moment after all earlier ones.
    mutating func next(now: Int64) -> HybridMoment {
        if Self.isAhead(last.instant, of: now), last.epoch < HybridMoment.lastEpoch {
            last = HybridMoment(epoch: last.epoch + 1, instant: Instant(milliseconds: now))
        } else {
            last.instant = max(Instant(milliseconds: now), last.instant.next)
        }
        return last
    }

    /// Takes note of a moment that was accepted.
    mutating func observe(_ moment: HybridMoment) {
        last = max(last, moment)
    }

    /// Whether an instant is so far in the future that a clock must be wrong.
    static func isAhead(_ instant: Instant, of now: Int64) -> Bool { isAhead(instant.milliseconds, of: now) }

    /// The same for milliseconds since 1970.
    static func isAhead(_ milliseconds: Int64, of now: Int64) -> Bool {
        milliseconds > Instant(milliseconds: now).milliseconds + tolerance
    }
}
