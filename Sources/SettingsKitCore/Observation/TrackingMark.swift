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

    @usableFromInline let readers: Atomic<Readers>

    /// - Parameter isKnown: False where every reader counts as a tracker, because trackers are not recognized.
    init(isKnown: Bool = true) { readers = Atomic(isKnown ? .untracked : .unheard) }

    /// Whether a tracker has to be connected with the changes of the value.
    @inlinable @inline(__always) var needsChanges: Bool { readers.load(ordering: .acquiring) == .unheard }

    /// Notes that a tracker reads the value.
    func noteTracker() {
        _ = readers.compareExchange(expected: .untracked, desired: .unheard, ordering: .acquiringAndReleasing)
    }
}

/// Notes that the Observation framework has looked for a key path.
///
/// The framework says neither whether a tracker is reading nor when it is installed. But it keeps the key paths that a
/// tracker has read in a set, and its trackers in a dictionary by key path. So it hashes them, and a key path hashes its
/// arguments. A mark is the argument of such a key path. ``showsTrackers`` and ``showsInstallation`` check this once in each
/// process. Where it does not hold, every reader counts as a tracker, and every generation is notified each time.
@usableFromInline final class TrackingMark: Hashable, Sendable {
    private let isSought = Atomic(false)
    private let presence: TrackerPresence?
    /// Itself, but for a mark that equals another one.
    private let original: ObjectIdentifier?

    init(_ presence: TrackerPresence) { (self.presence, original) = (presence, nil) }

    /// - Parameter mark: Lives at least as long as this one.
    init(equalTo mark: TrackingMark) { (presence, original) = (nil, ObjectIdentifier(mark)) }

    private var identity: ObjectIdentifier { original ?? ObjectIdentifier(self) }

    /// Whether the framework has looked for the key path since this was last called.
    func wasSought() -> Bool { isSought.exchange(false, ordering: .acquiringAndReleasing) }

    /// Whether the framework looks for the key path that a tracker reads.
    static var showsTrackers: Bool { shown.reading }

    /// Whether the framework looks for it again when it installs the tracker.
    static var showsInstallation: Bool { shown.installation }

    private static let shown: (reading: Bool, installation: Bool) = {
        let generation = TrackerGeneration(TrackerPresence())
        let reading = withObservationTracking {
            generation.noteRead()
            return generation.trackers.wasSought()
        } onChange: {
        }
        return (reading, generation.trackers.wasSought())
    }()

    @usableFromInline func hash(into hasher: inout Hasher) {
        isSought.store(true, ordering: .releasing)
        presence?.noteTracker()
        hasher.combine(identity)
    }

    @usableFromInline static func == (mark: TrackingMark, other: TrackingMark) -> Bool {
        mark.identity == other.identity
    }
}
