import SettingsKitCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs pending writes when the process exits by `exit` or by returning from its main function.
///
/// Half a second after the exit has begun, the process waits for no more locks of other processes, however many stores it has.
/// Changes that are not yet in a store's file are safe in its log.
package enum ExitHook {
    private struct State {
        var isInstalled = false
        var writers: [WeakReference<WriteBehind>] = []
    }

    private static let state = Mutex(State(), .leaf)
    /// Set when the exit begins.
    private static let patienceEnd = Mutex<Deadline?>(nil, .leaf)

    static func add(_ writer: WriteBehind) {
        let (mustInstall, others) = state.withLock { state in
            defer {
                state.isInstalled = true
                state.writers.append(WeakReference(writer))
            }
            return (!state.isInstalled, state.writers.removeDangling())
        }
        withExtendedLifetime(others) {}
        if mustInstall {
            atexit {
                ExitHook.patienceEnd.withLock { $0 = Deadline(after: PlatformTimings.exitLockPatience) }
                for writer in ExitHook.state.withLock({ $0.writers }) { writer.object?.runAtExit() }
                LastWriting.wait()
            }
        }
    }

    /// Whether the process has been exiting for so long that threads give up on locks that are not free.
    package static var isOutOfPatience: Bool { patienceEnd.withLock { $0?.hasPassed == true } }
}

/// The last write of a store that is being released. The background may have held the last reference, and the process must not
/// exit in the middle of the write.
package enum LastWriting {
    private static let count = Atomic(0)

    package static func perform<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) {
        count.add(1, ordering: .sequentiallyConsistent)
        defer { count.subtract(1, ordering: .sequentiallyConsistent) }
        try body()
    }

    /// Waits until no write is running, but not for long.
    static func wait() {
        let deadline = Deadline(after: PlatformTimings.exitPatience)
        while count.load(ordering: .sequentiallyConsistent) > 0, !deadline.hasPassed {
            ThreadPause.sleep(for: .microseconds(500))
        }
    }
}
