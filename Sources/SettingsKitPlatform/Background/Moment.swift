#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A point in time, on a clock that no person sets.
struct Moment: Comparable, Sendable {
    private let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func after(_ duration: Duration) -> Moment {
        let duration = min(max(duration, .zero), .seconds(1_000_000_000))
        return Moment(nanoseconds: now.nanoseconds + Int64(duration / .nanoseconds(1)))
    }

    /// The last multiple of a quarter of a second that is not later. Work that is due at about the same time then wakes the
    /// process once.
    var rounded: Moment { Moment(nanoseconds: nanoseconds - nanoseconds % 250_000_000) }

    static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    #if canImport(Darwin)
        /// The time until this moment; zero if it has passed.
        var timeLeft: timespec { Self.time(max(0, nanoseconds - Self.now.nanoseconds)) }
    #else
        /// The moment as the C library's time of `CLOCK_MONOTONIC`.
        var time: timespec { Self.time(nanoseconds) }
    #endif

    private static func time(_ nanoseconds: Int64) -> timespec {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: rest))
    }
}
