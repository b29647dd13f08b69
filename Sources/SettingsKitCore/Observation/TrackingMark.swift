import Observation
import Synchronization

/// Whether a value is read by trackers, so that values which are only read cost nothing when they change.
@usableFromInline final class TrackerPresence: Sendable {
    /// What is known of the readers of a value.
    @usableFromInline enum Readers: UInt8, AtomicRepresentable, Sendable {
        /// No tracker has read the value.
        case untracked
        /// A tracker has read it, and does not yet receive its changes.
        case unheard
        /// Trackers receive its changes.
        case tracked
    }

    @usableFromInline let readers = Atomic(Readers.untracked)

    /// Whether a tracker has to be connected with the changes of the value.
    @inlinable @inline(__always) var needsChanges: Bool { readers.load(ordering: .acquiring) == .unheard }

    /// Notes that a tracker reads the value, or may do so.
    func noteTracker() {
        _ = readers.compareExchange(expected: .untracked, desired: .unheard, ordering: .acquiringAndReleasing)
    }
}

/// Notes that the Observation framework looks for a key path.
///
/// The framework announces neither that a tracker reads nor that it is installed. But it looks for the key path then, in a
/// set and in a dictionary, and a key path hashes its arguments. A mark is such an argument. It only spares work: where
/// ``areReliable`` is false, every reader counts as a tracker, and every generation is notified each time.
///
/// All marks are equal, because a registrar has one property.
@usableFromInline final class TrackingMark: Hashable, Sendable {
    private let sought = Atomic(false)
    private let presence: TrackerPresence?
    /// The mark that trackers read, if this one notifies them.
    private let original: TrackingMark?
    /// Whether the next search begins a notification.
    private let isNotifying = Atomic(false)

    /// - Parameter presence: Notes that the framework has looked for the key path.
    init(_ presence: TrackerPresence) { (self.presence, original) = (presence, nil) }

    /// - Parameter mark: The mark that trackers read.
    init(notifying mark: TrackingMark) { (presence, original) = (nil, mark) }

    /// Whether the framework has looked for the key path since this was last forgotten.
    var isSought: Bool { sought.load(ordering: .acquiring) }

    /// Forgets that the framework has looked for the key path.
    ///
    /// - Returns: Whether it had.
    @discardableResult
    func forget() -> Bool { sought.exchange(false, ordering: .acquiringAndReleasing) }

    /// Calls `notify`, by which the framework looks for this key path if it has trackers, and takes them.
    ///
    /// At that moment, inside the framework's lock, the original is forgotten. It is sought again when a tracker is
    /// installed later, and not if one is taken that was installed before.
    func forgetOriginal(by notify: () -> Void) {
        isNotifying.store(true, ordering: .releasing)
        notify()
        isNotifying.store(false, ordering: .releasing)
        forget()
    }

    /// Whether the framework looks for the key path when a tracker reads, and again when it installs the tracker.
    static let areReliable: Bool = {
        let generation = TrackerGeneration(TrackerPresence(), usesMarks: true)
        let isSoughtByRead = withObservationTracking {
            generation.noteRead()
            return generation.trackers.forget()
        } onChange: {
        }
        return isSoughtByRead && generation.trackers.isSought
    }()

    @usableFromInline func hash(into hasher: inout Hasher) {
        sought.store(true, ordering: .releasing)
        if isNotifying.exchange(false, ordering: .acquiringAndReleasing) { original?.forget() }
        presence?.noteTracker()
    }

    @usableFromInline static func == (mark: TrackingMark, other: TrackingMark) -> Bool { true }
}
