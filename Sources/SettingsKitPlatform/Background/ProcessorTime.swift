#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processor time that was used.
package enum ProcessorTime {
    /// The time of the calling thread, since it began.
    package static var ofThread: Duration { time(of: CLOCK_THREAD_CPUTIME_ID) }

    /// The time of all threads of the process, since it began.
    package static var ofProcess: Duration { time(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
