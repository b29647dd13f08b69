#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    import Foundation
    import Synchronization
#endif

/// Asks the system not to suspend the process while background work runs.
///
/// iOS ends an app that is suspended while it holds a lock on a file in the container of an app group, because other processes
/// would wait for that lock (0xdead10cc).
package enum ExpiringActivity {
    /// Calls `body` once, on another thread. If `isGranted` is true, the process is not suspended until `body` returns.
    package typealias Request = @Sendable (_ body: @escaping @Sendable (_ isGranted: Bool) -> Void) -> Void

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        /// An activity of `ProcessInfo`.
        package static let system: Request? = { body in
            let call = FirstCall()
            ProcessInfo.processInfo.performExpiringActivity(withReason: "SettingsKit writes settings") { isExpired in
                // The system calls this again when the time is over. The work then ends by itself.
                if call.isFirst { body(!isExpired) }
            }
        }

        private final class FirstCall: Sendable {
            private let hasCalled = Atomic(false)

            /// True the first time.
            var isFirst: Bool { !hasCalled.exchange(true, ordering: .relaxed) }
        }
    #else
        /// Nil: macOS and Linux suspend no process because of its locks.
        package static let system: Request? = nil
    #endif
}
