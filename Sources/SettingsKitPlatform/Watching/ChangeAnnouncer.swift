import Synchronization

/// Announces changes to other processes, by touching a file that they watch.
///
/// The first change is announced at once, in the background, since touching a file takes as long as storing a value. Of the
/// changes after it, one announcement is made at each pause.
package final class ChangeAnnouncer: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        /// Every change was announced.
        case announced
        /// Every change was announced, within the last pause.
        case announcedNow
        /// The last change was not announced.
        case due
    }

    private let pause: Duration
    private let touch: @Sendable () -> Void
    /// Polling may call listeners, for which an announcement should not wait, so it does not use the same queue.
    private let queue = BackgroundQueue()
    private let state = Atomic(State.announced)

    /// - Parameters:
    ///   - pause: The time between two announcements.
    ///   - touch: Touches the file.
    package init(pause: Duration, touch: @escaping @Sendable () -> Void) {
        self.pause = pause
        self.touch = touch
    }

    /// Announces a change. Takes no lock if another announcement is due.
    ///
    /// - Returns: whether it is the first change after a pause.
    @discardableResult
    package func announce() -> Bool {
        guard queue.isRunning else {
            // The child of a fork has no background.
            touch()
            return false
        }
        if state.load(ordering: .relaxed) == .due { return false }
        guard state.exchange(.due, ordering: .acquiringAndReleasing) == .announced else { return false }
        queue.async { [weak self] in self?.makeAnnouncement() }
        return true
    }

    private func makeAnnouncement() {
        state.store(.announcedNow, ordering: .sequentiallyConsistent)
        touch()
        queue.async(after: pause) { [weak self] in
            guard let self else { return }
            let (isDone, _) = state.compareExchange(
                expected: .announcedNow, desired: .announced, ordering: .acquiringAndReleasing)
            if !isDone { makeAnnouncement() }
        }
    }
}
