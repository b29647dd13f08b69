import SettingsKitCore
import Synchronization

/// Has something looked at when the system reports a change of it, and from time to time all the same.
///
/// How often depends on the file system: where it is known to report every change, in the rounds that the process makes
/// for all lookouts together, and then only if a few calls show that something is different; elsewhere in short intervals,
/// and in very short ones where nothing can be watched.
package final class Lookout: Sendable {
    /// Entries of a directory; nil for all.
    package struct Place: Equatable, Sendable {
        package var directory: String
        package var names: Set<String>?

        package init(directory: String, names: Set<String>?) {
            self.directory = directory
            self.names = names
        }
    }

    /// What is looked at. The functions should not keep what keeps the lookout.
    package struct Subject: Sendable {
        /// How long a change may stay unnoticed where the file system may not report it.
        package var pause: Duration
        /// Whether it is looked at as often where the file system reports changes, too.
        package var isPauseFixed: Bool
        /// Where changes are to be reported.
        package var places: @Sendable () -> [Place]
        /// Called on the watcher's queue for each reported change; has it looked at soon, if need be.
        package var didChange: @Sendable (DirectoryWatcher.Event) -> Void
        /// Whether nothing is different, as far as can be told at once. Called in rounds; must not wait for anything.
        package var isQuiet: @Sendable () -> Bool
        /// Whether looking has failed, so that it must be tried again soon, whatever is reported.
        package var isFailing: @Sendable () -> Bool
        /// Looks; called on the queue.
        package var look: @Sendable () -> Void

        package init(
            pause: Duration, isPauseFixed: Bool = false, places: @escaping @Sendable () -> [Place],
            didChange: @escaping @Sendable (DirectoryWatcher.Event) -> Void,
            isQuiet: @escaping @Sendable () -> Bool, isFailing: @escaping @Sendable () -> Bool = { false },
            look: @escaping @Sendable () -> Void
        ) {
            self.pause = pause
            self.isPauseFixed = isPauseFixed
            self.places = places
            self.didChange = didChange
            self.isQuiet = isQuiet
            self.isFailing = isFailing
            self.look = look
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
                // As good as none: nothing there can be watched, either.
                return nil
            }
        }
    }

    private struct State {
        var places: [Place] = []
        var watches: [DirectoryWatcher.Watch] = []
        /// Which directories were at the places: nothing is reported when a volume is mounted over one.
        var directories: [Directory?] = []
        /// Whether all places are where the file system is known to report changes.
        var isReporting = false
        var isTimed = false

        var isWorking: Bool { !watches.isEmpty && watches.count == places.count && watches.allSatisfy(\.isWorking) }
    }

    /// How long a change may stay unnoticed where nothing can be watched.
    private static let quickPause = Duration.milliseconds(100)

    private let subject: Subject
    private let queue: BackgroundQueue
    private let state = Mutex(State())
    /// Whether what was found out about the file systems may be wrong by now.
    private let isUncertain = Atomic(true)
    private let isAboutToTurn = Atomic(false)

    package init(queue: BackgroundQueue, subject: Subject) {
        self.queue = queue
        self.subject = subject
    }

    deinit {
        BackgroundThreads.shared.removeFromRounds(ObjectIdentifier(self))
        for watch in state.withLock({ $0.watches }) { watch.cancel() }
    }

    /// Begins to watch; called on the queue, once.
    ///
    /// - Parameter looking: Whether to look then, for what has changed before.
    package func begin(looking: Bool) {
        BackgroundThreads.shared.addToRounds(self)
        if looking {
            turn()
        } else {
            renew()
            scheduleNext()
        }
    }

    /// Looks if something seems to be different. In rounds: it does not wait.
    func check() {
        let state = state.withLock { $0 }
        // Elsewhere there is a time for the next look.
        if state.isTimed { return }
        if state.isWorking, state.directories == Self.directories(at: state.places), subject.isQuiet(),
            !subject.isFailing()
        {
            return
        }
        turnSoon()
    }

    private func turnSoon() {
        if isAboutToTurn.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async { [weak self] in
            guard let self else { return }
            isAboutToTurn.store(false, ordering: .releasing)
            turn()
        }
    }

    private func turn() {
        renew()
        subject.look()
        scheduleNext()
    }

    private func scheduleNext() {
        let isFailing = subject.isFailing()
        let next = state.withLock { state in
            if state.isTimed { return nil as Duration? }
            let next = pause(state, isFailing: isFailing)
            state.isTimed = next != nil
            return next
        }
        guard let next else { return }
        let moment = Moment.after(next)
        queue.async(at: next < .seconds(1) ? moment : moment.rounded) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isTimed = false }
            turn()
        }
    }

    private func pause(_ state: borrowing State, isFailing: Bool) -> Duration? {
        if !state.isWorking { return Self.quickPause }
        return state.isReporting && !isFailing && !subject.isPauseFixed ? nil : subject.pause
    }

    /// Watches other places if the subject is elsewhere now, and tries again where watching did not work.
    private func renew() {
        let places = subject.places()
        let directories = Self.directories(at: places)
        let wasUncertain = isUncertain.exchange(false, ordering: .acquiringAndReleasing)
        let isUnchanged = state.withLock { state in
            state.isWorking && state.places == places && state.directories == directories
        }
        if isUnchanged && !wasUncertain { return }
        let isReporting = places.allSatisfy { FileSystemKind(ofDirectory: $0.directory) == .reporting }
        let watches = isUnchanged ? nil : places.compactMap(watch)
        let old = state.withLock { state in
            state.isReporting = isReporting
            guard let watches else { return [] as [DirectoryWatcher.Watch] }
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
        subject.didChange(event)
        guard event == .unknown else { return }
        // Another file system may be at the place, or the watch may have ended.
        isUncertain.store(true, ordering: .releasing)
        turnSoon()
    }
}
