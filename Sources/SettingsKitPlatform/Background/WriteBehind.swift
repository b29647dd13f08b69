import Synchronization

/// Runs a store's writing in the background soon after a change, and once more when the process exits in order.
///
/// A write that fails is tried again, after a second, two, four, up to a minute, and whenever there is another change.
/// The failure is told once; after a success, a new one is told again.
package final class WriteBehind: Sendable {
    private struct State {
        var isScheduled = false
        var isRetryScheduled = false
        /// Whether the last write failed, and that was told.
        var hasFailed = false
        /// How often in a row it was tried again in vain.
        var retries = 0
        /// How long the next changes are gathered.
        var delay: Duration
    }

    /// Writing takes at most this share of the time.
    private static let share = 0.1
    private static let longestDelay = Duration.seconds(0.8)

    private let shortestDelay: Duration
    private let queue = BackgroundQueue()
    private let write: @Sendable () throws -> Void
    private let report: @Sendable (any Error) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - delay: How long changes are gathered before they are written; longer, but less than a second, where writing
    ///     takes long.
    ///   - write: Writes what is to be written; nothing if there is nothing. Called on a background thread.
    ///   - report: Is told of a failure.
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

    /// Sees to it that the next write is soon. Costs a lock.
    ///
    /// - Parameter patience: How much longer than usual it may take.
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

    /// Whether the last write has failed and is tried again later.
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
                // Writes that fail because of further changes do not make the wait longer.
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
