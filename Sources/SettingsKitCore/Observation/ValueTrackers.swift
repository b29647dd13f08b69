import Synchronization

/// Notifies the trackers of a ``TrackedValue`` of each change, also those that are installed after it.
///
/// `withObservationTracking` notes what its closure reads, but installs its tracker only when the closure returns. A change
/// in between finds no tracker to notify, and nothing signals the installation. So the trackers that may have missed a
/// change are notified again, with growing pauses.
///
/// ## Which trackers are notified again
/// Trackers belong to generations: a tracker joins the current generation when it reads, and a change retires that
/// generation. A retired generation is notified at once, after each of ``pauses``, and at each later change. A tracker that
/// has read the new value is in a later generation, so only trackers that missed the change are notified again.
///
/// The rule rests on one invariant: a read joins the current generation before it reads the value. Every change that the
/// read has not seen is therefore delivered after that, and the generation is retired by then. A tracker whose generation is
/// retired during the read may have read the new value, and is notified all the same. It does not join another generation,
/// because the Observation framework may notify a tracker of two registrars twice. Where nothing was read since the last
/// change, there is no current generation to retire.
///
/// ## What depends on marks
/// One registrar for a value is not enough: a repeated notification would reach the trackers that have read the new value,
/// too. That no change is missed depends on the generations alone, and each of them is a plain registrar. ``TrackingMark``
/// adds two things. A value that no tracker reads has no listener and no task. And a tracker that the framework has kept,
/// which each call of `willSet` reaches from then on, is not notified by each repetition: without marks, twelve threads
/// bring about trackers that are notified hundreds of times.
///
/// ## Bounds
/// - A tracker ends on the stored value if it is installed within 1.9 seconds (the sum of the pauses) of the change that
///   it missed. A later one is notified with the next change.
/// - A generation that was retired longer ago is used again, unless it is spent. When there is none, because a value changes
///   and is read more than ``generationLimit`` times in 1.9 seconds, the oldest one is. Its trackers may then be notified up
///   to ten times of a value that they have read.
/// - A change begins a sleeping task. That of the change before ends when it wakes. A task keeps nothing alive.
@usableFromInline final class ValueTrackers: Sendable {
    /// How long to wait before the retired generations are notified again, each time.
    private static let pauses: [Duration] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].map { .milliseconds($0) }
    private static let period = pauses.reduce(.zero, +)
    private static let generationLimit = 16

    private struct State {
        /// The generations to notify, the one that was retired first at the beginning.
        var retired: [(generation: TrackerGeneration, time: ContinuousClock.Instant)] = []
        /// The number of the last change that has retired a generation.
        var change = 0
        /// Whether the retired generations are to be notified, and whether a thread does that.
        var isDue = false
        var isNotifying = false
    }

    /// The generation that readers join; nil if nothing was read since the last change. Like the retired ones, it is not
    /// released before `deinit`, because a reader that was interrupted may be about to use it.
    @usableFromInline let current = Atomic<Unmanaged<TrackerGeneration>?>(nil)
    @usableFromInline let presence = TrackerPresence()
    private let state = Mutex(State(), .leaf)
    private let usesMarks: Bool

    /// - Parameter usesMarks: Whether marks tell trackers from other readers.
    init(usesMarks: Bool = true) { self.usesMarks = usesMarks }

    deinit { current.load(ordering: .acquiring)?.release() }

    // MARK: Reading

    /// Has the calling tracker, if there is one, join the current generation.
    ///
    /// - Returns: Whether changes are received, if it was a tracker that has read.
    @inlinable @inline(__always) func noteRead() -> Bool {
        let generation = current.load(ordering: .acquiring) ?? beginGeneration()
        generation._withUnsafeGuaranteedRef { $0.noteRead() }
        return !Unmanaged.passUnretained(presence)._withUnsafeGuaranteedRef { $0.needsChanges }
    }

    @usableFromInline @inline(never) func beginGeneration() -> Unmanaged<TrackerGeneration> {
        // Checked at the first read by a handle: not each program has one.
        let usesMarks = usesMarks && TrackingMark.areReliable
        if !usesMarks { presence.noteTracker() }
        return state.withLock { state in
            if let current = current.load(ordering: .acquiring) { return current }
            let generation = Self.takeGeneration(from: &state) ?? TrackerGeneration(presence, usesMarks: usesMarks)
            let new = Unmanaged.passRetained(generation)
            current.store(new, ordering: .releasing)
            return new
        }
    }

    /// A generation that need not be notified any more; or, beyond the limit, the oldest one; nil for a new one.
    private static func takeGeneration(from state: inout State) -> TrackerGeneration? {
        let usable = state.retired.filter { !$0.generation.isSpent }
        guard let (oldest, time) = usable.first else { return nil }
        if time.duration(to: .now) > period {
            state.retired.removeAll { $0.generation === oldest }
            return oldest
        }
        return usable.count < generationLimit ? nil : oldest
    }

    /// Notes that changes are received.
    ///
    /// - Returns: False if that was noted before.
    func noteListening() -> Bool {
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
            for pause in Self.pauses {
                do { try await Task.sleep(for: pause) } catch { return }
                guard let self, notifyAgain(after: change) else { return }
            }
        }
    }

    /// Notifies the retired generations again.
    ///
    /// - Returns: False if another change has retired a generation since, and so does that.
    private func notifyAgain(after change: Int) -> Bool {
        let isLast = state.withLock { state in
            state.isDue = state.isDue || state.change == change
            return state.change == change
        }
        notifyRetired()
        return isLast
    }

    /// Notifies the retired generations if that is due: one thread at a time, because the Observation framework removes a
    /// tracker after it has notified it. If another thread is notifying, it does it again.
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
