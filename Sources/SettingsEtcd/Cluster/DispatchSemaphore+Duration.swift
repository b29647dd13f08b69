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
}
