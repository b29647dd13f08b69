import SettingsKitCore
import Synchronization

/// Writes in the background what a store could not write because another process has it locked, as soon as the lock is free.
package final class PendingWriter: Sendable {
    private static let shortestPause = Duration.milliseconds(10)
    /// The longest time between two attempts.
    private static let longestPause = Duration.milliseconds(250)
    /// The time between two attempts after one that has failed for another reason than the lock.
    private static let failurePause = Duration.seconds(2)

    private let queue: BackgroundQueue
    private let feed: SettingsStoreFeed
    private let description: String
    private let cause: any Error
    private let isScheduled = Atomic(false)
    /// Whether `pending` was reported after the last `recovered`.
    private let isReported = Atomic(false)

    /// - Parameters:
    ///   - queue: Where attempts run.
    ///   - feed: Where the store reports.
    ///   - description: What messages call the store.
    ///   - cause: Why something is pending.
    package init(queue: BackgroundQueue, feed: SettingsStoreFeed, description: String, cause: any Error) {
        (self.queue, self.feed, self.description, self.cause) = (queue, feed, description, cause)
    }

    /// Reports `pending`, and repeats an attempt until it succeeds.
    ///
    /// - Parameters:
    ///   - keys: The keys to report.
    ///   - write: Writes what is pending, without waiting for other processes. It is kept until it succeeds, and should keep
    ///     the store.
    package func begin(_ keys: [SettingsService.StorageKey], write: @escaping @Sendable () throws -> Void) {
        if !keys.isEmpty { isReported.store(true, ordering: .releasing) }
        for key in keys { feed.report(SettingsError(.pending, key: key, store: description, underlying: cause)) }
        attempt(write, after: Self.shortestPause, failure: nil)
    }

    /// Returns the report that nothing is pending any more, once for each time that something was.
    package func takeRecovery() -> SettingsError? {
        guard isReported.exchange(false, ordering: .acquiringAndReleasing) else { return nil }
        return SettingsError(.recovered, store: description)
    }

    /// Reports that nothing is pending any more, once for each time that something was. Called with no lock held.
    package func finish() {
        if isReported.load(ordering: .acquiring), let recovery = takeRecovery() { feed.report(recovery) }
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
                attempt(write, after: min(pause * 2, Self.longestPause), failure: failure)
            } catch {
                let error = SettingsError.wrap(error, as: .notSaved, store: description)
                if error.code != failure { feed.report(error) }
                attempt(write, after: Self.failurePause, failure: error.code)
            }
        }
    }
}
