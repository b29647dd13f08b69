import Synchronization

/// Notifies the trackers of a ``TrackedValue`` of each change, also those that are installed after it.
///
/// `withObservationTracking` notes what its closure reads, but installs its tracker only when the closure returns. A change
/// in between finds no tracker to notify, and nothing signals the installation. So the trackers that may have missed a
/// change are notified again, with growing pauses.
///
/// ## Which trackers are notified again
/// Trackers belong to generations: a tracker joins the current generation when it reads, and a change retires that
/// generation. The retired generation is notified at once, and again after each of ``pauses``. A tracker that has read the
/// new value is in a later generation, so only trackers that missed the change are notified again.
///
/// The rule rests on one invariant: a read joins the current generation before it reads the value. Every change that the
/// read has not seen is therefore delivered after that, and the generation is retired by then. A tracker whose generation is
/// retired during the read may have read the new value, and is notified all the same. It does not join another generation,
/// because the Observation framework may notify a tracker of two registrars twice. Where nothing was read since the last
/// change, there is no current generation, and a change costs one lock.
///
/// ## Bounds
/// - A tracker ends on the stored value if it is installed within 1.9 seconds (the sum of the pauses) of the change that
///   it missed. A later one is notified with the next change that retires a generation.
/// - A generation that was notified for the last time is used again, unless it is spent. When none is free, because a value changes and is
///   read more than ``generationLimit`` times in 1.9 seconds, the oldest retired one is. Its trackers may then be
///   notified up to ten times of a value that they have read.
/// - One sleeping task notifies all generations of a value, and ends when none is left. It keeps nothing alive.
@usableFromInline final class ValueTrackers: Sendable {
    /// How long to wait before a retired generation is notified again, each time.
    private static let pauses: [Duration] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].map { .milliseconds($0) }
    private static let generationLimit = 16

    fileprivate struct Member {
        let generation: TrackerGeneration
        /// When it is notified next, and how many pauses it has behind it then; nil after the last time.
        var next: (due: ContinuousClock.Instant, pause: Int)?
    }

    fileprivate struct State {
        /// In the order of their retirement, the oldest first. None is released before `deinit`, because a reader that was
        /// interrupted may be about to use it.
        var members: [Member] = []
        /// The task that notifies them, and when it wakes; only the task with the newest number continues.
        var task = 0
        var wakes: ContinuousClock.Instant?
        /// The generations to notify next, and whether a thread notifies them.
        var waiting: [TrackerGeneration] = []
        var isNotifying = false
    }

    /// The generation that readers join; nil if nothing was read since the last change.
    @usableFromInline let current = Atomic<Unmanaged<TrackerGeneration>?>(nil)
    @usableFromInline let presence = TrackerPresence()
    private let state = Mutex(State(), .leaf)

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
        if !TrackingMark.showsTrackers { presence.noteTracker() }
        return state.withLock { state in
            if let current = current.load(ordering: .acquiring) { return current }
            let new = Unmanaged.passUnretained(state.takeGeneration(limit: Self.generationLimit, presence))
            current.store(new, ordering: .releasing)
            return new
        }
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
        let task = state.withLock { state -> Int? in
            guard let retired = current.exchange(nil, ordering: .acquiringAndReleasing)?.takeUnretainedValue() else {
                return nil
            }
            let due = ContinuousClock.now + Self.pauses[0]
            state.waiting.append(retired)
            return state.retire(retired, due: due)
        }
        notifyWaiting()
        if let task { begin(task) }
    }

    /// Notifies the waiting generations, one after the other: the Observation framework removes a tracker after it has
    /// notified it, so that two threads at once would notify it twice. If another thread is notifying, it takes them over.
    private func notifyWaiting() {
        while let generation = state.withLock({ $0.beginNotifying() }) {
            generation.notify()
            state.withLock { $0.isNotifying = false }
        }
    }

    private func begin(_ task: Int) {
        Task.detached { [weak self] in
            var pause = Self.pauses[0]
            while true {
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    return
                }
                guard let next = self?.notifyAgain(in: task) else { return }
                pause = next
            }
        }
    }

    /// Notifies every generation whose time has come.
    ///
    /// - Returns: how long the task is to sleep; nil if it is no longer needed.
    private func notifyAgain(in task: Int) -> Duration? {
        let pause = state.withLock { state -> Duration? in
            guard state.task == task else { return nil }
            let now = ContinuousClock.now
            state.waiting += state.takeDue(at: now, current: current.load(ordering: .relaxed)?.toOpaque(), Self.pauses)
            return state.wakes.map { now.duration(to: $0) }
        }
        notifyWaiting()
        return pause
    }
}

extension ValueTrackers.State {
    /// Takes the generation to notify next; nil if there is none, or if a thread is notifying.
    fileprivate mutating func beginNotifying() -> TrackerGeneration? {
        guard !isNotifying, !waiting.isEmpty else { return nil }
        isNotifying = true
        return waiting.removeFirst()
    }

    /// A generation that need not be notified any more; a new one; or, beyond the limit, the one that was retired first.
    fileprivate mutating func takeGeneration(limit: Int, _ presence: TrackerPresence) -> TrackerGeneration {
        let usable = members.lazy.filter { !$0.generation.isSpent }
        if let free = usable.first(where: { $0.next == nil }) { return free.generation }
        if usable.count >= limit, let oldest = usable.first { return oldest.generation }
        members.append(.init(generation: TrackerGeneration(presence)))
        return members[members.count - 1].generation
    }

    /// Notes that a generation is to be notified again.
    ///
    /// - Returns: the number of the task to begin; nil if the task that is under way wakes in time.
    fileprivate mutating func retire(_ generation: TrackerGeneration, due: ContinuousClock.Instant) -> Int? {
        if let index = members.firstIndex(where: { $0.generation === generation }) { members.remove(at: index) }
        members.append(.init(generation: generation, next: (due, 0)))
        if let wakes, wakes <= due { return nil }
        wakes = due
        task += 1
        return task
    }

    /// The generations to notify: those whose time has come, and with them all that are retired, for trackers that were
    /// installed after the last time.
    fileprivate mutating func takeDue(
        at now: ContinuousClock.Instant, current: UnsafeMutableRawPointer?, _ pauses: [Duration]
    ) -> [TrackerGeneration] {
        var due: [TrackerGeneration] = []
        for index in members.indices {
            let member = members[index]
            let isDue = member.next.map { $0.due <= now } ?? false
            if isDue || Unmanaged.passUnretained(member.generation).toOpaque() != current {
                due.append(member.generation)
            }
            guard isDue, let pause = member.next.map({ $0.pause + 1 }) else { continue }
            members[index].next = pause < pauses.count ? (now + pauses[pause], pause) : nil
        }
        wakes = members.compactMap { $0.next?.due }.min()
        return due
    }
}
