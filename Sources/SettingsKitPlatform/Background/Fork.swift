import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What must be known of `fork`.
///
/// A child inherits open files together with their locks: what the parent locks through one of them, the child has
/// locked, too. So a child must open for itself what it wants to lock. It has none of the parent's background threads
/// either; a lock that one of them had would be locked in the child for ever. So they have none while the process forks.
/// (What a program's own threads do at that moment is its own matter, as it always is.)
package enum Fork {
    private static let forks = Atomic(0)
    private static let running = Atomic(0)
    private static let isForking = Atomic(false)

    /// How long a fork waits for the background; longer only if a listener that runs in the background forks.
    private static let patience = Duration.milliseconds(500)

    private static let isInstalled: Bool =
        pthread_atfork(
            {
                Fork.isForking.store(true, ordering: .sequentiallyConsistent)
                let deadline = Deadline(after: Fork.patience)
                while Fork.running.load(ordering: .sequentiallyConsistent) > 0, !deadline.hasPassed { Fork.pause() }
                BackgroundThreads.shared.willFork()
            },
            {
                BackgroundThreads.shared.didForkInParent()
                Fork.isForking.store(false, ordering: .sequentiallyConsistent)
            },
            {
                BackgroundThreads.shared.didForkInChild()
                Fork.running.store(0, ordering: .sequentiallyConsistent)
                Fork.isForking.store(false, ordering: .sequentiallyConsistent)
                Fork.forks.add(1, ordering: .relaxed)
            }) == 0

    /// How often this process has become another one. Costs one memory access after the first time.
    package static var count: Int {
        _ = isInstalled
        return forks.load(ordering: .relaxed)
    }

    /// Does something in the background, not while the process forks.
    package static func excluded<R>(_ body: () throws -> R) rethrows -> R {
        while true {
            running.add(1, ordering: .sequentiallyConsistent)
            if !isForking.load(ordering: .sequentiallyConsistent) { break }
            running.subtract(1, ordering: .sequentiallyConsistent)
            pause()
        }
        let forks = count
        defer {
            // In a child that `body` has made, nothing runs in the background.
            if forks == count { running.subtract(1, ordering: .sequentiallyConsistent) }
        }
        return try body()
    }

    private static func pause() { ThreadPause.sleep(for: .microseconds(50)) }
}
