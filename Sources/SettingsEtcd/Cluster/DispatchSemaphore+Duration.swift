import Dispatch

extension DispatchSemaphore {
    /// Waits for a signal, but not for longer than a duration.
    ///
    /// - Returns: Whether there was a signal.
    @discardableResult
    func wait(for duration: Duration) -> Bool {
        let nanoseconds = max(.zero, min(duration, .seconds(1_000_000))) / .nanoseconds(1)
        return wait(timeout: DispatchTime.now() + DispatchTimeInterval.nanoseconds(Int(nanoseconds))) == .success
    }
}
