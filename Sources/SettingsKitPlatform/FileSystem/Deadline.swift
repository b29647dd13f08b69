#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A point in time, on a clock that no person sets.
package struct Deadline: Sendable {
    private let nanoseconds: Int64

    #if canImport(Darwin)
        private static var quickNow: Int64 { time(of: CLOCK_MONOTONIC_RAW_APPROX) }
    #else
        private static var quickNow: Int64 { time(of: CLOCK_MONOTONIC_COARSE) }
    #endif

    /// Creates the end of a wait, exact to a few milliseconds. With a duration of zero, there is one attempt.
    package init(after duration: Duration) {
        nanoseconds = duration <= .zero ? 0 : Self.quickNow + duration.countedNanoseconds
    }

    /// Whether it has passed, exact to a few milliseconds, and quick to test.
    package var hasPassed: Bool { Self.quickNow >= nanoseconds }

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

/// Pauses of the calling thread.
package enum ThreadPause {
    /// Lets the calling thread sleep. A signal ends the sleep early.
    package static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = max(duration, .zero).components
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
