#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Pauses of the calling thread.
package enum ThreadPause {
    /// Lets the calling thread sleep. A signal ends the sleep early.
    package static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = max(duration, .zero).components
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
