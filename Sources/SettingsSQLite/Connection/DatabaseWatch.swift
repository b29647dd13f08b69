import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Polls a database when another process may have written it, and notifies other processes when this one has.
///
/// SQLite does not announce commits. Processes that use this module touch the write-ahead log after a commit, which the
/// system reports at once. Commits of other programs are noticed when these close the database, and at the next regular
/// poll.
final class DatabaseWatch: Sendable {
    private enum Announcement: UInt8, AtomicRepresentable {
        case none, made, needed
    }

    /// The state of the files in the last round.
    private struct Seen {
        var statuses: [FileStatus?] = []
        /// The number of further rounds that have found the same state.
        var looks = 0
    }

    /// How long a change may go unnoticed if the file system may not report it.
    private static let slow = Duration.seconds(1)
    /// The shortest time between two notifications of other processes.
    private static let pause = Duration.milliseconds(10)

    /// The queue that polls.
    private let queue = BackgroundQueue()
    /// The queue that notifies other processes: polling may call listeners, which can take long.
    private let announcements = BackgroundQueue()
    private let path: String
    private let log: String
    private let handler: @Sendable () -> Void
    private let lookout = Mutex<Lookout?>(nil)
    private let seen = Mutex(Seen())
    private let isAboutToLook = Atomic(false)
    private let isLookPlanned = Atomic(false)
    private let announcement = Atomic(Announcement.none)
    private let forks = Fork.count

    /// - Parameter handler: Polls the database. Called in the background, never while the process forks.
    init(path: String, handler: @escaping @Sendable () -> Void) {
        self.path = path
        log = path + "-wal"
        self.handler = handler
        let places = [Self.place(path, log)]
        let new = Lookout(
            queue: queue,
            subject: .init(
                pause: Self.slow,
                places: { places },
                didChange: { [weak self] _ in self?.lookAgain() },
                isQuiet: { [weak self] in self?.isQuiet() ?? true },
                look: handler))
        lookout.withLock { $0 = new }
        queue.async { new.begin(looking: true) }
    }

    private static func place(_ path: String, _ log: String) -> Lookout.Place {
        let (directory, name) = WholeFile.split(log)
        #if canImport(Darwin)
            // There, watching a file opens it, and closing it would release SQLite's locks on it.
            return .init(directory: directory, names: [name])
        #else
            return .init(directory: directory, names: [name, WholeFile.split(path).name])
        #endif
    }

    /// Polls the database soon; with `inAMoment`, a little later, because it was in use.
    func lookAgain(inAMoment: Bool = false) {
        if isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) { return }
        let work: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            isAboutToLook.store(false, ordering: .releasing)
            handler()
        }
        if inAMoment { queue.asyncAfter(Self.pause, work) } else { queue.async(work) }
    }

    /// Polls the database after a while, because it was locked: there may be no other event.
    func lookLater() {
        if isLookPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.slow) { [weak self] in
            guard let self else { return }
            isLookPlanned.store(false, ordering: .releasing)
            handler()
        }
    }

    /// Whether the files have had one state for two rounds, with a poll after each.
    ///
    /// One poll is not enough: a commit is written into the log, then waits for the disk, and can be read only after
    /// that, when the log's status no longer changes.
    private func isQuiet() -> Bool {
        let present = statuses
        return seen.withLock { seen in
            guard seen.statuses == present else {
                seen = Seen(statuses: present)
                return false
            }
            seen.looks += 1
            return seen.looks > 1
        }
    }

    private var statuses: [FileStatus?] {
        [path, log].map { path in
            do throws(SystemError) {
                return try POSIXFileSystem().status(of: path, followingLink: true)
            } catch {
                // A status that cannot be read counts as none. Using the database reports the reason.
                return nil
            }
        }
    }

    /// Notifies other processes of a commit: in the background, and not for each of many commits in a row.
    func announce() {
        // A child made by fork has no background.
        guard forks == Fork.count else { return touchLog() }
        if announcement.load(ordering: .relaxed) == .needed { return }
        guard announcement.exchange(.needed, ordering: .acquiringAndReleasing) == .none else { return }
        announcements.async { [weak self] in self?.makeAnnouncement() }
    }

    private func makeAnnouncement() {
        announcement.store(.made, ordering: .releasing)
        touchLog()
        announcements.asyncAfter(Self.pause) { [weak self] in
            guard let self else { return }
            let (isDone, _) = announcement.compareExchange(
                expected: .made, desired: .none, ordering: .acquiringAndReleasing)
            if !isDone { makeAnnouncement() }
        }
    }

    private func touchLog() {
        // If it fails, other processes still poll from time to time.
        _ = utimensat(AT_FDCWD, log, nil, 0)
    }
}
