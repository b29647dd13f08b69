#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The pauses between attempts to take a lock: no system call waits for a lock for a limited time.
///
/// A lock is usually held for some microseconds, so the pauses begin short and grow to half a millisecond.
package struct LockPause {
    private var attempts = 0
    /// The last pause, if the process exits.
    private var last: ExitHook.WaitMark?

    package init() {}

    /// Waits until the next attempt.
    package mutating func next() {
        attempts += 1
        // With the attempt since the last pause: it may take long in a network.
        last = ExitHook.countWait(since: last)
        if attempts <= 20 {
            sched_yield()
        } else {
            ThreadPause.sleep(for: .microseconds(min(500, 10 * (attempts - 20))))
        }
    }
}
