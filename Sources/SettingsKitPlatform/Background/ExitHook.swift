import SettingsKitCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs pending writes when the process exits by `exit` or by returning from its main function.
///
/// The process then waits for locks of other processes for half a second at most, however many stores it has. Changes that are
/// not yet in a store's file are safe in its log.
package enum ExitHook {
    private struct State {
        var isInstalled = false
        var writers: [WeakReference<WriteBehind>] = []
    }

    private static let state = Mutex(State(), .leaf)
    private static let hasBegun = Atomic(false)
    /// The time in nanoseconds for which threads have waited for locks since the exit began; simultaneous waits count once.
    private static let waited = Atomic<Int64>(0)

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
                ExitHook.hasBegun.store(true, ordering: .releasing)
                for writer in ExitHook.state.withLock({ $0.writers }) { writer.object?.runAtExit() }
                LastWriting.wait()
            }
        }
    }

    /// Whether the process is exiting.
    private static var isExiting: Bool { hasBegun.load(ordering: .relaxed) }

    /// Whether the process is exiting, and has waited for locks for the permitted time. All threads then give up on locks that
    /// are not free.
    package static var isOutOfPatience: Bool {
        .nanoseconds(waited.load(ordering: .relaxed)) >= PlatformTimings.exitLockPatience
    }

    /// A moment in a wait for a lock during the exit, and the time counted until then.
    struct WaitMark {
        fileprivate let moment = ContinuousClock.now
        fileprivate let waited = ExitHook.waited.load(ordering: .relaxed)
    }

    /// Counts the time that a thread has waited for a lock since a mark. Work between the waits, on a slow disk for example, is
    /// not counted.
    ///
    /// - Parameter mark: Nil if the process was not exiting then, or the wait begins now.
    /// - Returns: A new mark; nil if the process is not exiting.
    static func countWait(since mark: WaitMark?) -> WaitMark? {
        guard isExiting else { return nil }
        if let mark {
            let duration = Int64((ContinuousClock.now - mark.moment) / .nanoseconds(1))
            waited.max(mark.waited + duration, ordering: .relaxed)
        }
        return WaitMark()
    }
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
