/// A clock whose moments follow each other whatever the machine's clock does, and come after all that were seen of others.
///
/// A hybrid logical clock (Kulkarni, Demirbas and others, "Logical Physical Clocks and Consistent Snapshots in Globally
/// Distributed Databases", 2014): it shows the machine's time where that has moved on, and counts where it has not.
struct HybridClock: Sendable {
    /// The last moment that was given out or seen.
    private(set) var last: Instant

    init(last: Instant = .earliest) { self.last = last }

    /// How far ahead of the machine's clock a moment may be to be believed: a day. Clocks of devices that nobody sets are
    /// off by minutes; a time zone that was taken for another makes hours.
    static let tolerance: Int64 = 86_400_000

    /// A moment after all earlier ones.
    mutating func next(now: Int64) -> Instant {
        last = max(Instant(milliseconds: now), last.next)
        return last
    }

    /// Takes note of a moment that somebody else has given out.
    mutating func observe(_ instant: Instant) {
        last = max(last, instant)
    }

    /// Whether the clock goes on from a time that the machine's own does not believe: that one was ahead, and was
    /// corrected.
    func isAhead(of now: Int64) -> Bool { Self.isAhead(last, of: now) }

    /// Whether a moment is so far in the future that somebody's clock must be wrong.
    static func isAhead(_ instant: Instant, of now: Int64) -> Bool { isAhead(instant.milliseconds, of: now) }

    /// The same of milliseconds since 1970.
    static func isAhead(_ milliseconds: Int64, of now: Int64) -> Bool {
        milliseconds > Instant(milliseconds: now).milliseconds + tolerance
    }
}
