import SettingsKitCore

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

/// The threads for the background work of all stores of the process.
///
/// One thread, the keeper, sleeps until work is due, however many stores there are. Others start when there is work, and end
/// after a second without any. At most ``PlatformLimits/backgroundWidth`` pieces of work run at once, and one more each time
/// that all of them have stalled for a while, so that work that hangs does not block other stores.
///
/// Not Dispatch: on Linux its shared threads wake the process once a second for ever, a timer wakes several threads, and serial
/// queues that become busy together get one thread each, without a limit.
final class BackgroundThreads: Sendable {
    static let shared = BackgroundThreads()

    private struct State: Sendable {
        /// The waiting work, by queue. A queue has an entry while it is in `ready` or a thread runs its work.
        var backlogs: [ObjectIdentifier: [BackgroundQueue.Work]] = [:]
        /// The queues with waiting work and without running work.
        var ready: [BackgroundQueue] = []
        var timed = TimedWorks()
        /// The monitors whose files are checked in each round.
        var rounds: [WeakReference<ChangeMonitor>] = []
        var nextRound: Deadline?
        /// All threads, including starting ones.
        var threads = 0
        /// The threads that run work or make a round.
        var busy = 0
        var running = 0
        /// The threads that wait for work, apart from the keeper.
        var idle = 0
        var hasKeeper = false
        /// The number of additional pieces of work that may run at once because others hang.
        var extraWidth = 0
        var stalledUntil: Deadline?

        /// When the next thing is due. Allocates nothing, so that a thread that waits and ends with its process has no heap.
        var nextMoment: Deadline? {
            var next = timed.firstMoment
            if let nextRound { next = min(next ?? nextRound, nextRound) }
            if let stalledUntil { next = min(next ?? stalledUntil, stalledUntil) }
            return next
        }
    }

    /// The conditions that threads wait for.
    private enum Condition {
        /// Something is due before the keeper wakes by itself.
        static var isDue: Int { 0 }
        /// There is work for another thread.
        static var hasWork: Int { 1 }
        static var count: Int { 2 }
    }

    private typealias Access = WaitableMutex<State>.Access

    private let mutex = WaitableMutex(State(), conditionCount: Condition.count)

    /// The number of threads, for tests.
    var count: Int { mutex.withLock { $0.state.threads } }

    // MARK: Adding

    func add(_ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue) {
        mutex.withLock { access in
            guard append(new, to: queue, &access) else { return }
            if access.state.idle > 0 { access.signal(Condition.hasWork) } else { wakeKeeper(&access) }
        }
    }

    func add(_ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue, at moment: Deadline) {
        mutex.withLock { access in
            let isFirst = access.state.timed.firstMoment.map { moment < $0 } ?? true
            access.state.timed.insert(TimedWork(moment: moment, queue: queue, work: new))
            if isFirst { wakeKeeper(&access) }
        }
    }

    /// Checks the files of a monitor in each round, as long as it lives.
    func addToRounds(_ monitor: ChangeMonitor) {
        mutex.withLock { access in
            access.state.rounds.append(WeakReference(monitor))
            guard access.state.nextRound == nil else { return }
            access.state.nextRound = .exact(after: PlatformTimings.roundPause)
            wakeKeeper(&access)
        }
    }

    /// - Returns: false if a thread already has the queue, and continues with it.
    @discardableResult
    private func append(
        _ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue, _ access: inout Access
    ) -> Bool {
        if access.state.backlogs[ObjectIdentifier(queue)]?.append(new) != nil { return false }
        access.state.backlogs[ObjectIdentifier(queue)] = [new]
        access.state.ready.append(queue)
        return true
    }

    /// Wakes a thread to check what is due.
    private func wakeKeeper(_ access: inout Access) {
        if access.state.hasKeeper {
            access.signal(Condition.isDue)
        } else if access.state.idle > 0 {
            access.signal(Condition.hasWork)
        } else if access.state.threads == access.state.busy {
            // No thread is about to check.
            start(&access)
        }
    }

    // MARK: Threads

    private func start(_ access: inout Access) {
        // Without a thread, the work waits until more is added and a thread can start.
        if OwnThread.start(isBackground: true, { BackgroundThreads.shared.main() }) { access.state.threads += 1 }
    }

    private func main() {
        var ended: EndedStep?
        repeat {
            ended = runStep(after: ended)
        } while ended != nil
    }

