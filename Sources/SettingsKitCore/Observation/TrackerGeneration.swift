import Observation
import Synchronization

/// The trackers that have read a value between two of its changes.
@usableFromInline final class TrackerGeneration: Observable, Sendable {
    @usableFromInline let registrar = ObservationRegistrar()
    /// Evaluating a key path literal for each read would cost more than the rest of the read.
    @usableFromInline let keyPath: KeyPath<TrackerGeneration, Void> & Sendable

    /// - Parameter mark: Notes that the first tracker has read the value.
    init(_ mark: TrackingMark) { keyPath = \.[mark] }

    /// Stands for the tracked value, which has no storage here.
    @usableFromInline subscript(mark: TrackingMark) -> Void { () }

    /// Notes that the calling tracker, if there is one, has read the value.
    @inlinable @inline(__always) func noteRead() { registrar.access(self, keyPath: keyPath) }

    /// Notifies the trackers that are installed. The Observation framework then removes them.
    func notify() { registrar.withMutation(of: self, keyPath: keyPath) {} }
}

/// Notes that a value was read by a tracker, so that values which are only read cost nothing when they change.
///
/// The Observation framework does not say whether a tracker is reading. But it keeps the key paths that a tracker has
/// read in a set, so it hashes them, and a key path hashes its arguments. A mark is the argument of such a key path.
/// ``recognizesTrackers`` checks this once in each process; where it does not hold, every reader counts as a tracker.
@usableFromInline final class TrackingMark: Hashable, Sendable {
    /// What is known of the readers of a value.
    @usableFromInline enum Readers: UInt8, AtomicRepresentable, Sendable {
        /// No tracker has read the value.
        case untracked
        /// A tracker has read it, and does not yet receive its changes.
        case unheard
        /// Trackers receive its changes.
        case tracked
    }

    @usableFromInline let readers: Atomic<Readers>

    init(_ readers: Readers = .untracked) { self.readers = Atomic(readers) }

    /// Whether a tracker has to be connected with the changes of the value.
    @inlinable @inline(__always) var needsChanges: Bool { readers.load(ordering: .acquiring) == .unheard }

    /// Whether the Observation framework hashes a key path that a tracker reads.
    static let recognizesTrackers: Bool = {
        let mark = TrackingMark()
        let generation = TrackerGeneration(mark)
        withObservationTracking {
            generation.noteRead()
        } onChange: {
        }
        return mark.needsChanges
    }()

    @usableFromInline func hash(into hasher: inout Hasher) {
        _ = readers.compareExchange(expected: .untracked, desired: .unheard, ordering: .acquiringAndReleasing)
        hasher.combine(ObjectIdentifier(self))
    }

    @usableFromInline static func == (mark: TrackingMark, other: TrackingMark) -> Bool { mark === other }
}
