import Synchronization

/// Notifies the trackers of a ``TrackedValue`` of each change, including trackers that are installed after it.
///
/// `withObservationTracking` records the reads of its closure, but installs its tracker only when the closure returns. A change in
/// between finds no tracker to notify, and nothing signals the installation. So the trackers that may have missed a change are
/// notified again, with growing pauses.
///
/// ## Which trackers are notified again
/// Trackers belong to generations: a tracker joins the current generation when it reads, and a change retires that
/// generation. A retired generation is notified at once, after each of ``CoreTimings/trackerPauses``, and at each later change. A
/// tracker that has read the new value is in a later generation, so only trackers that missed the change are notified again.
///
/// The rule rests on one invariant: a read joins the current generation before it reads the value. Every change that the read has
/// not seen is therefore delivered after that, and retires the generation. A tracker whose generation is retired during the read
/// may have read the new value, and is still notified. It does not join another generation, because the Observation framework may
/// notify a tracker of two registrars twice. If nothing was read since the last change, there is no current generation to retire.
///
/// ## What depends on marks
/// One registrar for a value is not enough: a repeated notification would also reach the trackers that have read the new value. The
/// generations alone ensure that no change is missed, and each of them is a plain registrar. ``TrackingMark`` adds two things. A
/// value without trackers has no listener and no task. And a tracker that the framework has kept, and that each call of `willSet`
/// reaches from then on, is not notified by each repetition. Without marks, twelve threads produce trackers that are notified
/// hundreds of times.
///
/// ## Bounds
/// - A tracker ends on the stored value if it is installed within 1.9 seconds (the sum of the pauses) of the change that
///   it missed. A later one is notified with the next change.
/// - A generation that was retired longer ago is used again, unless it is spent. If there is none, because a value changes and is
///   read more than ``CoreLimits/trackerGenerations`` times in 1.9 seconds, the oldest one is used. Its trackers may then be
///   notified up to ten times of a value that they have read.
/// - A change starts a sleeping task. The task of the change before ends when it wakes. A task keeps nothing alive.
@usableFromInline final class ValueTrackers: Sendable {
    private static let period = CoreTimings.trackerPauses.reduce(.zero, +)

    private struct State {
        /// The generations to notify, in the order in which they were retired.
        var retired: [(generation: TrackerGeneration, time: ContinuousClock.Instant)] = []
        /// The number of the last change that retired a generation.
        var change = 0
        /// Whether the retired generations are to be notified, and whether a thread is notifying them.
        var isDue = false
        var isNotifying = false
    }

    /// The generation that readers join; nil if nothing was read since the last change. Like the retired ones, it is not
    /// released before `deinit`, because a reader that was interrupted may be about to use it.
    @usableFromInline let current = Atomic<Unmanaged<TrackerGeneration>?>(nil)
    @usableFromInline let presence = TrackerPresence()
    private let state = Mutex(State(), .leaf)
    private let usesMarks: Bool

    /// - Parameter usesMarks: Whether marks distinguish trackers from other readers.
    init(usesMarks: Bool = true) { self.usesMarks = usesMarks }

    deinit { current.load(ordering: .acquiring)?.release() }

    // MARK: Reading

    /// Makes the calling tracker, if there is one, join the current generation.
    ///
    /// - Returns: Whether the value listens to changes, if a tracker has read.
    @inlinable @inline(__always) func recordRead() -> Bool {
        let generation = current.load(ordering: .acquiring) ?? beginGeneration()
        generation._withUnsafeGuaranteedRef { $0.recordRead() }
        return !Unmanaged.passUnretained(presence)._withUnsafeGuaranteedRef { $0.needsChanges }
    }

    @usableFromInline @inline(never) func beginGeneration() -> Unmanaged<TrackerGeneration> {
        // Checked at the first read by a handle, because many programs have none.
        let usesMarks = usesMarks && TrackingMark.areReliable
        if !usesMarks { presence.recordTracker() }
        return state.withLock { state in
            if let current = current.load(ordering: .acquiring) { return current }
            let generation = Self.reusableGeneration(from: &state) ?? TrackerGeneration(presence, usesMarks: usesMarks)
            let new = Unmanaged.passRetained(generation)
            current.store(new, ordering: .releasing)
            return new
        }
    }

    /// Removes and returns a generation that need not be notified any longer, or the oldest one beyond the limit; nil for a new
    /// one.
    private static func reusableGeneration(from state: inout State) -> TrackerGeneration? {
        let usable = state.retired.filter { !$0.generation.isSpent }
        guard let (oldest, time) = usable.first else { return nil }
        if time.duration(to: .now) > period {
            state.retired.removeAll { $0.generation === oldest }
            return oldest
        }
        return usable.count < CoreLimits.trackerGenerations ? nil : oldest
    }

    /// Records that the value listens to changes.
    ///
    /// - Returns: False if that was recorded before.
    func recordListening() -> Bool {
        presence.readers.exchange(.tracked, ordering: .acquiringAndReleasing) != .tracked
    }

    // MARK: Notifying

    /// Notifies the trackers that the value has changed. Called after the new value can be read, with no lock held.
    func notify() {
        let change = state.withLock { state -> Int? in
            state.isDue = true
            let current = current.exchange(nil, ordering: .acquiringAndReleasing)
            guard let generation = current?.takeRetainedValue() else { return nil }
            state.retired.removeAll { $0.generation === generation }
            state.retired.append((generation, .now))
            state.change += 1
            return state.change
        }
        notifyRetired()
        guard let change else { return }
        Task.detached { [weak self] in
            for pause in CoreTimings.trackerPauses {
                do { try await Task.sleep(for: pause) } catch { return }
                guard let self, notifyAgain(after: change) else { return }
            }
        }
    }

    /// Notifies the retired generations again.
    ///
    /// - Returns: False if another change has retired a generation since: its task then does it.
    private func notifyAgain(after change: Int) -> Bool {
        let isLast = state.withLock { state in
            state.isDue = state.isDue || state.change == change
            return state.change == change
        }
        notifyRetired()
        return isLast
    }

    /// Notifies the retired generations if that is due. One thread at a time does so, because the Observation framework removes a
    /// tracker after it has notified it. If another thread is notifying, that thread notifies them again.
    private func notifyRetired() {
        while let retired = state.withLock({ Self.beginNotifying(&$0) }) {
            for generation in retired { generation.notify() }
            state.withLock { $0.isNotifying = false }
        }
    }

    private static func beginNotifying(_ state: inout State) -> [TrackerGeneration]? {
        guard state.isDue, !state.isNotifying else { return nil }
        (state.isDue, state.isNotifying) = (false, true)
        return state.retired.map(\.generation)
    }
}
