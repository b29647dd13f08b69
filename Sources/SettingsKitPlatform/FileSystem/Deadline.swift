#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A point in time, on a clock that no person sets.
package struct Deadline: Comparable, Sendable {
    private let nanoseconds: Int64

    // Both clocks show the same time, the quick one to a few milliseconds.
    #if canImport(Darwin)
        static var now: Deadline { Deadline(nanoseconds: time(of: CLOCK_MONOTONIC_RAW)) }
        private static var quickNow: Int64 { time(of: CLOCK_MONOTONIC_RAW_APPROX) }
    #else
        static var now: Deadline { Deadline(nanoseconds: time(of: CLOCK_MONOTONIC)) }
        private static var quickNow: Int64 { time(of: CLOCK_MONOTONIC_COARSE) }
    #endif

    /// Creates the end of a wait, exact to a few milliseconds. With a duration of zero, there is one attempt.
    package init(after duration: Duration) {
        nanoseconds = duration <= .zero ? 0 : Self.quickNow + duration.countedNanoseconds
    }

    /// Returns the exact moment after a duration.
    static func exact(after duration: Duration) -> Deadline {
        Deadline(nanoseconds: now.nanoseconds + duration.countedNanoseconds)
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether it has passed, exact to a few milliseconds, and quick to test.
    package var hasPassed: Bool { Self.quickNow >= nanoseconds }

    /// The last multiple of a quarter of a second that is not later. Work that is due at about the same time then wakes the
    /// process once.
    var rounded: Deadline { Deadline(nanoseconds: nanoseconds - nanoseconds % 250_000_000) }

    package static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

    #if canImport(Darwin)
        /// The time until then; zero if it has passed.
        var timeLeft: timespec { Self.time(max(0, nanoseconds - Self.now.nanoseconds)) }
    #else
        /// The C library's time of `CLOCK_MONOTONIC`.
        var time: timespec { Self.time(nanoseconds) }
    #endif

    private static func time(_ nanoseconds: Int64) -> timespec {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: rest))
    }

    private static func time(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// The nanoseconds, limited to what a number can count.
    package var countedNanoseconds: Int64 { Int64(min(max(self, .zero), .seconds(1_000_000_000)) / .nanoseconds(1)) }
}
