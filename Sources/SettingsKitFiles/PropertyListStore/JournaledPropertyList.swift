import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list and its journal, shared by all stores of the process over one path.
///
/// The journal's byte order is the order of all changes of all processes. Memory contains the files up to a position in the
/// journal. A change takes the lock, applies the records of other processes, appends a record, and changes memory.
/// Reading uses memory only.
///
/// Locks are taken in the order ``folding``, ``files`` and with it the lock on the lock file, which other processes take, too,
/// ``contents``. ``contents`` is never held while a file is used, so that reading never waits for one. No lock is held while
/// listeners run. The ``monitor`` tells the process's own records from those of other processes without a lock.
final class JournaledPropertyList: Sendable {
    /// How long after a change the background looks at the files.
    static let writingDelay = Duration.milliseconds(250)
    /// How long a journal is taken to be the one at its path without examining the path. A process that replaces a journal
    /// says so in it. Used only while the directory is watched, so that a removal is reported.
    static let trust = Duration.milliseconds(10)
    /// How long a damaged file counts as half-written by another program.
    static let suspicionTime = Duration.milliseconds(300)
    /// The size limit for reading and writing.
    static let fileSizeLimit = 1 << 30

    typealias Presentation = @Sendable ([SettingsStoreChange]) -> [SettingsStoreChange]

    let path: String
    let description: String
    private let presentation: Presentation?
    let fileSystem: any FileSystem
    let feed = SettingsStoreFeed()
    let files: Mutex<PropertyListFiles>
    let contents: Mutex<PropertyListContents>
    /// Held by the thread that folds.
    let folding = Mutex((), .folding)
    /// In nanoseconds.
    private let shortestPatience: Atomic<Int64>
    let trust: Duration
    let limits: PropertyListStoreLimits
    /// Where polls run.
    let queue: BackgroundQueue
    /// Notices what other processes and programs write.
    let monitor: ChangeMonitor
    /// Tells other processes that the journal has grown.
    let announcer: ChangeAnnouncer
    /// The path of the journal, for threads that do not lock the files.
    let watchedJournal: WatchedPath
    /// The end of the journal, for threads that do not lock the files.
    let end = JournalEnd()
    /// Whether changes were published since ``files`` was locked.
    private let hasPublished = Atomic(false)
    let pendingWriter: PendingWriter
    private let isWatching: Bool
    private let writer: WriteBehind
    /// When the background folds.
    let pace: Mutex<FoldingPace>
    /// Whether no store over the list may write.
    private let isReadOnly: Atomic<Bool>
    /// Whether changes are made in memory alone, over what the files have.
    let isDetached: Bool
    /// Whether what ``flushJournal()`` has made safe stays safe when the journal is replaced.
    let keepsJournalsFlushed: Bool

    /// - Parameters:
    ///   - isWatching: Whether changes of other processes are noticed.
    ///   - writingDelay: How long after a change the background looks at the files.
    ///   - lag: How long a change may be missing from the property list. Nil for a time in proportion to its size.
    ///   - trust: How long a journal is taken to be the one at its path. Nil for the default.
    ///   - isReadOnly: Whether the first store over the list must not write.
    ///   - isDetached: Whether changes are made in memory alone, over what the files have. Nothing is written then.
    ///   - keepsJournalsFlushed: Whether a journal is flushed before it replaces another.
    ///   - description: What messages call the store.
    ///   - presentation: Converts changes for the feed. Nil publishes them unconverted. Called for every change, with
    ///     ``contents`` locked.
    init(
        path: String, fileSystem: any FileSystem, isWatching: Bool, writingDelay: Duration, patience: Duration,
        lag: Duration? = nil, trust: Duration? = nil, limits: PropertyListStoreLimits = .init(),
        isReadOnly: Bool = false, isDetached: Bool = false, keepsJournalsFlushed: Bool = false,
        description: String? = nil, presentation: Presentation? = nil
    ) throws {
        let description = description ?? Self.description(of: path)
        self.path = path
        self.description = description
        self.presentation = presentation
        self.fileSystem = fileSystem
        shortestPatience = Atomic(Self.nanoseconds(patience))
        self.limits = limits
        self.trust = trust ?? (isWatching ? Self.trust : .zero)
        let loaded: LoadedPropertyList
        do {
            loaded = try LoadedPropertyList(path: path, fileSystem: fileSystem, store: description)
        } catch {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        }
        contents = Mutex(loaded.contents, .contents)
        let (queue, journal) = (BackgroundQueue(), WatchedPath(loaded.files.journalPath))
        let problems = loaded.problems
        files = Mutex(loaded.files, .files)
        self.isWatching = isWatching
        self.isReadOnly = Atomic(isReadOnly || isDetached)
        self.isDetached = isDetached
        self.keepsJournalsFlushed = keepsJournalsFlushed
        writer = WriteBehind(delay: min(writingDelay, lag ?? writingDelay))
        pace = Mutex(FoldingPace(lag: lag), .leaf)
        self.queue = queue
        pendingWriter = PendingWriter(
            queue: queue, feed: feed, description: description, cause: JournalProblem.locked)
        watchedJournal = journal
        monitor = ChangeMonitor(interval: Self.pollInterval, queue: queue)
        announcer = ChangeAnnouncer(pause: Self.announcementPause) { Self.touch(journal.value, in: fileSystem) }
        for problem in problems { report(problem) }
        monitor.monitor(self)
        writer.begin { [weak self] in
            try self?.foldInBackground()
        } writeAtExit: { [weak self] in
            try self?.foldNow()
        } report: { [weak self] error in
            guard let self else { return }
            feed.report(.wrap(error, as: .notSaved, store: description))
        }
        if isWatching {
            monitor.start(after: Self.watchingDelay)
            feed.onFirstListener { [weak self] in self?.startWatching() }
        }
    }

