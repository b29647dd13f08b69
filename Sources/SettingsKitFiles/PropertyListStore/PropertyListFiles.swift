import SettingsKitCore
import SettingsKitPlatform
import Synchronization

/// The files of a property list, which one thread at a time uses, with the lock that other processes also take.
///
/// Locks are taken in this order: the ``PropertyListFolder``'s; the one here, and with it the lock on the lock file; the one of
/// the ``contents``. No lock is held while listeners run.
final class PropertyListFiles: Sendable {
    let contents: PublishedContents
    /// The path and the end of the journal, for threads that do not lock the files.
    let end: JournalEnd
    /// Notices the writes of other processes and programs.
    let monitor: ChangeMonitor
    /// Announces to other processes that the journal has grown.
    let announcer: ChangeAnnouncer
    private let feed: SettingsStoreFeed
    private let writer: BargingMutex<JournalWriter>
    private let setup: PropertyListSetup
    /// In nanoseconds.
    private let shortestPatience: Atomic<Int64>

    init(_ loaded: sending LoadedPropertyList, _ setup: PropertyListSetup) {
        self.setup = setup
        contents = PublishedContents(loaded.contents, setup)
        feed = contents.feed
        end = JournalEnd(of: FilesBeside.journal(loaded.target))
        monitor = ChangeMonitor(interval: PropertyListTimings.pollInterval, queue: BackgroundQueue())
        let follower = PropertyListFollower(loaded, contents, end: end, monitor: monitor, setup)
        writer = BargingMutex(JournalWriter(follower, contents, end: end, setup), .files)
        announcer = ChangeAnnouncer(pause: PropertyListTimings.announcementPause) { [end] in
            Journal.touch(end.path, in: setup.fileSystem)
        }
        shortestPatience = Atomic(setup.patience.countedNanoseconds)
        deliver()
    }

    deinit { writer.withLock { $0.close() } }

    /// The time that an operation waits for other processes that keep the files locked.
    var patience: Duration { .nanoseconds(shortestPatience.load(ordering: .relaxed)) }

    /// The same for `set` and `reset` of one setting: half a second at most, and no time for a while after `busy`. Otherwise, a form
    /// of twenty settings would freeze.
    var patienceOfSet: Duration {
        writer.withLock { $0.lock.hasBeenBusy } ? .zero : min(patience, PropertyListTimings.patience)
    }

    /// Shortens the patience to that of another store.
    func shorten(patience: Duration) { shortestPatience.min(patience.countedNanoseconds, ordering: .relaxed) }

    // MARK: Access

    /// Runs `body` while no other thread uses the files. Problems and changes are delivered later.
    func withLock<R: ~Copyable, Failure: Error>(
        _ body: (inout sending JournalWriter) throws(Failure) -> sending R
    ) throws(Failure) -> sending R {
        try writer.withLock(body)
    }

    /// Runs `body` if no other thread uses the files; otherwise, returns nil.
    func withLockIfAvailable<R>(_ body: (inout sending JournalWriter) -> sending R) -> sending R? {
        writer.withLockIfAvailable(body)
    }

    /// Runs `body` while no other thread uses the files, and then reports problems and calls listeners.
    ///
    /// - Parameter isFolding: Whether the thread holds the folder's lock. Listeners then wait until it calls ``deliver()``.
    func update<R: Sendable, Failure: Error>(
        isFolding: Bool = false, _ body: (inout sending JournalWriter) throws(Failure) -> R
    ) throws(Failure) -> R {
        var problems: [SettingsError] = []
        defer {
            if !isFolding { feed.flush() }
            for problem in problems { feed.report(problem) }
        }
        return try writer.withLock { writer throws(Failure) in
            defer {
                if !isFolding { problems = writer.follower.takeProblems() }
                let journal = writer.follower.cursor.journal
                end.publish(inode: journal?.inode ?? 0, position: journal?.position ?? 0)
            }
            return try body(&writer)
        }
    }

