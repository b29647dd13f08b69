import Synchronization

/// Writes a store's changes in the background, soon after they are made, and at an orderly exit.
///
/// A failed write is repeated after a second, two, four, up to a minute, and after each change. The first failure in a row is
/// reported.
package final class WriteBehind: Sendable {
    private struct State {
        var work: Work?
        var isRetryScheduled = false
        /// Whether the last write failed, and the failure was reported.
        var hasFailed = false
        /// The number of failed repetitions in a row.
        var retries = 0
        /// The time for which changes are gathered before the next write.
        var delay: Duration
    }

    private struct Work: Sendable {
        let write: @Sendable () throws -> Bool
        let writeAtExit: @Sendable () throws -> Void
        let report: @Sendable (any Error) -> Void
    }

    private let shortestDelay: Duration
    private let activity: ExpiringActivity.Request?
    private let queue = BackgroundQueue()
    private let state: Mutex<State>
    private let isScheduled = Atomic(false)

    /// - Parameters:
    ///   - delay: The time for which changes are gathered before they are written. Longer, but less than a second, if writing
    ///     takes long.
    ///   - activity: Asked before a write, which takes locks. If the system refuses, the write runs a second later.
    package init(delay: Duration, activity: ExpiringActivity.Request? = ExpiringActivity.system) {
        shortestDelay = delay
        self.activity = activity
        state = Mutex(State(delay: delay), .leaf)
    }

    /// Sets the closures.
    ///
    /// - Parameters:
    ///   - write: Writes the changes, if there are any. Called on a background thread. Returns false if nothing was tried, because
    ///     they are written later.
    ///   - writeAtExit: Writes the changes when the process exits. Nil for `write`.
    ///   - report: Receives an error.
    package func begin(
        write: @escaping @Sendable () throws -> Bool, writeAtExit: (@Sendable () throws -> Void)? = nil,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        state.withLock { $0.work = Work(write: write, writeAtExit: writeAtExit ?? { _ = try write() }, report: report) }
        ExitHook.add(self)
    }

    /// Runs the next write soon. Takes no lock if it is scheduled already.
    ///
    /// - Parameter patience: An additional delay, for changes that another process will probably write first. If the last write
    ///   has failed by then, its repetition writes them.
    package func schedule(after patience: Duration = .zero) {
        // The change was made under a lock that the next write also takes: either the write sees the change, or this thread sees
        // the flag.
        if isScheduled.load(ordering: .acquiring) { return }
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async(after: state.withLock { $0.delay } + patience) { [weak self] in
            guard let self else { return }
            isScheduled.store(false, ordering: .sequentiallyConsistent)
            if patience > .zero, isRetryScheduled { return }
            runWhenPermitted()
        }
    }

    private func runWhenPermitted() {
        guard let activity else { return run() }
        activity { [weak self, queue] isGranted in
            queue.sync {
                if isGranted { self?.run() } else { self?.schedule(after: PlatformTimings.suspensionPause) }
            }
        }
    }

    /// Whether the last write has failed and will be repeated.
    package var isRetryScheduled: Bool { state.withLock { $0.isRetryScheduled } }

    private func run() {
        guard let work = state.withLock({ $0.work }) else { return }
        do {
            var isTried = true
            let duration = try ContinuousClock().measure { isTried = try work.write() }
            if !isTried { return }
            state.withLock { state in
                state.hasFailed = false
                state.retries = 0
                state.delay = min(
                    max(shortestDelay, duration / PlatformTimings.shareOfWriting), PlatformTimings.longestWritingDelay)
            }
        } catch {
            let (isFirst, retryDelay) = state.withLock { state in
                defer { state.hasFailed = true }
                // Failed writes after further changes do not make the wait longer.
                if state.isRetryScheduled { return (!state.hasFailed, nil as Duration?) }
                state.isRetryScheduled = true
                defer { state.retries += 1 }
                return (!state.hasFailed, PlatformTimings.retryPause(after: state.retries))
            }
            if isFirst { work.report(error) }
            guard let retryDelay else { return }
            queue.async(after: retryDelay) { [weak self] in
                self?.state.withLock { $0.isRetryScheduled = false }
                self?.runWhenPermitted()
            }
        }
    }

    func runAtExit() {
        guard let work = state.withLock({ $0.work }) else { return }
        do {
            try work.writeAtExit()
        } catch {
            work.report(error)
        }
    }
}
