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

/// Notes that the Observation framework has looked for a key path.
///
/// The framework says neither whether a tracker is reading nor when it is installed. But it keeps the key paths that a
/// tracker has read in a set, and its trackers in a dictionary by key path. So it hashes them, and a key path hashes its
/// arguments. A mark is the argument of such a key path. ``showsTrackers`` and ``showsInstallation`` check this once in each
/// process. Where it does not hold, every reader counts as a tracker, and every generation is notified each time.
@usableFromInline final class TrackingMark: Hashable, Sendable {
    private let sought = Atomic(false)
    private let presence: TrackerPresence?
    /// The mark that this one equals, if it is not the first of its kind.
    private let original: TrackingMark?
    /// Whether the next search begins a notification.
    private let isNotifying = Atomic(false)

    init(_ presence: TrackerPresence) { (self.presence, original) = (presence, nil) }

    init(equalTo mark: TrackingMark) { (presence, original) = (nil, mark) }

    private var identity: ObjectIdentifier { ObjectIdentifier(original ?? self) }

    /// Whether the framework has looked for the key path since this was last forgotten.
    var isSought: Bool { sought.load(ordering: .acquiring) }

    func forget() { sought.store(false, ordering: .releasing) }

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

    /// Whether the framework looks for the key path that a tracker reads.
    static var showsTrackers: Bool { shown.reading }

    /// Whether the framework looks for it again when it installs the tracker.
    static var showsInstallation: Bool { shown.installation }

    private static let shown: (reading: Bool, installation: Bool) = {
        let generation = TrackerGeneration(TrackerPresence())
        let reading = withObservationTracking {
            generation.noteRead()
            defer { generation.trackers.forget() }
            return generation.trackers.isSought
        } onChange: {
        }
        return (reading, generation.trackers.isSought)
    }()

    @usableFromInline func hash(into hasher: inout Hasher) {
        sought.store(true, ordering: .releasing)
        if isNotifying.exchange(false, ordering: .acquiringAndReleasing) { original?.forget() }
        presence?.noteTracker()
        hasher.combine(identity)
    }

    @usableFromInline static func == (mark: TrackingMark, other: TrackingMark) -> Bool {
        mark.identity == other.identity
    }
}
