import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list and its journal: what all stores over one path share within a process.
///
/// The journal's byte order is the order of all changes, whoever makes them. Memory is what the files say up to a place in
/// the journal; to change something, the journal is locked, what others have appended is applied, the change is appended,
/// and then made in memory. To read something, only memory is asked.
///
/// Locks are taken in the order ``folding``, ``files`` (and with it the lock on the journal, which other processes take,
/// too), ``contents``. ``contents`` is never held while a file is touched, so that reading never waits for one. No lock is
/// held while listeners run.
final class JournaledPropertyList: Sendable {
    /// How long changes are gathered before the property list is brought up to date.
    static let writingDelay = Duration.milliseconds(250)
    /// How long a writer waits for another process that has locked the journal and does not go on.
    static let patience = Duration.seconds(3)
    /// How long a journal is taken to be the one at its path without having been looked for; when another journal takes its
    /// place, it is told in it. Only for who has the directory watched, and so is told when somebody removes it.
    static let trust = Duration.milliseconds(10)
    /// How long a file that is not a property list may be somebody's half-written one.
    static let suspicionTime = Duration.milliseconds(300)
    /// Larger files are neither read nor written: no preferences file has this size.
    static let fileSizeLimit = 1 << 30

    typealias Presentation = @Sendable ([SettingsStoreChange]) -> [SettingsStoreChange]

    let path: String
    let description: String
    private let presentation: Presentation?
    let fileSystem: any FileSystem
    let feed = SettingsStoreFeed()
    let files: Mutex<PropertyListFiles>
    let contents: Mutex<PropertyListContents>
    /// Held by the one thread that brings the file up to date.
    let folding = Mutex(())
    let patience: Duration
    let trust: Duration
    let limits: PropertyListStoreLimits
    /// Does what is not done in the caller's time.
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
    private let isWatching: Bool
    private let writer: WriteBehind

    /// - Parameters:
    ///   - isWatching: Whether changes that others make are looked for.
    ///   - writingDelay: How long changes are gathered before the property list is brought up to date.
    ///   - trust: How long a journal is taken to be the one at its path; nil for what is usual.
    ///   - description: What messages call the store.
    ///   - presentation: Makes of changes what the feed tells; nil if it tells them as they are. Called with ``contents``
    ///     locked, for every change there is.
    init(
        path: String, fileSystem: any FileSystem, isWatching: Bool, writingDelay: Duration, patience: Duration,
        trust: Duration? = nil, limits: PropertyListStoreLimits = .init(), description: String? = nil,
        presentation: Presentation? = nil
    ) throws {
        let description = description ?? Self.description(of: path)
        self.path = path
        self.description = description
        self.presentation = presentation
        self.fileSystem = fileSystem
        self.patience = patience
        self.limits = limits
        self.trust = trust ?? (isWatching ? Self.trust : .zero)
        let loaded: LoadedPropertyList
        do {
            loaded = try LoadedPropertyList(path: path, fileSystem: fileSystem, store: description)
        } catch {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        }
        contents = Mutex(loaded.contents)
        files = Mutex(loaded.files)
        self.isWatching = isWatching
        writer = WriteBehind(delay: writingDelay)
        let (queue, journal) = (BackgroundQueue(), WatchedPath(loaded.files.journalPath))
        self.queue = queue
        watchedJournal = journal
        monitor = ChangeMonitor(interval: Self.pollInterval, queue: queue)
        announcer = ChangeAnnouncer(pause: Self.announcementPause) { Self.touch(journal.value, in: fileSystem) }
        for problem in loaded.problems { feed.report(problem) }
        monitor.monitor(self)
        writer.begin { [weak self] in
            try self?.foldInBackground()
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
            // This waits for no other process: what is not in the property list is in the journal.
            try LastWriting.perform { () throws(SettingsError) in try fold(waiting: .zero) }
        } catch {
            feed.report(error)
        }
        files.withLock { $0.cursor.journal }?.close()
    }

    static func description(of path: String) -> String { "PropertyListStore at \(path)" }

    /// Whether there are background threads: a forked child has none. It brings the file up to date when it exits.
    var hasBackground: Bool { queue.isRunning }

    /// Has the property list brought up to date soon.
    ///
    /// - Parameter isOthers: Whether it is somebody else's change, who will most probably do it.
    func scheduleFold(isOthers: Bool = false) {
        guard hasBackground else { return }
        writer.schedule(after: isOthers ? .milliseconds(400) : .zero)
    }

    /// Starts to notice what other processes change, if the list is watched at all.
    func startWatching() { if isWatching { monitor.start() } }

    // MARK: Access to the files

    /// Runs `body` with the files to itself, and tells afterwards what is to be told.
    func withFiles<R: Sendable>(_ body: (inout PropertyListFiles) throws -> R) throws -> R {
        var problems: [SettingsError] = []
        // Only for changes made here: those of another thread are delivered there, before its call returns.
        var hasPublished = false
        defer {
            if hasPublished { feed.flush() }
            for problem in problems { feed.report(problem) }
        }
        return try files.withLock { files in
            defer {
                swap(&problems, &files.problems)
                hasPublished = self.hasPublished.exchange(false, ordering: .relaxed)
                let journal = files.cursor.journal
                end.note(inode: journal?.inode ?? 0, position: journal?.position ?? 0)
            }
            return try body(&files)
        }
    }

    /// Tells listeners of changes that were just made; with ``contents`` locked.
    func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        hasPublished.store(true, ordering: .relaxed)
        feed.publish(presentation?(changes) ?? changes, origin: origin)
    }
}
