import Observation
import Synchronization

/// Records whether trackers read a value, so that a change of a value without trackers needs no notification.
@usableFromInline final class TrackerPresence: Sendable {
    /// The kinds of readers that a value has.
    @usableFromInline enum Readers: UInt8, AtomicRepresentable, Sendable {
        /// No tracker has read the value.
        case untracked
        /// A tracker has read it, and does not yet receive its changes.
        case unheard
        /// Trackers receive its changes.
        case tracked
    }

    @usableFromInline let readers = Atomic(Readers.untracked)

    /// Whether a tracker must be connected with the changes of the value.
    @inlinable @inline(__always) var needsChanges: Bool { readers.load(ordering: .acquiring) == .unheard }

    /// Records that a tracker reads the value, or may do so.
    func recordTracker() {
        _ = readers.compareExchange(expected: .untracked, desired: .unheard, ordering: .acquiringAndReleasing)
    }
}

/// Records that the Observation framework looks for a key path.
///
/// The framework does not announce that a tracker reads or that it is installed. But it then looks for the key path in a set and in
/// a dictionary, and a key path hashes its arguments. A mark is such an argument. It only saves work: if ``areReliable`` is false,
/// every reader counts as a tracker, and every generation is notified each time.
///
/// All marks are equal, because a registrar has one property.
@usableFromInline final class TrackingMark: Hashable, Sendable {
    private let sought = Atomic(false)
    private let presence: TrackerPresence?
    /// The mark that trackers read, if this one notifies them.
    private let original: TrackingMark?
    /// Whether the next search begins a notification.
    private let isNotifying = Atomic(false)

    /// - Parameter presence: Records that the framework has looked for the key path.
    init(_ presence: TrackerPresence) { (self.presence, original) = (presence, nil) }

    /// - Parameter mark: The mark that trackers read.
    init(notifying mark: TrackingMark) { (presence, original) = (nil, mark) }

    /// Whether the framework has looked for the key path since the last reset.
    var isSought: Bool { sought.load(ordering: .acquiring) }

    /// Resets ``isSought``.
    ///
    /// - Returns: The value before.
    @discardableResult
    func forget() -> Bool { sought.exchange(false, ordering: .acquiringAndReleasing) }

    /// Calls `notify`, in which the framework looks for this key path if it has trackers, and removes them.
    ///
    /// The original mark is reset at that moment, inside the framework's lock. A tracker that is installed later sets it again; one
    /// that was installed before, and is removed now, does not.
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
            generation.recordRead()
            return generation.trackers.forget()
        } onChange: {
        }
        return isSoughtByRead && generation.trackers.isSought
    }()

    @usableFromInline func hash(into hasher: inout Hasher) {
        sought.store(true, ordering: .releasing)
        if isNotifying.exchange(false, ordering: .acquiringAndReleasing) { original?.forget() }
        presence?.recordTracker()
    }

    @usableFromInline static func == (mark: TrackingMark, other: TrackingMark) -> Bool { true }
}
