import Dispatch

extension DispatchSemaphore {
    /// Waits for a signal, but not for longer than a duration.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    func wait(for duration: Duration) -> Bool {
        // In seconds: nanoseconds of more than two seconds do not fit into an Int of 32 bits.
        let seconds = max(.zero, min(duration, .seconds(1_000_000))) / .seconds(1)
        return wait(timeout: DispatchTime.now() + seconds) == .success
    }

    /// Waits for signals. Those that were given before count as one, so that a thread does not wake once for each.
    ///
    /// - Parameter duration: The longest wait; nil for no limit.
    func waitForSignals(for duration: Duration?) {
        if let duration {
            if !wait(for: duration) { return }
        } else {
            wait()
        }
        // A signal from here on applies to the next wait. Its cause may already be visible.
        while wait(timeout: .now()) == .success {}
    }
}
