import SettingsKitCore
import Synchronization

/// Writes pending changes in the background, as soon as another process no longer has the store locked.
package final class PendingWriter: Sendable {
    private let queue: BackgroundQueue
    private let feed: SettingsStoreFeed
    private let description: String
    private let cause: any Error
    private let isScheduled = Atomic(false)
    /// Whether `pending` was reported after the last `recovered`.
    private let isReported = Atomic(false)

    /// - Parameters:
    ///   - queue: The queue for attempts.
    ///   - feed: The feed for reports.
    ///   - description: The name of the store in messages.
    ///   - cause: The reason why changes are pending.
    package init(queue: BackgroundQueue, feed: SettingsStoreFeed, description: String, cause: any Error) {
        (self.queue, self.feed, self.description, self.cause) = (queue, feed, description, cause)
    }

    /// Reports `pending`, and repeats an attempt until it succeeds.
    ///
    /// - Parameters:
    ///   - keys: The keys to report.
    ///   - write: Writes the pending changes, without waiting for other processes. It is kept until it succeeds, and should keep
    ///     the store.
    package func begin(_ keys: [SettingsService.StorageKey], write: @escaping @Sendable () throws -> Void) {
        if !keys.isEmpty { isReported.store(true, ordering: .releasing) }
        for key in keys { feed.report(SettingsError(.pending, key: key, store: description, underlying: cause)) }
        attempt(write, after: PlatformTimings.firstPendingPause, failure: nil)
    }

    /// Ends the pending state. Returns the error `recovered` if `pending` was reported, once for each time.
    package func endPending() -> SettingsError? {
        guard isReported.exchange(false, ordering: .acquiringAndReleasing) else { return nil }
        return SettingsError(.recovered, store: description)
    }

    /// Ends the pending state, and reports `recovered` if `pending` was reported. Must be called without a lock.
    package func finish() {
        if isReported.load(ordering: .acquiring), let recovery = endPending() { feed.report(recovery) }
    }

    /// - Parameter failure: The code of the error that was reported last.
    private func attempt(
        _ write: @escaping @Sendable () throws -> Void, after pause: Duration, failure: SettingsError.Code?
    ) {
        guard queue.isRunning, !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async(after: pause) { [self] in
            isScheduled.store(false, ordering: .releasing)
            do {
                try write()
            } catch SettingsError.Code.busy {
                attempt(write, after: min(pause * 2, PlatformTimings.longestPendingPause), failure: failure)
            } catch {
                let error = SettingsError.wrap(error, as: .notSaved, store: description)
                if error.code != failure { feed.report(error) }
                attempt(write, after: PlatformTimings.pendingFailurePause, failure: error.code)
            }
        }
    }
}
