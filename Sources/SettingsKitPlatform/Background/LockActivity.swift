import Synchronization

/// Asks the system not to suspend the process for a moment.
package protocol SuspensionControl: Sendable {
    /// Asks the system not to suspend the process until ``end(_:)``. Returns at once.
    ///
    /// - Parameters:
    ///   - activity: The number of the activity, which is not used twice.
    ///   - answer: Called with true when the system agrees, and with false when it refuses or ends the activity. On any thread;
    ///     both calls may come, the second one even before the first.
    func begin(_ activity: Int, answer: @escaping @Sendable (_ isGranted: Bool) -> Void)
    /// Ends an activity, also one that was refused.
    func end(_ activity: Int)
}

/// Keeps the process from being suspended while it holds locks on files.
///
/// iOS ends an app that is suspended while it holds a lock on a file in the container of an app group, because other processes
/// would wait for that lock (0xdead10cc). So the system is asked for time before a lock is taken, and an activity ends after the
/// last lock was released.
///
/// Asking takes much longer than setting a value. So one activity covers all locks until none has been held for ``lingering``: a
/// lock costs a look at a counter, and a program that sets values all the time asks once. A caller that sets a value does not
/// wait for the system's answer; its lock is held for microseconds. Background work takes longer, and can wait: it begins when
/// the system has agreed. If the system refuses, the work is done later, and nothing is lost: the values are in the log.
package final class LockActivity: Sendable {
    /// The activity of this process. Nil where the system does not suspend processes.
    package static let shared: LockActivity? = system.map { LockActivity($0) }

    fileprivate enum Answer {
        case pending, granted
        /// The system refuses the activity, or ends it.
        case refused
    }

    fileprivate struct State {
        /// The number of locks that are held or being taken.
        var locks = 0
        /// The files that are locked, by their descriptors.
        var locked: Set<Int32> = []
        /// The current activity.
        var activity: (number: Int, answer: Answer)?
        var lastNumber = 0
        /// Counts the uses of locks, to detect one since an earlier moment.
        var useCount = 0
        var isEndScheduled = false
        /// The work that waits for the answer.
        var waiting: [@Sendable (_ isGranted: Bool) -> Void] = []
    }

    private let control: any SuspensionControl
    private let lingering: Duration
    private let queue = BackgroundQueue()
    private let state = Mutex(State(), .leaf)

    /// - Parameter lingering: How long after the last lock an activity ends.
    package init(_ control: any SuspensionControl, lingering: Duration = PlatformTimings.lockLingering) {
        self.control = control
        self.lingering = lingering
    }

    // MARK: Locks

    /// Takes a lock on a file.
    ///
    /// - Parameter take: Takes the lock. Returns false if another process has it.
    func lock(_ descriptor: Int32, _ take: () throws(SystemError) -> Bool) throws(SystemError) -> Bool {
        begin()
        do throws(SystemError) {
            guard try take() else {
                end()
                return false
            }
        } catch {
            end()
            throw error
        }
        // A file has one lock, which may already be counted.
        if !state.withLock({ $0.locked.insert(descriptor).inserted }) { end() }
        return true
    }

    /// Releases the lock on a file, if it has one.
    ///
    /// - Parameter release: Releases it.
    func unlock(_ descriptor: Int32, _ release: () -> Void) {
        // The descriptor is removed first: another thread may get the number when the file is closed.
        let isLocked = state.withLock { $0.locked.remove(descriptor) != nil }
        release()
        if isLocked { end() }
    }

    /// Begins to hold locks that ``lock(_:_:)`` does not take.
    package func begin() {
        if let new = state.withLock({ $0.begin() }) { ask(new) }
    }

    /// Ends ``begin()``.
    package func end() {
        let (ended, mustSchedule) = state.withLock { state in
            state.locks -= 1
            if let refused = state.endIfRefused() { return (refused as Int?, false) }
            guard state.locks == 0, state.activity != nil, !state.isEndScheduled else { return (nil, false) }
            state.isEndScheduled = true
            return (nil, true)
        }
        if let ended { control.end(ended) }
        if mustSchedule { scheduleEnd() }
    }

    // MARK: Work in the background

    /// Begins work that takes locks, when the system has agreed that the process continues. ``end()`` ends it, also if the system
    /// has refused.
    ///
    /// - Parameter body: Called once, on any thread. With false if the system refuses: the work must wait, and ends.
    package func beginWork(_ body: @escaping @Sendable (_ mayLock: Bool) -> Void) {
        let (new, answer) = state.withLock { state in
            let new = state.begin()
            let answer = state.activity?.answer ?? .pending
            if answer == .pending { state.waiting.append(body) }
            return (new, answer)
        }
        if let new { ask(new) }
        if answer != .pending { body(answer == .granted) }
    }

    // MARK: The system's answers

    private func ask(_ activity: Int) {
        control.begin(activity) { [weak self] isGranted in self?.receive(isGranted, of: activity) }
    }

    private func receive(_ isGranted: Bool, of activity: Int) {
        let (ended, waiting) = state.withLock { state in
            // A refusal is final.
            guard state.activity?.number == activity, state.activity?.answer != .refused else {
                return (nil as Int?, [@Sendable (Bool) -> Void]())
            }
            state.activity?.answer = isGranted ? .granted : .refused
            let waiting = state.waiting
            state.waiting = []
            return (state.endIfRefused(), waiting)
        }
        if let ended { control.end(ended) }
        for body in waiting { body(isGranted) }
    }

    /// Ends the activity after a time without locks.
    private func scheduleEnd() {
        let count = state.withLock { $0.useCount }
        queue.async(after: lingering) { [self] in
            let (ended, isUsed) = state.withLock { state in
                if state.useCount != count || state.locks > 0 { return (nil as Int?, true) }
                state.isEndScheduled = false
                return (state.removeActivity(), false)
            }
            if let ended { control.end(ended) }
            if isUsed { scheduleEnd() }
        }
    }
}

extension LockActivity.State {
    /// - Returns: The number of an activity to begin; nil if there is one.
    fileprivate mutating func begin() -> Int? {
        locks += 1
        useCount += 1
        guard activity == nil else { return nil }
        lastNumber += 1
        activity = (lastNumber, .pending)
        return lastNumber
    }

    /// - Returns: The number of the activity to end; nil if there is none.
    fileprivate mutating func removeActivity() -> Int? {
        defer { activity = nil }
        return activity?.number
    }

    fileprivate mutating func endIfRefused() -> Int? {
        locks == 0 && activity?.answer == .refused ? removeActivity() : nil
    }
}
