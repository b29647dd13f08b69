import SettingsKitCore

#if canImport(ObjectiveC)
    import ObjectiveC
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The threads on which all stores of the process do what is not done in a caller's time.
///
/// One thread, the keeper, sleeps until something is due, however many stores there are. Others come when there is work,
/// and end when there was none for a second. At most ``width`` pieces of work run at once; one more as often as all of
/// them have not moved for a while, so that work that hangs does not keep other stores from theirs.
///
/// Not Dispatch: on Linux its shared threads wake the process once a second for ever, a timer there wakes several threads,
/// and serial queues that become busy together get a thread each, without a bound.
///
/// `@unchecked Sendable`: `state` is used only with `lock` held.
final class BackgroundThreads: @unchecked Sendable {
    static let shared = BackgroundThreads()

    /// How often files are checked whose changes the system reports. More than ten seconds: an idle process must not wake
    /// more often.
    static let roundPause = Duration.seconds(12)

    private static let width = 4
    private static let limit = 64
    /// How long a thread waits for more work before it ends.
    private static let idleTime = Duration.seconds(1)
    /// How long no work has ended when it is taken to hang.
    private static let stallTime = Duration.milliseconds(50)
    private static let stackSize = 8 << 20

    private struct State {
        var ready: [BackgroundQueue] = []
        var timed = TimedWorks()
        var rounds: [ObjectIdentifier: WeakReference<ChangeMonitor>] = [:]
        var nextRound: Moment?
        /// All threads, those that are starting included.
        var threads = 0
        /// Threads that run work, or make a round.
        var busy = 0
        var running = 0
        /// Threads that wait for work, beside the keeper.
        var idle = 0
        var hasKeeper = false
        /// How many more pieces of work may run at once because others hang.
        var extraWidth = 0
        var stalledUntil: Moment?
    }

    private let lock = WaitingLock()
    /// What the keeper waits for: something that is due before it wakes by itself.
    private let due = WaitingCondition()
    /// What the other threads wait for.
    private let work = WaitingCondition()
    private var state = State()
    /// What was of the parent's, in the child of a fork: never released, as that would run the stores' ends there.
    private var inherited: [State] = []

