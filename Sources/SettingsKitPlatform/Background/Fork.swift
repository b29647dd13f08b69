import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Excludes background work during `fork`, and detects the child.
///
/// A child inherits open files together with their locks: a lock that the parent takes through such a file is also the child's.
/// So a child must open the files that it locks. It has none of the parent's background threads; a lock that one of them held
/// would stay locked in the child forever. So the threads hold no lock while the process forks. (The program's own threads are
/// its own responsibility, as always.)
package enum Fork {
    private static let forks = Atomic(0)
    private static let running = Atomic(0)
    private static let isForking = Atomic(false)

    private static let isInstalled: Bool =
        pthread_atfork(
            {
                Fork.isForking.store(true, ordering: .sequentiallyConsistent)
                let deadline = Deadline(after: PlatformTimings.forkPatience)
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

    /// The number of forks between the first process and this one. After the first time, costs one memory access.
    package static var count: Int {
        _ = isInstalled
        return forks.load(ordering: .relaxed)
    }

    /// Runs `body` in the background, but not while the process forks.
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
