import SettingsKitPlatform
import Synchronization

/// Ends one access early if its task is cancelled, and limits how long it waits for others.
///
/// Each access has separate limits, so an access that has ended is never confused with the next one on its connection.
final class AccessLimits: Sendable {
    /// The end of all waiting; nil if each wait has the full time-out.
    let deadline: Deadline?
    private let hasBeenCancelled = Atomic(false)

    init(deadline: Deadline? = nil) { self.deadline = deadline }

    var isCancelled: Bool { hasBeenCancelled.load(ordering: .acquiring) }

    func requireNotCancelled() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Interrupts SQLite's work for the access, now and later.
    func cancel() { hasBeenCancelled.store(true, ordering: .releasing) }
}
