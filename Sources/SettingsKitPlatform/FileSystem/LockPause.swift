#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The pauses between attempts to take a lock: no system call waits for a lock for a limited time.
///
/// A lock is usually held for some microseconds, so the pauses begin short and grow to half a millisecond.
package struct LockPause {
    private var attempts = 0

    package init() {}

    /// Waits until the next attempt.
    package mutating func next() {
        attempts += 1
        if attempts <= 20 {
            sched_yield()
        } else {
            var pause = timespec(tv_sec: 0, tv_nsec: min(500_000, 10_000 * (attempts - 20)))
            nanosleep(&pause, nil)
        }
    }
}
