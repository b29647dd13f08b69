import Dispatch
import SettingsKitCore
import Synchronization

/// Wakes a thread from a wait. Earlier signals count as one, so that it does not wake once for each.
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
    /// - Parameter duration: The longest wait; nil for no limit.
    /// - Returns: Whether there was a signal.
    @discardableResult
    func wait(for duration: Duration? = nil) -> Bool {
        if let duration {
            if !semaphore.wait(for: duration) { return false }
        } else {
            semaphore.wait()
        }
        // A signal from here on applies to the next wait. Its cause may already be visible.
        isSignaled.withLock { $0 = false }
        return true
    }
}
