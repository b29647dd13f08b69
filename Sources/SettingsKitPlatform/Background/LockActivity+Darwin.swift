#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    import Dispatch
    import Foundation
    import Synchronization

    extension LockActivity {
        static var system: (any SuspensionControl)? { ProcessActivities() }
    }

    /// The activities of `ProcessInfo`: the process is not suspended while a block of it runs.
    private final class ProcessActivities: SuspensionControl {
        /// Signaled to end the activity.
        private let ends = Mutex<[Int: DispatchSemaphore]>([:], .leaf)

        func begin(_ activity: Int, answer: @escaping @Sendable (_ isGranted: Bool) -> Void) {
            let end = DispatchSemaphore(value: 0)
            ends.withLock { $0[activity] = end }
            // Calls the block on a separate thread, and again with true when the time is over. If there is no time, calls it only
            // with true.
            ProcessInfo.processInfo.performExpiringActivity(withReason: "SettingsKit holds a lock on a file") {
                isExpired in
                answer(!isExpired)
                if !isExpired { end.wait() }
            }
        }

        func end(_ activity: Int) { ends.withLock { $0.removeValue(forKey: activity) }?.signal() }
    }
#else
    extension LockActivity {
        /// macOS and Linux suspend no process because of its locks.
        static var system: (any SuspensionControl)? { nil }
    }
#endif