    deinit {
        do {
            // No longer than a set waits for another process: the journal contains what the property list lacks.
            try LastWriting.perform { () throws(SettingsError) in
                try fold(waiting: min(patience, PendingValues.longestWait), isInBackground: true)
            }
        } catch {
            feed.report(error)
        }
        files.withLock { files in
            files.cursor.journal?.close()
            files.lock.close(in: fileSystem)
        }
    }

    static func description(of path: String) -> String { "PropertyListStore at \(path)" }

    /// Whether there are background threads. A forked child has none, and folds when it exits.
    var hasBackground: Bool { queue.isRunning }

    /// Schedules a look at the journal, which folds it if that is due.
    ///
    /// - Parameter delay: How long to wait in addition, for example for another process, which probably folds first.
    func scheduleFold(after delay: Duration = .zero) {
        guard hasBackground else { return }
        writer.schedule(after: delay)
    }

    /// Starts to notice what other processes change, if the list is watched at all.
    func startWatching() { if isWatching { monitor.start() } }

    /// Whether the values end with the file: no store of this process may write, and no process has a journal here, so the
    /// file is all that there is.
    func isFileAlone(_ files: borrowing PropertyListFiles) -> Bool {
        isReadOnly.load(ordering: .relaxed) && !isDetached && files.cursor.journal == nil
            && files.cursor.problem == nil
    }

    /// How long an operation waits for other processes that keep the files locked.
    var patience: Duration { .nanoseconds(shortestPatience.load(ordering: .relaxed)) }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        Int64(min(max(duration, .zero), .seconds(1_000_000_000)) / .nanoseconds(1))
    }

    /// Shortens the patience, and how long a change may be missing from the property list, to those of another store.
    func shorten(patience: Duration, lag: Duration?) {
        shortestPatience.min(Self.nanoseconds(patience), ordering: .relaxed)
        guard let lag else { return }
        pace.withLock { $0.lag = min($0.lag ?? lag, lag) }
    }

    /// Reports a problem with the files. Only a list that writes keeps files aside.
    private func report(_ problem: SettingsError) {
        feed.report(isReadOnly.load(ordering: .relaxed) ? problem : problem.keepingFilesAside)
    }

    /// Notes that a store over the list may write.
    func allowWriting() { isReadOnly.store(false, ordering: .relaxed) }

    /// Whether the property list was damaged when it was read last.
    var isDamaged: Bool { files.withLock { $0.list.fault == .damaged } }

    /// Whether there was a property list or a journal when the files were read last.
    var hasFiles: Bool {
        files.withLock { $0.list.status != nil || $0.cursor.journal != nil || $0.cursor.problem != nil }
    }

    // MARK: Access to the files

    /// Runs `body` while no other thread uses the files, and reports problems and calls listeners afterwards.
    ///
    /// - Parameter isFolding: Whether the thread holds ``folding``. Listeners then wait until it calls ``deliver()``.
    func withFiles<R: Sendable, Failure: Error>(
        isFolding: Bool = false, _ body: (inout sending PropertyListFiles) throws(Failure) -> R
    ) throws(Failure) -> R {
        var problems: [SettingsError] = []
        // Only for this call's changes: another thread delivers its own before its call returns.
        var hasPublished = false
        defer {
            if hasPublished { feed.flush() }
            for problem in problems { report(problem) }
        }
        return try files.withLock { (files) throws(Failure) in
            defer {
                if !isFolding {
                    swap(&problems, &files.problems)
                    hasPublished = self.hasPublished.exchange(false, ordering: .relaxed)
                }
                let journal = files.cursor.journal
                end.note(inode: journal?.inode ?? 0, position: journal?.position ?? 0)
            }
            return try body(&files)
        }
    }

    /// Reports problems and calls listeners after a run that held ``folding``.
    func deliver() { withFiles { _ in } }

    /// Publishes changes, with ``contents`` locked.
    func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        hasPublished.store(true, ordering: .relaxed)
        feed.publish(presentation?(changes) ?? changes, origin: origin)
    }
}