    /// The work of a thread without the lock. It is also released without the lock, because that may release the last reference
    /// to a store.
    private enum Step {
        case work(BackgroundQueue.Work, of: BackgroundQueue)
        /// Checks the files of these monitors: a few calls for each, which do not wait.
        case round([ChangeMonitor])
    }

    private enum EndedStep {
        case work(of: BackgroundQueue)
        case round
    }

    /// Waits for the next step and carries it out.
    ///
    /// - Returns: nil if the thread is to end.
    private func runStep(after ended: EndedStep?) -> EndedStep? {
        let step = mutex.withLock { access in
            if let ended { finish(ended, &access.state) }
            return nextStep(&access)
        }
        switch step {
        case .work(let work, let queue):
            perform(work)
            return .work(of: queue)
        case .round(let monitors):
            perform { for monitor in monitors { monitor.check() } }
            return .round
        case nil:
            return nil
        }
    }

    private func perform(_ work: () -> Void) {
        #if canImport(ObjectiveC)
            autoreleasepool { work() }
        #else
            work()
        #endif
    }

    private func nextStep(_ access: inout Access) -> Step? {
        while true {
            let now = Deadline.now
            while let timed = access.state.timed.popFirst(by: now) { append(timed.work, to: timed.queue, &access) }
            if let round = access.state.nextRound, round <= now {
                // Released without the lock, in case these are the last references.
                let monitors = access.state.rounds.compactMap(\.object)
                if monitors.count < access.state.rounds.count { access.state.rounds = monitors.map(WeakReference.init) }
                access.state.nextRound = monitors.isEmpty ? nil : .exact(after: PlatformTimings.roundPause)
                begin(isRound: true, &access)
                return .round(monitors)
            }
            if let queue = removeFirstQueue(now, &access),
                let work = access.state.backlogs[ObjectIdentifier(queue)]?.removeFirst()
            {
                access.state.running += 1
                begin(isRound: false, &access)
                return .work(work, of: queue)
            }
            if !waitForMore(&access) {
                access.state.threads -= 1
                return nil
            }
        }
    }

    /// Has another thread keep watch while this one carries out a step.
    ///
    /// - Parameter isRound: Whether the step is a round, which ends soon: the next step needs no other thread.
    private func begin(isRound: Bool, _ access: inout Access) {
        access.state.busy += 1
        let isAnythingDue = !access.state.timed.isEmpty || !isRound && access.state.nextRound != nil
        if !access.state.ready.isEmpty || !access.state.hasKeeper && isAnythingDue { wakeKeeper(&access) }
    }

    private func finish(_ step: EndedStep, _ state: inout State) {
        state.busy -= 1
        guard case .work(let queue) = step else { return }
        state.running -= 1
        state.stalledUntil = nil
        if state.backlogs[ObjectIdentifier(queue)]?.isEmpty ?? true {
            state.backlogs[ObjectIdentifier(queue)] = nil
        } else {
            state.ready.append(queue)
        }
    }

    /// Removes the first queue with waiting work, if another piece of work may run.
    private func removeFirstQueue(_ now: Deadline, _ access: inout Access) -> BackgroundQueue? {
        guard !access.state.ready.isEmpty else {
            access.state.extraWidth = 0
            access.state.stalledUntil = nil
            return nil
        }
        if access.state.running >= PlatformLimits.backgroundWidth + access.state.extraWidth {
            if let end = access.state.stalledUntil, end > now { return nil }
            if access.state.stalledUntil == nil || access.state.running >= PlatformLimits.backgroundThreads {
                access.state.stalledUntil = .exact(after: PlatformTimings.stallTime)
                if access.state.hasKeeper { access.signal(Condition.isDue) }
                return nil
            }
            access.state.extraWidth += 1
        }
        access.state.stalledUntil = nil
        return access.state.ready.removeFirst()
    }

    /// - Returns: false if the thread is to end.
    private func waitForMore(_ access: inout Access) -> Bool {
        let idleEnd = Deadline.exact(after: PlatformTimings.idleTime)
        if access.state.hasKeeper {
            access.state.idle += 1
            access.wait(for: Condition.hasWork, until: idleEnd)
            access.state.idle -= 1
            return Deadline.now < idleEnd || !access.state.hasKeeper || !access.state.ready.isEmpty
        }
        let next = access.state.nextMoment
        access.state.hasKeeper = true
        access.wait(for: Condition.isDue, until: next ?? idleEnd)
        access.state.hasKeeper = false
        return next != nil || Deadline.now < idleEnd || !access.state.ready.isEmpty || !access.state.timed.isEmpty
            || access.state.nextRound != nil
    }
}
