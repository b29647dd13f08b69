#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The end of a wait, exact to a few milliseconds, and quick to test.
package struct Deadline: Sendable {
    /// Nanoseconds of the monotonic clock.
    private let moment: UInt64

    /// Creates a deadline after a duration. With a duration of zero, there is one attempt.
    package init(after duration: Duration) {
        moment = duration <= .zero ? 0 : Self.now + UInt64(max(0, duration / .nanoseconds(1)))
    }

    package var hasPassed: Bool { Self.now >= moment }

    private static var now: UInt64 {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #endif
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
