import Dispatch
import SettingsKitCore
import Synchronization

/// Wakes a thread out of a wait. Signals that come before it waits count as one, so that it does not go round once for each.
final class Wake: Sendable {
    private let isSignaled = Mutex(false, .leaf)
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() {
        let isFirst = isSignaled.withLock { isSignaled in
            defer { isSignaled = true }
            return !isSignaled
        }
        if isFirst { semaphore.signal() }
    }

    /// Waits for a signal.
    ///
    /// - Parameter duration: How long at most; nil for as long as it takes.
    /// - Returns: Whether there was a signal.
    @discardableResult
    func wait(for duration: Duration? = nil) -> Bool {
        if let duration {
            if !semaphore.wait(for: duration) { return false }
        } else {
            semaphore.wait()
        }
        // A signal from here on is for the next wait; what it stands for may be seen already.
        isSignaled.withLock { $0 = false }
        return true
    }
}