    /// Reports problems and calls listeners.
    func deliver() { update { _ in } }

    /// Runs `body` while no other thread and no other process changes the files.
    ///
    /// - Throws: `busy` if another process keeps the lock; the system's errors.
    func updateLocked<R: Sendable>(
        waiting: @autoclosure () -> Duration, isFolding: Bool = false,
        _ body: (inout sending JournalWriter) throws -> R
    ) throws -> R {
        try whileLocked(waiting: waiting()) {
            try update(isFolding: isFolding) { writer in
                // The file system is passed from here, because a structure would copy its own for the call.
                try writer.acquire(in: setup.fileSystem)
                defer { writer.lock.unlock(in: setup.fileSystem) }
                return try body(&writer)
            }
        }
    }

    /// Flushes something, without the lock, because that takes time.
    ///
    /// If it fails, the property list and the journal are written again: a second flush can succeed although the first one has lost
    /// data. New files are a new attempt.
    func flush<R>(_ body: () throws(SystemError) -> R) throws(SystemError) -> R {
        do throws(SystemError) {
            return try body()
        } catch {
            writer.withLock { writer in
                writer.follower.list.requireRewrite()
                writer.follower.cursor.journal?.condition.hasFailedFlush = true
            }
            throw error
        }
    }

    /// Repeats an attempt while another process has the lock. Between two attempts, this process holds no lock.
    ///
    /// - Parameter patience: The longest wait. Not evaluated if the first attempt succeeds.
    /// - Throws: `busy` if other processes hold the lock for the whole time; the attempt's errors.
    private func whileLocked<R>(waiting patience: @autoclosure () -> Duration, _ attempt: () throws -> R) throws -> R {
        do {
            return try attempt()
        } catch SettingsError.Code.busy {}
        let wait = patience()
        var pause = LockPause(until: Deadline(after: wait))
        var mark = Deadline(after: PropertyListTimings.lockMarkInterval)
        while pause.next() {
            do {
                return try attempt()
            } catch SettingsError.Code.busy {}
            if mark.hasPassed {
                Journal.touch(writer.withLock { $0.lock.path }, in: setup.fileSystem)
                mark = Deadline(after: PropertyListTimings.lockMarkInterval)
            }
        }
        if wait > .zero { writer.withLock { $0.lock.setBusy() } }
        throw setup.busy
    }

    // MARK: Reading

    /// Reads changes of the files into memory, and publishes them.
    ///
    /// - Returns: whether the property list lacks a change, and this process may write it.
    /// - Throws: the system's errors. Changes read before the error are kept.
    func refresh(waiting: Duration) throws -> Bool {
        // Piece by piece, while more than a piece is left: a writing thread can use the files between two pieces. A record longer
        // than a piece is read again with each doubling of the piece.
        var piece = PropertyListLimits.journalPiece
        while try update({ writer in try writer.follower.catchUp(byPiece: &piece) }) {}
        do {
            return try whileLocked(waiting: waiting) { try refreshOnce() }
        } catch SettingsError.Code.busy {
            // Without the lock, an edit is read as by a process that only reads.
            return try refreshOnce(isLocking: false)
        }
    }

    /// - Parameter isLocking: Whether to put an edit into the journal, under the lock, if this process may do that.
    private func refreshOnce(isLocking: Bool = true) throws -> Bool {
        try update { writer in
            try writer.follower.followLink()
            let isUnclear = try writer.follower.catchUp()
            let status = try writer.follower.file.status()
            // A removed file is not an edit for the journal: taking the lock would create the directory again.
            if !writer.follower.isWriting || !isLocking || !isUnclear && status == nil {
                try writer.follower.adopt()
            } else if isUnclear || status != writer.follower.list.status {
                try writer.adoptLocked()
            }
            writer.follower.confirmFaults()
            let folded = writer.follower.list.folded
            return writer.follower.isWriting && contents.withLock { $0.lastPosition } > folded
        }
    }
}
