import SettingsKitCore
import SettingsKitPlatform
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
/// Locks are taken in the order ``folding``, ``access`` (and with it the lock on the journal, which other processes take,
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
    let access: Mutex<Access>
    let contents: Mutex<PropertyListContents>
    /// Held by the one thread that brings the file up to date.
    let folding = Mutex(())
    let patience: Duration
    let trust: Duration
    let limits: PropertyListStoreLimits
    /// Does what is not done in the caller's time.
    let queue = BackgroundQueue()
    let hasLookedInVain = Atomic(false)
    let isAboutToLook = Atomic(false)
    /// Whether anything was published since ``access`` was locked.
    private let hasPublished = Atomic(false)
    let isLookPlanned = Atomic(false)
    /// The journal's inode and how far it was read, to be compared with what is at the path; of no meaning together.
    private let knownInode = Atomic<UInt64>(0)
    private let knownEnd = Atomic<UInt64>(0)
    let announcement = Atomic(Announcement.none)
    private let forkCount = Fork.count
    private let writer = Mutex<WriteBehind?>(nil)
    private let watch = Mutex<FileWatch?>(nil)

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
        access = Mutex(loaded.access)
        let writer = WriteBehind(delay: writingDelay) { [weak self] in
            try self?.foldInBackground()
        } report: { [weak self] error in
            guard let self else { return }
            feed.report(.wrap(error, as: .notSaved, store: description))
        }
        for problem in loaded.problems { feed.report(problem) }
        self.writer.withLock { $0 = writer }
        if isWatching {
            watch.withLock { $0 = FileWatch(of: self) }
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
        access.withLock { $0.journal }?.close()
    }

    static func description(of path: String) -> String { "PropertyListStore at \(path)" }

    /// Whether there are background threads: a forked child has none. It brings the file up to date when it exits.
    var hasBackground: Bool { forkCount == Fork.count }

    /// Has the property list brought up to date soon.
    ///
    /// - Parameter isOthers: Whether it is somebody else's change, who will most probably do it.
    func scheduleFold(isOthers: Bool = false) {
        guard hasBackground else { return }
        writer.withLock { $0 }?.schedule(after: isOthers ? .milliseconds(400) : .zero)
    }

    /// Looks for what others change from now on, if it is to be looked for at all.
    func startWatching() { watch.withLock { $0 }?.start() }

    // MARK: Access to the files

    /// Runs `body` with the files to itself, and tells afterwards what is to be told.
    func withAccess<R: Sendable>(_ body: (inout Access) throws -> R) throws -> R {
        var problems: [SettingsError] = []
        // Only for changes made here: those of another thread are delivered there, before its call returns.
        var hasPublished = false
        defer {
            if hasPublished { feed.flush() }
            for problem in problems { feed.report(problem) }
        }
        return try access.withLock { access in
            defer {
                swap(&problems, &access.problems)
                hasPublished = self.hasPublished.exchange(false, ordering: .relaxed)
                knownInode.store(access.journal?.inode ?? 0, ordering: .relaxed)
                knownEnd.store(access.journal?.position ?? 0, ordering: .relaxed)
            }
            return try body(&access)
        }
    }

    /// Whether what is at the journal's path is what is known of it. Does not wait for who works on the files.
    func isKnown(_ status: FileStatus?) -> Bool {
        guard let status else { return knownInode.load(ordering: .relaxed) == 0 }
        return status.inode == knownInode.load(ordering: .relaxed)
            && status.size == knownEnd.load(ordering: .relaxed)
    }

    /// Tells listeners of changes that were just made; with ``contents`` locked.
    func publish(_ changes: [SettingsStoreChange], origin: SettingsService.Origin) {
        hasPublished.store(true, ordering: .relaxed)
        feed.publish(presentation?(changes) ?? changes, origin: origin)
    }
}
