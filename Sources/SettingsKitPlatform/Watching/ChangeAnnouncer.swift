import Dispatch
import Synchronization

/// Announces changes to other processes, by touching a file that they watch.
///
/// A change after a pause is announced immediately, by the thread that made it: waking another thread takes as long as touching
/// the file. Later changes are announced together, once in each pause, in the background.
package final class ChangeAnnouncer: Sendable {
    private let pause: Duration
    private let touch: @Sendable () -> Void
    /// Polling may call listeners, for which an announcement should not wait, so it does not use the same queue.
    private let queue = BackgroundQueue()
    /// Whether the next announcement is scheduled. It covers every change until then.
    private let isDue = Atomic(false)
    private let nextMoment = Mutex(DispatchTime.now(), .leaf)

    /// - Parameters:
    ///   - pause: The time between two announcements.
    ///   - touch: Touches the file. Called on the thread that made a change, or in the background.
    package init(pause: Duration, touch: @escaping @Sendable () -> Void) {
        self.pause = pause
        self.touch = touch
    }

    /// Announces a change. Takes no lock if another announcement is due.
    ///
    /// - Returns: whether no other announcement was due.
    @discardableResult
    package func announce() -> Bool {
        if isDue.load(ordering: .relaxed) { return false }
        if isDue.exchange(true, ordering: .acquiringAndReleasing) { return false }
        let moment = nextMoment.withLock { $0 }
        if moment <= .now() {
            makeAnnouncement()
        } else {
            queue.async(at: moment) { [weak self] in self?.makeAnnouncement() }
        }
        return true
    }

    private func makeAnnouncement() {
        nextMoment.withLock { $0 = .now() + pause }
        // Cleared before the file is touched, so that the next change is announced again.
        isDue.store(false, ordering: .sequentiallyConsistent)
        touch()
    }
}
