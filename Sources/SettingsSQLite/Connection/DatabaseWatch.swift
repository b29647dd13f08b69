import Dispatch
import SettingsCore
import SettingsFiles
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

    /// How long a change may go unnoticed where the system tells of changes, and where it does not.
    private static let (slow, quick) = (Duration.seconds(1), Duration.milliseconds(100))
    /// How long others are not told again.
    private static let pause = DispatchTimeInterval.milliseconds(10)

    /// Where others are told; not where looking is done, as that may call listeners.
    private static let announcements = DispatchQueue(label: "SettingsKit.DatabaseWatch")

    /// Where looking is done.
    let queue: DispatchQueue
    private let path: String
    private let log: String
    private let handler: @Sendable () -> Void
    private let watch = Mutex<DirectoryWatcher.Watch?>(nil)
    private let isAboutToLook = Atomic(false)
    private let announcement = Atomic(Announcement.none)
    private let forks = Fork.count

    /// - Parameter handler: Looks at the database; called on `queue`, never while the process forks.
    init(path: String, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        self.path = path
        log = path + "-wal"
        self.queue = queue
        self.handler = handler
        renew()
        poll()
    }

    deinit { watch.withLock { $0 }?.cancel() }

    /// Has the database looked at soon; in a moment, if it was in use and may be so again.
    func lookAgain(inAMoment: Bool = false) {
        if isAboutToLook.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(deadline: inAMoment ? .now() + Self.pause : .now()) { [weak self] in
            guard let self else { return }
            isAboutToLook.store(false, ordering: .releasing)
            Fork.excluded { self.handler() }
        }
    }

    private func renew() {
        if watch.withLock({ $0?.isWorking ?? false }) { return }
        let (directory, name) = WholeFile.split(log)
        #if canImport(Darwin)
            // There, a file is watched by opening it, and closing it again would end the locks that SQLite has on it.
            let names: Set = [name]
        #else
            let names: Set = [name, WholeFile.split(path).name]
        #endif
        let new = DirectoryWatcher.shared.watch(directory, names: names) { [weak self] _ in
            self?.lookAgain()
        }
        let old = watch.withLock { watch in
            defer { watch = new }
            return watch
        }
        old?.cancel()
    }

    private func poll() {
        let delay = watch.withLock { $0?.isWorking ?? false } ? Self.slow : Self.quick
        queue.asyncAfter(deadline: .now() + (delay / .seconds(1))) { [weak self] in
            guard let self else { return }
            Fork.excluded {
                self.renew()
                self.handler()
            }
            poll()
        }
    }

    /// Tells other processes that something was committed: in the background, and not for each of many commits in a row.
    func announce() {
        // A child made by fork has no background.
        guard forks == Fork.count else { return touchLog() }
        if announcement.load(ordering: .relaxed) == .needed { return }
        guard announcement.exchange(.needed, ordering: .acquiringAndReleasing) == .none else { return }
        Self.announcements.async { [weak self] in self?.makeAnnouncement() }
    }

    private func makeAnnouncement() {
        announcement.store(.made, ordering: .releasing)
        touchLog()
        Self.announcements.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
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
