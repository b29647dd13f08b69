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
/// Locks are taken in the order ``folding``, ``access`` (and with it the lock on the journal, which other processes take,
/// too), ``contents``. ``contents`` is never held while a file is touched, so that reading never waits for one. No lock is
/// held while listeners run.
final class JournaledPropertyList: Sendable {
    /// What is known of the files.
    struct Access: Sendable {
        var file: WholeFile
        /// The file that `file` is, with symbolic links followed. The journal is beside it.
        var target: String
        /// nil while there is none.
        var journal: Journal?
        /// Until when it is not waited for the journal's lock, which was waited for in vain.
        var busyUntil = Deadline(after: .zero)
        /// Until when the journal is taken to be the one at its path, unless it has grown; nil if it is not.
        var trustedUntil: Deadline?
        /// The journal that was followed before, when none is open; 0 if none ever was.
        var predecessor: UInt64 = 0
        /// Whether it may have got more since, which is not in memory.
        var hasLeftEarly = false
        /// What is added to an offset in that one to get a position in the history of journals.
        var predecessorBase: Int64 = 0
        /// Where it ended, in the history of journals.
        var history: Int64 = 0
        /// Up to where, in the history of journals, the property list has everything.
        var folded: Int64 = 0
        /// The property list as it was when it was last read or written; nil while there was none.
        var fileStatus: FileStatus?
        /// The state of it that the journal tells of last.
        var toldStatus: FileStatus?
        /// Whether it is not a property list any more, so that it must be kept aside when it is replaced.
        var isFileDamaged = false
        /// What was found wrong with it a moment ago; somebody may just be writing it.
        var suspicion: Suspicion?
        /// Whether the property list is known to survive a power failure.
        var isFileDurable = false
        /// Whether it must be written again although nothing has changed: it could not be synchronised.
        var mustRewrite = false
        /// The bytes that are about to be appended; kept, so that not every change needs new memory.
        var buffer: [UInt8] = []
        /// What is to be told when the locks are released.
        var problems: [SettingsError] = []
        var forkCount = Fork.count
        /// Whether what dead processes have left behind was looked for.
        var hasCleanedUp = false

        /// Whether it was read in a state that the journal did not know: somebody has edited it, and others may have seen it
        /// in another state, or not at all.
        var isFileUntold: Bool { fileStatus != nil && fileStatus != toldStatus }

        var journalPath: String { JournaledPropertyList.journalPath(of: target) }
    }

    struct Suspicion: Sendable {
        let damage: PropertyListError
        let end: Deadline
    }

    /// How long changes are gathered before the property list is brought up to date.
    static let writingDelay = Duration.milliseconds(250)
    /// How long a writer waits for another process that has locked the journal and does not go on.
    static let patience = Duration.seconds(3)
    /// How long a journal is taken to be the one at its path without having been looked for; when another journal takes its
    /// place, it is told in it. Only for who has the directory watched, and so is told when somebody removes it.
    static let trust = Duration.milliseconds(10)
    /// How long a file that is not a property list may be somebody's half-written one.
    static let suspicionTime = Duration.milliseconds(300)
    /// Larger files are not read: no preferences file has this size.
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
    /// Does what is not done in the caller's time.
    let queue = BackgroundQueue()
    let hasLookedInVain = Atomic(false)
    let isAboutToLook = Atomic(false)
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
        trust: Duration? = nil, description: String? = nil, presentation: Presentation? = nil
    ) throws {
        let description = description ?? Self.description(of: path)
        self.path = path
        self.description = description
        self.presentation = presentation
        self.fileSystem = fileSystem
        self.patience = patience
        self.trust = trust ?? (isWatching ? Self.trust : .zero)
        let loaded: Loaded
        do {
            loaded = try Loaded(path: path, fileSystem: fileSystem)
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
        for damage in loaded.damages { feed.report(damageReport(damage)) }
        self.writer.withLock { $0 = writer }
        if isWatching {
            watch.withLock { $0 = FileWatch(of: self) }
            feed.onFirstListener { [weak self] in self?.startWatching() }
        }
        if loaded.contents.lastPosition > loaded.access.folded { scheduleFold() }
    }

    deinit {
        do {
            // Whoever drops the store does not wait for others: what is not in the property list is in the journal.
            try LastWriting.perform { () throws(SettingsError) in try fold(waiting: .zero) }
        } catch {
            feed.report(error)
        }
        access.withLock { $0.journal }?.close()
    }

    static func journalPath(of target: String) -> String { target + "-journal" }

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
        defer {
            feed.flush()
            for problem in problems { feed.report(problem) }
        }
        return try access.withLock { access in
            defer {
                swap(&problems, &access.problems)
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
        feed.publish(presentation?(changes) ?? changes, origin: origin)
    }

    func damageReport(_ damage: any ValueFreeError) -> SettingsError {
        SettingsError(.damaged, store: description, underlying: damage)
    }
}
