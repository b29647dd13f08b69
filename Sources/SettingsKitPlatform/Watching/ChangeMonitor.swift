import Dispatch
import SettingsKitCore
import Synchronization

/// Files whose changes a ``ChangeMonitor`` notices.
package protocol ChangeMonitored: AnyObject, Sendable {
    /// The directory entries whose changes the system reports.
    var monitoredPlaces: [ChangeMonitor.Place] { get }
    /// Whether a reported change may be another process's. Called on a watcher's thread, so it must be quick.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool
    /// Whether nothing has changed, according to a few calls. Must not wait for a lock.
    var isQuiet: Bool { get }
    /// Reads the changes.
    ///
    /// - Returns: false if the files are in use, and will be polled afterwards.
    /// - Throws: `busy` if another process is in the way: it is called again. The system's errors.
    func poll() throws -> Bool
    /// Reports the first of several failures in a row.
    func reportFailedPoll(_ error: any Error)
}

/// Polls files when the system reports a change of them, and from time to time.
///
/// The frequency depends on the file system. Where it reports every change, a round every twelve seconds, at the same moments for
/// all monitors, polls only files that are not quiet. Elsewhere, the files are polled at the monitor's interval, or ten times a second if they cannot be watched.
///
/// One poll runs at a time, on the monitor's queue. The first failure in a row is reported.
package final class ChangeMonitor: Sendable {
    /// Entries of a directory.
    package struct Place: Equatable, Sendable {
        package var directory: String
        /// The names of the entries. Nil for all.
        package var names: Set<String>?

        package init(directory: String, names: Set<String>?) {
            self.directory = directory
            self.names = names
        }

        /// Returns the directories of files, each once, with the names in it.
        package static func places(of files: [String]) -> [Place] {
            var places: [Place] = []
            for file in files {
                let (directory, name) = WholeFile.split(file)
                if let index = places.firstIndex(where: { $0.directory == directory }) {
                    places[index].names?.insert(name)
                } else {
                    places.append(Place(directory: directory, names: [name]))
                }
            }
            return places
        }
    }

    private struct Directory: Equatable {
        let device: UInt64
        let inode: UInt64

        init?(at path: String) {
            do throws(SystemError) {
                guard let status = try POSIXFileSystem().status(of: path, followingLink: true) else { return nil }
                (device, inode) = (status.device, status.inode)
            } catch {
                // A directory that cannot be examined cannot be watched, either.
                return nil
            }
        }
    }

    private struct State {
        weak var subject: (any ChangeMonitored)?
        var places: [Place] = []
        var watches: [DirectoryWatcher.Watch] = []
        /// The directories at the places. The system does not report a volume that is mounted over one.
        var directories: [Directory?] = []
        /// Whether all places are on file systems that report changes.
        var isReporting = false
        /// Whether a poll is due soon, and whether the watches must be renewed before.
        var isPollDue = false
        var mustRenew = false
        /// When the next retry and the next turn are planned. Nil if none is.
        var retry: DispatchTime?
        var turn: DispatchTime?

        var isWorking: Bool { !watches.isEmpty && watches.count == places.count && watches.allSatisfy(\.isWorking) }
    }

    private let interval: Duration
    private let isIntervalFixed: Bool
    private let pollsAfterFailure: Bool
    private let queue: BackgroundQueue
    private let state = Mutex(State(), .leaf)
    private let hasStarted = Atomic(false)
    private let failing = Atomic(false)

    /// Creates a monitor, which does nothing until it has a subject.
    ///
    /// - Parameters:
    ///   - interval: The longest time that a change may stay unnoticed where the file system may not report it.
    ///   - isIntervalFixed: Whether to poll as often where the file system reports changes.
    ///   - pollsAfterFailure: Whether to poll at the interval, everywhere, after a failed poll.
    ///   - queue: The queue for polls.
    package init(
        interval: Duration, isIntervalFixed: Bool = false, pollsAfterFailure: Bool = true, queue: BackgroundQueue
    ) {
        self.interval = interval
        self.isIntervalFixed = isIntervalFixed
        self.pollsAfterFailure = pollsAfterFailure
        self.queue = queue
    }

    deinit {
        for watch in state.withLock({ $0.watches }) { watch.cancel() }
    }

    /// Sets the files to monitor. They own the monitor.
    package func monitor(_ subject: some ChangeMonitored) { state.withLock { $0.subject = subject } }

    private var subject: (any ChangeMonitored)? { state.withLock { $0.subject } }

    // MARK: Starting

    /// Begins to watch, in the background, and then polls. Only the first call has an effect.
    package func start(after delay: Duration = .zero) {
        if hasStarted.load(ordering: .relaxed) { return }
        queue.async(after: delay) { [weak self] in self?.startNow() }
    }

    /// Begins to watch. Called on the queue. Only the first call has an effect.
    ///
    /// - Parameter isPolling: Whether to poll for earlier changes.
    package func startNow(isPolling: Bool = true) {
        if hasStarted.exchange(true, ordering: .acquiringAndReleasing) { return }
        renew()
        if isPolling { poll() }
        planTurn()
    }

    // MARK: Polling

    /// Polls soon. Further calls before that have no effect.
    ///
    /// - Parameter isRenewing: Whether to renew the watches before.
    func pollSoon(renewing isRenewing: Bool = false) {
        let isDue = state.withLock { state in
            defer { (state.isPollDue, state.mustRenew) = (true, state.mustRenew || isRenewing) }
            return state.isPollDue
        }
        if isDue { return }
        queue.async { [weak self] in
            guard let self else { return }
            let mustRenew = state.withLock { state in
                defer { (state.isPollDue, state.mustRenew) = (false, false) }
                return state.mustRenew
            }
            if mustRenew { renew() }
            poll()
            if mustRenew { planTurn() }
        }
    }

    /// Polls after a delay.
    package func poll(after delay: Duration) { queue.async(after: delay) { [weak self] in self?.poll() } }

    /// Polls after a delay, unless an earlier retry is planned: the files are in use, and there may be no further event.
    package func retry(after delay: Duration) {
        plan(\.retry, at: .now() + delay, on: queue) { $0.poll() }
    }

    /// Plans work, unless it is planned for an earlier moment.
    private func plan(
        _ planned: WritableKeyPath<State, DispatchTime?> & Sendable, at moment: DispatchTime, on queue: BackgroundQueue,
        _ work: @escaping @Sendable (ChangeMonitor) -> Void
    ) {
        let isPlanned = state.withLock { state in
            if let earlier = state[keyPath: planned], earlier <= moment { return true }
            state[keyPath: planned] = moment
            return false
        }
        if isPlanned { return }
        queue.async(at: moment) { [weak self] in
            guard let self else { return }
            let isDue = state.withLock { state in
                guard state[keyPath: planned] == moment else { return false }
                state[keyPath: planned] = nil
                return true
            }
            if isDue { work(self) }
        }
    }

    private func poll() {
        guard let subject else { return }
        do {
            if try subject.poll() { recordSuccess() }
        } catch SettingsError.Code.busy {
            retry(after: min(interval, PlatformTimings.busyPollPause))
        } catch {
            recordFailure(error, of: subject)
        }
    }

    /// Whether the last poll has failed.
    package var isFailing: Bool { failing.load(ordering: .relaxed) }

    /// Records that the files were read.
    package func recordSuccess() { failing.store(false, ordering: .relaxed) }

    /// Records that the files could not be read, and reports the first failure in a row.
    package func recordFailure(_ error: any Error) {
        if let subject { recordFailure(error, of: subject) }
    }

    private func recordFailure(_ error: any Error, of subject: any ChangeMonitored) {
        if failing.exchange(true, ordering: .relaxed) { return }
        subject.reportFailedPoll(error)
    }

    // MARK: Turns

    /// The queue for the turns of all monitors: many come at one moment, and most need no poll.
    private static let turns = BackgroundQueue()

    /// Polls soon, but not where the system reports every change and the files are quiet. Waits for nothing.
    private func turn() {
        let state = state.withLock { $0 }
        let isQuiet =
            !mustPoll(state) && state.directories == Self.directories(at: state.places)
            && state.subject?.isQuiet ?? true
        if isQuiet { planTurn() } else { pollSoon(renewing: true) }
    }

    /// Whether the system may not report every change, or the last poll has failed.
    private func mustPoll(_ state: State) -> Bool {
        !state.isWorking || !state.isReporting || isIntervalFixed || pollsAfterFailure && isFailing
    }

    private func planTurn() {
        let state = state.withLock { $0 }
        let pause = state.isWorking ? interval : PlatformTimings.unwatchedInterval
        let moment = mustPoll(state) ? .now() + pause : DispatchTime.end(of: PlatformTimings.roundPause)
        plan(\.turn, at: moment, on: Self.turns) { $0.turn() }
    }

    // MARK: Watching

    /// Soon watches the current places of the files, which may have moved, and polls. Has no effect before the start.
    package func renewSoon() {
        if hasStarted.load(ordering: .relaxed) { pollSoon(renewing: true) }
    }

    /// Watches other places if the files have moved, and tries again where watching failed.
    private func renew() {
        let places = subject?.monitoredPlaces ?? []
        let directories = Self.directories(at: places)
        // Another file system may have been mounted.
        let isReporting = places.allSatisfy { FileSystemKind(ofDirectory: $0.directory) == .reporting }
        let isUnchanged = state.withLock { state in
            state.isReporting = isReporting
            return state.isWorking && state.places == places && state.directories == directories
        }
        if isUnchanged { return }
        let watches = places.compactMap(watch)
        let old = state.withLock { state in
            defer { (state.places, state.directories, state.watches) = (places, directories, watches) }
            return state.watches
        }
        for watch in old { watch.cancel() }
    }

    private static func directories(at places: [Place]) -> [Directory?] {
        places.map { Directory(at: $0.directory) }
    }

    private func watch(_ place: Place) -> DirectoryWatcher.Watch? {
        DirectoryWatcher.shared.watch(place.directory, names: place.names) { [weak self] in self?.receive($0) }
    }

    private func receive(_ event: DirectoryWatcher.Event) {
        guard let subject else { return }
        // Another file system may be at the place, or the watch may have ended.
        if event == .unknown { pollSoon(renewing: true) } else if subject.isRelevant(event) { pollSoon() }
    }
}
