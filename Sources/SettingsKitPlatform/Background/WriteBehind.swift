import Synchronization

/// Writes a store's file in the background soon after a change, and once more when the process exits in order.
///
/// A failed write is repeated after one second, two, four, up to a minute, and after each further change. The failure
/// is reported once; after a success, the next failure is reported again.
package final class WriteBehind: Sendable {
    private struct State {
        var isScheduled = false
        var isRetryScheduled = false
        /// Whether the last write failed, and that was reported.
        var hasFailed = false
        /// The number of failed attempts in a row.
        var retries = 0
        /// The present delay after a change.
        var delay: Duration
    }

    /// The largest share of the time that writing may take.
    private static let share = 0.1
    private static let longestDelay = Duration.seconds(0.8)

    private let shortestDelay: Duration
    private let queue = BackgroundQueue()
    private let write: @Sendable () throws -> Void
    private let report: @Sendable (any Error) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - delay: How long changes are gathered before they are written; longer, but less than a second, if writing
    ///     takes long.
    ///   - write: Writes the pending changes, if there are any. Called on a background thread.
    ///   - report: Receives a failure.
    package init(
        delay: Duration = .milliseconds(100), write: @escaping @Sendable () throws -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        shortestDelay = delay
        state = Mutex(State(delay: delay))
        self.write = write
        self.report = report
        ExitHook.add(self)
    }

    /// Schedules a write soon. Costs a lock.
    ///
    /// - Parameter patience: An additional delay.
    package func schedule(after patience: Duration = .zero) {
        let delay = state.withLock { state in
            defer { state.isScheduled = true }
            return state.isScheduled ? nil : state.delay + patience
        }
        guard let delay else { return }
        queue.asyncAfter(delay) { [weak self] in
            self?.state.withLock { $0.isScheduled = false }
            self?.run()
        }
    }

    /// Whether the last write failed and will be repeated.
    package var isRetryScheduled: Bool { state.withLock { $0.isRetryScheduled } }

    private func run() {
        do {
            let duration = try ContinuousClock().measure(write)
            state.withLock { state in
                state.hasFailed = false
                state.retries = 0
                state.delay = min(max(shortestDelay, duration / Self.share), Self.longestDelay)
            }
        } catch {
            let (isFirst, retryDelay) = state.withLock { state in
                defer { state.hasFailed = true }
                // Failed writes after further changes do not make the wait longer.
                if state.isRetryScheduled { return (!state.hasFailed, nil as Int?) }
                state.isRetryScheduled = true
                defer { state.retries += 1 }
                return (!state.hasFailed, min(60, 1 << min(state.retries, 6)))
            }
            if isFirst { report(error) }
            guard let retryDelay else { return }
            queue.asyncAfter(.seconds(retryDelay)) { [weak self] in
                self?.state.withLock { $0.isRetryScheduled = false }
                self?.run()
            }
        }
    }

    func runAtExit() {
        do {
            try write()
        } catch {
            report(error)
        }
    }
}
