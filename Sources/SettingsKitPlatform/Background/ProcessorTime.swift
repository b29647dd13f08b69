#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processor time that was used.
package enum ProcessorTime {
    /// The time of the calling thread, since it began.
    package static var ofThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
