#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A thread for work that blocks for a long time, and would hold up the background queues and Swift's own threads.
package enum OwnThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Returns: False, with nothing started, if the system has no more threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // Signals are for the program's own threads.
        var (all, present) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &present)
        defer { pthread_sigmask(SIG_SETMASK, &present, nil) }
        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            let result = pthread_create(&thread, &attributes, { OwnThread.run($0) }, work.toOpaque())
        #else
            let result = pthread_create(&thread, &attributes, { OwnThread.run($0!) }, work.toOpaque())
        #endif
        if result != 0 { work.release() }
        return result == 0
    }

    private static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // Released at the end: the first call of `malloc` or `free` would give the thread its own heap.
        let work = Unmanaged<Work>.fromOpaque(context)
        work.takeUnretainedValue().body()
        work.release()
        return nil
    }
}
