import Observation
import Synchronization

/// The trackers that have read a value between two of its changes: an observable object without storage.
///
/// ## At most one notification
/// The Observation framework of Swift 6.3 removes a tracker after it has notified it, but not if the notification arrives
/// while the tracker is being installed: it then keeps the tracker in the registrar, and notifies it at every later change,
/// as it does with any `@Observable` class. So a generation notifies its registrar only if a tracker has joined or was
/// installed since, and one whose registrar has kept a tracker is not used again. A kept tracker is notified again only
/// after others are removed from its generation: the framework looks for the key path then, too.
@usableFromInline final class TrackerGeneration: Observable, Sendable {
    @usableFromInline let registrar = ObservationRegistrar()
    /// Stored, because evaluating a key path literal for each read would cost more than the rest of the read.
    @usableFromInline let keyPath: KeyPath<TrackerGeneration, Void> & Sendable
    /// The mark that is sought when the framework records a tracker's read, and installs or removes a tracker.
    let trackers: TrackingMark
    /// The mark that is sought only when this generation notifies.
    private let notifications: TrackingMark
    private let notifyingKeyPath: KeyPath<TrackerGeneration, Void> & Sendable
    private let usesMarks: Bool
    private let keepsTracker = Atomic(false)

    /// - Parameters:
    ///   - presence: Records that the first tracker has read the value.
    ///   - usesMarks: Whether trackers are notified only if the framework has looked for the key path.
    init(_ presence: TrackerPresence, usesMarks: Bool) {
        self.usesMarks = usesMarks
        trackers = TrackingMark(presence)
        notifications = TrackingMark(notifying: trackers)
        keyPath = \.[trackers]
        notifyingKeyPath = \.[notifications]
    }

    /// Represents the tracked value.
    @usableFromInline subscript(mark: TrackingMark) -> Void { () }

    /// Records that the calling tracker, if there is one, has read the value.
    @inlinable @inline(__always) func recordRead() { registrar.access(self, keyPath: keyPath) }

    /// Whether the framework has kept a notified tracker, which another notification would reach again.
    var isSpent: Bool { keepsTracker.load(ordering: .acquiring) }

    /// Notifies the installed trackers. The Observation framework then removes them.
    ///
    /// Called by one thread at a time.
    func notify() {
        guard trackers.isSought || !usesMarks else { return }
        HeldLocks.requireNone(before: "an observation tracker")
        notifications.forgetOriginal(by: { registrar.willSet(self, keyPath: notifyingKeyPath) })
        registrar.didSet(self, keyPath: notifyingKeyPath)
        // A registrar without trackers seeks nothing.
        keepsTracker.store(notifications.isSought, ordering: .releasing)
    }
}
