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

/// Has a database looked at when another process may have written it, and tells others when this one has.
///
/// SQLite itself tells nobody of a commit. Whoever uses this module touches the write-ahead log after one, which the system
/// tells at once; other programs are noticed when they close the database, and at the next look in its turn.
final class DatabaseWatch: Sendable {
    private enum Announcement: UInt8, AtomicRepresentable {
        case none, made, needed
    }

    /// The files as they were in the last round.
    private struct Seen {
        var statuses: [FileStatus?] = []
        /// How many more rounds have found them so.
        var looks = 0
    }

    /// How long a change may go unnoticed where the file system may not report it.
    private static let slow = Duration.seconds(1)
    /// How long others are not told again.
    private static let pause = Duration.milliseconds(10)

    /// Where looking is done.
    private let queue = BackgroundQueue()
    /// Where others are told: looking may call listeners, which take their time.
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

    /// - Parameter handler: Looks at the database; called in the background, never while the process forks.
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
            // There, a file is watched by opening it, and closing it again would end the locks that SQLite has on it.
            return .init(directory: directory, names: [name])
        #else
            return .init(directory: directory, names: [name, WholeFile.split(path).name])
        #endif
    }

    /// Has the database looked at soon; with `inAMoment`, if it was in use and may be so again.
    func lookAgain(inAMoment: Bool = false) {
        if isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) { return }
        let work: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            isAboutToLook.store(false, ordering: .releasing)
            handler()
        }
        if inAMoment { queue.asyncAfter(Self.pause, work) } else { queue.async(work) }
    }

    /// Has the database looked at after a while, as it was locked just now: there need not be another event.
    func lookLater() {
        if isLookPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(Self.slow) { [weak self] in
            guard let self else { return }
            isLookPlanned.store(false, ordering: .releasing)
            handler()
        }
    }

    /// Whether the files have been as they are for two rounds, with a look after each.
    ///
    /// One look is not enough: a commit is written into the log, then waits for the disk, and can be read only after that,
    /// when the log's status shows nothing new any more.
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
                // What cannot be asked for looks as if there were nothing; using the database reports why.
                return nil
            }
        }
    }

    /// Tells other processes that something was committed: in the background, and not for each of many commits in a row.
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
        // If it fails, others look from time to time, too.
        _ = utimensat(AT_FDCWD, log, nil, 0)
    }
}
