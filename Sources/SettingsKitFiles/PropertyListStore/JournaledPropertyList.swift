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
/// journal. A change takes the lock, applies the records of other processes, appends a record, and changes memory. Reading uses
/// only memory.
///
/// Locks are taken in this order: ``folding``; ``files``, and with it the lock on the lock file, which other processes also take;
/// ``contents``. ``contents`` is never held while a file is used, so that reading never waits for a file. No lock is held while
/// listeners run. The ``monitor`` distinguishes the process's own records from those of other processes without a lock.
final class JournaledPropertyList: Sendable {
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
    /// The queue for polls.
    let queue: BackgroundQueue
    /// Notices the writes of other processes and programs.
    let monitor: ChangeMonitor
    /// Announces to other processes that the journal has grown.
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
    /// Determines when the background folds.
    let pace: Mutex<FoldingPace>
    /// Whether no store over the list may write.
    private let isReadOnly: Atomic<Bool>
    /// Whether changes are made in memory only, over the contents of the files.
    let isDetached: Bool
    /// Whether flushed changes stay safe when the journal is replaced; see ``flushJournal()``.
    let keepsJournalsFlushed: Bool

    /// - Parameters:
    ///   - isWatching: Whether to notice changes of other processes.
    ///   - writingDelay: The time between a change and the background's look at the files.
    ///   - lag: The longest time that a change may be missing from the property list. Nil for a time in proportion to its size.
    ///   - trust: The time for which a journal counts as the one at its path. Nil for the default.
    ///   - isReadOnly: Whether the first store over the list only reads.
    ///   - isDetached: Whether to make changes in memory only, over the contents of the files. Nothing is then written.
    ///   - keepsJournalsFlushed: Whether to flush a journal before it replaces another.
    ///   - description: The name of the store in messages.
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
        self.trust = trust ?? (isWatching ? PropertyListTimings.trust : .zero)
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
        monitor = ChangeMonitor(interval: PropertyListTimings.pollInterval, queue: queue)
        announcer = ChangeAnnouncer(pause: PropertyListTimings.announcementPause) {
            Self.touch(journal.value, in: fileSystem)
        }
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
            monitor.start(after: PropertyListTimings.watchingDelay)
            feed.onFirstListener { [weak self] in self?.startWatching() }
        }
    }

    deinit {
        do {
            // The exit waits no longer than a set would: the journal contains the changes that the property list lacks.
            try LastWriting.perform { () throws(SettingsError) in
                try fold(waiting: min(patience, PlatformTimings.longestWaitOfSet), isInBackground: true)
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
    /// - Parameter delay: An additional delay, for example for another process, which will probably fold first.
    func scheduleFold(after delay: Duration = .zero) {
        guard hasBackground else { return }
        writer.schedule(after: delay)
    }

    /// Starts to notice changes of other processes, if the list is watched at all.
    func startWatching() { if isWatching { monitor.start() } }

    /// Whether the file is the only source of values: no store of this process may write, and there is no journal.
    func isFileAlone(_ files: borrowing PropertyListFiles) -> Bool {
        isReadOnly.load(ordering: .relaxed) && !isDetached && files.cursor.journal == nil
            && files.cursor.problem == nil
    }

    /// The time that an operation waits for other processes that keep the files locked.
    var patience: Duration { .nanoseconds(shortestPatience.load(ordering: .relaxed)) }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        Int64(min(max(duration, .zero), .seconds(1_000_000_000)) / .nanoseconds(1))
    }

    /// Shortens the patience and the lag to those of another store.
    func shorten(patience: Duration, lag: Duration?) {
        shortestPatience.min(Self.nanoseconds(patience), ordering: .relaxed)
        guard let lag else { return }
        pace.withLock { $0.lag = min($0.lag ?? lag, lag) }
    }

    /// Reports a problem with the files. Only a list that writes keeps files aside.
    private func report(_ problem: SettingsError) {
        feed.report(isReadOnly.load(ordering: .relaxed) ? problem : problem.keepingFilesAside)
    }

    /// Permits writing, for a store over the list that may write.
    func allowWriting() { isReadOnly.store(false, ordering: .relaxed) }

    /// Whether the property list was damaged at the last reading.
    var isDamaged: Bool { files.withLock { $0.list.fault == .damaged } }

    /// Whether there was a property list or a journal at the last reading.
    var hasFiles: Bool {
        files.withLock { $0.list.status != nil || $0.cursor.journal != nil || $0.cursor.problem != nil }
    }

    // MARK: Access to the files

    /// Runs `body` while no other thread uses the files, and then reports problems and calls listeners.
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
                end.publish(inode: journal?.inode ?? 0, position: journal?.position ?? 0)
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