    /// How many threads there are; for tests.
    var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return state.threads
    }

    // MARK: Adding

    func add(_ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue) {
        lock.lock()
        defer { lock.unlock() }
        guard append(new, to: queue) else { return }
        if state.idle > 0 { work.signal() } else { wakeKeeper() }
    }

    func add(_ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue, at moment: Moment) {
        lock.lock()
        defer { lock.unlock() }
        let isFirst = state.timed.firstMoment.map { moment < $0 } ?? true
        state.timed.insert(TimedWork(moment: moment, queue: queue, work: new))
        if isFirst { wakeKeeper() }
    }

    /// Has a monitor check its files in each round, as long as it lives.
    func addToRounds(_ monitor: ChangeMonitor) {
        lock.lock()
        defer { lock.unlock() }
        state.rounds[ObjectIdentifier(monitor)] = WeakReference(monitor)
        guard state.nextRound == nil else { return }
        state.nextRound = .after(Self.roundPause)
        wakeKeeper()
    }

    func removeFromRounds(_ monitor: ObjectIdentifier) {
        lock.lock()
        defer { lock.unlock() }
        state.rounds[monitor] = nil
    }

    /// - Returns: false if a thread has the queue already, and goes on with it.
    @discardableResult
    private func append(_ new: @escaping BackgroundQueue.Work, to queue: BackgroundQueue) -> Bool {
        queue.backlog.works.append(new)
        if queue.backlog.isTaken { return false }
        queue.backlog.isTaken = true
        state.ready.append(queue)
        return true
    }

    /// Sees to it that a thread looks at what is due.
    private func wakeKeeper() {
        if state.hasKeeper {
            due.signal()
        } else if state.idle > 0 {
            work.signal()
        } else if state.threads == state.busy {
            // No thread is on its way to look.
            start()
        }
    }

    // MARK: Threads

    private func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        #if canImport(Darwin)
            pthread_attr_set_qos_class_np(&attributes, QOS_CLASS_UTILITY, 0)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // Signals are for the program's own threads.
        var (all, present) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &present)
        let result = pthread_create(&thread, &attributes, { _ in BackgroundThreads.shared.main() }, nil)
        pthread_sigmask(SIG_SETMASK, &present, nil)
        // Without a thread the work waits until more is added and there can be one.
        if result == 0 { state.threads += 1 }
    }

    private func main() -> UnsafeMutableRawPointer? {
        let forks = Fork.count
        lock.lock()
        while true {
            let now = Moment.now
            while let timed = state.timed.popFirst(by: now) { append(timed.work, to: timed.queue) }
            if let round = state.nextRound, round <= now {
                makeRound(now)
            } else if let queue = takeQueue(now) {
                run(queue)
            } else if !waitForMore(now) {
                break
            }
            // In a child that the work has made, this thread is not one of these.
            if forks != Fork.count { return nil }
        }
        state.threads -= 1
        lock.unlock()
        return nil
    }

    /// Does something without the lock; another thread keeps watch meanwhile.
    ///
    /// - Parameter isRound: Whether it is a round, which is over soon: the next one needs no other thread.
    private func unlocked(isRound: Bool = false, _ body: () -> Void) {
        let forks = Fork.count
        state.busy += 1
        let isAnythingDue = !state.timed.isEmpty || !isRound && state.nextRound != nil
        if !state.ready.isEmpty || !state.hasKeeper && isAnythingDue { wakeKeeper() }
        lock.unlock()
        body()
        if forks != Fork.count { return }
        lock.lock()
        state.busy -= 1
    }

    /// The next queue with work, if another piece may run.
    private func takeQueue(_ now: Moment) -> BackgroundQueue? {
        guard !state.ready.isEmpty else {
            state.extraWidth = 0
            state.stalledUntil = nil
            return nil
        }
        if state.running >= Self.width + state.extraWidth {
            if let end = state.stalledUntil, end > now { return nil }
            if state.stalledUntil == nil || state.running >= Self.limit {
                state.stalledUntil = .after(Self.stallTime)
                if state.hasKeeper { due.signal() }
                return nil
            }
            state.extraWidth += 1
        }
        state.stalledUntil = nil
        return state.ready.removeFirst()
    }

    private func run(_ queue: BackgroundQueue) {
        var next: BackgroundQueue.Work? = queue.backlog.works.removeFirst()
        state.running += 1
        let forks = Fork.count
        unlocked {
            // Released here, too: with it may go the last reference to a store.
            if let work = next.take() { perform(work) }
        }
        if forks != Fork.count { return }
        state.running -= 1
        state.stalledUntil = nil
        if queue.backlog.works.isEmpty {
            queue.backlog.isTaken = false
        } else {
            state.ready.append(queue)
        }
    }

    private func perform(_ work: () -> Void) {
        #if canImport(ObjectiveC)
            autoreleasepool { Fork.excluded(work) }
        #else
            Fork.excluded(work)
        #endif
    }

    /// Checks the files of all monitors, on the keeper's thread: a few calls for each, which do not wait.
    private func makeRound(_ now: Moment) {
        var monitors = state.rounds.values.compactMap(\.object)
        state.nextRound = monitors.isEmpty ? nil : .after(Self.roundPause)
        unlocked(isRound: true) {
            perform { for monitor in monitors { monitor.check() } }
            monitors = []
        }
    }

    /// - Returns: false if the thread is to end.
    private func waitForMore(_ now: Moment) -> Bool {
        let idleEnd = Moment.after(Self.idleTime)
        if state.hasKeeper {
            state.idle += 1
            work.wait(with: lock, until: idleEnd)
            state.idle -= 1
            return Moment.now < idleEnd || !state.hasKeeper || !state.ready.isEmpty
        }
        let next = [state.timed.firstMoment, state.nextRound, state.stalledUntil].compactMap(\.self).min()
        state.hasKeeper = true
        due.wait(with: lock, until: next ?? idleEnd)
        state.hasKeeper = false
        return next != nil || Moment.now < idleEnd || !state.ready.isEmpty || !state.timed.isEmpty
            || state.nextRound != nil
    }

    // MARK: Forks

    /// Keeps all threads out until the fork is over.
    func willFork() { lock.lock() }

    func didForkInParent() { lock.unlock() }

    /// Begins without threads.
    func didForkInChild() {
        lock.reset()
        due.reset()
        work.reset()
        inherited.append(state)
        state = State()
    }
}
