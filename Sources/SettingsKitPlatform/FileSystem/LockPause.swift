#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The pauses between attempts to take a lock: there is no call that waits for one for a limited time.
///
/// A lock is held for some microseconds as a rule, so it is asked for again and again, less and less often, up to once in
/// half a millisecond.
package struct LockPause {
    private var attempts = 0

    package init() {}

    /// Waits until it is time for the next attempt.
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
