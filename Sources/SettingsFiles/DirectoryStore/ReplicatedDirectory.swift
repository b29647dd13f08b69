import Dispatch
import SettingsCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A shared directory and this device's state: what all stores over the two share within a process.
///
/// The state is a property list with its journal; under each name it has an entry: the value, or that it was removed, and
/// the stamp of that. All that decides happens while the journal is locked, so that processes with one state act as one.
/// The directory is touched with nothing locked but, when the replica's file is put in its place, a lock that is only for
/// that: neither reading nor setting a value waits for it.
///
/// What is known of the directory's files is in ``table``; two threads that look at the directory at once do the same
/// twice, which changes nothing.
final class ReplicatedDirectory: Sendable {
    struct Table: Sendable {
        var files: [String: SeenFile] = [:]
        /// Whether there are more files than are looked at.
        var surplus: ReplicaProblem?
        /// What was told in the diagnostics and is still so, by code and file.
        var told: Set<String> = []
        /// The own head in the state in which it is known to survive a power failure.
        var durableStatus: FileStatus?
        /// What the own files have; nil if something is missing in them.
        var exported: Exported?
        /// Whether an own file was changed, so that ``exported`` must be found out again.
        var isExaminationDue = false
        /// Whether the own files must be written again although they have everything: they could not be synchronised.
        var mustExport = false
        /// Whether the next export must write all records into one file, so that no superseded one stays in another.
        var mustCompact = false
        /// Whether the directory was never there yet, for a local state that was made just now.
        var isDirectoryNew = false
        /// Until when the removals that are remembered are not gone through again.
        var collectionPause: Deadline?
        var hasCleanedUp = false
        /// How often the state had gone back when the files were read; see ``ReplicaTracker/reversals``.
        var reversals = 0
        /// Whether the local state was found to belong to the directory.
        var isDirectoryConfirmed = false
        /// How many old removals are kept because of each file, as it was found last.
        var heldRemovals: [String: Int] = [:]
        /// Why the first look failed.
        var firstProblem: (any Error)?
    }

    let directory: String
    let fileSystem: any FileSystem
    let options: DirectoryStore.Options
    /// Milliseconds since 1970; never before, nor after the year 9999, whatever the machine's clock shows.
    let now: @Sendable () -> Int64
    let list: JournaledPropertyList
    let tracker = ReplicaTracker()
    let table = Mutex(Table())
    /// Does what is not done in the caller's time.
    let queue = BackgroundQueue()
    let isAboutToLook = Atomic(false)
    let isLookPlanned = Atomic(false)
    let isExportPlanned = Atomic(false)
    let hasLookedInVain = Atomic(false)
    let firstLook = DispatchSemaphore(value: 0)
    let isWatching: Bool
    private let writer = Mutex<WriteBehind?>(nil)
    private let watch = Mutex<Lookout?>(nil)
    private let forkCount = Fork.count

    /// How long changes are gathered before the replica's file is written.
    private static let writingDelay = Duration.milliseconds(250)
    /// The same for the local state, which is brought up to date before the replica's file is written: only where that cannot
    /// be written it must be done by itself.
    private static let stateWritingDelay = Duration.milliseconds(800)
    /// How long opening waits for the directory.
    private static let firstPatience = DispatchTimeInterval.seconds(1)

    static let systemTime: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// - Parameter isWatching: Whether anything is done in the background.
    init(
        at location: DirectoryLocation, fileSystem: any FileSystem, options: DirectoryStore.Options, isWatching: Bool,
        now: @escaping @Sendable () -> Int64
    ) throws {
        directory = location.directory
        self.fileSystem = fileSystem
        self.options = options
        self.isWatching = isWatching
        self.now = { min(max(now(), 0), Instant.latestMilliseconds) }
        let description = "DirectoryStore at \(location.directory)"
        let tracker = tracker
        list = try JournaledPropertyList(
            path: location.statePath, fileSystem: fileSystem, isWatching: isWatching,
            writingDelay: isWatching ? Self.stateWritingDelay : .seconds(86_400),
            patience: JournaledPropertyList.patience, description: description
        ) { changes in
            tracker.present(changes)
        }
        do {
            let isNew = try Self.beginReplica(list, tracker)
            table.withLock { $0.isDirectoryNew = isNew }
        } catch {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        }
        guard isWatching else {
            try lookFirst()
            return
        }
        let writer = WriteBehind(delay: Self.writingDelay) { [weak self] in
            try self?.export(always: false)
        } report: { [weak self] error in
            // Most often it is what the last look has met, too.
            guard let self, !hasLookedInVain.load(ordering: .relaxed) else { return }
            list.feed.report(.wrap(error, as: .notExported, store: description))
        }
        self.writer.withLock { $0 = writer }
        queue.async { [self] in
            // Before the first look, so that nothing is missed; in the background, as a network may not answer.
            let watch = makeLookout()
            self.watch.withLock { $0 = watch }
            watch.begin(looking: false)
            do {
                try lookFirst()
            } catch {
                table.withLock { $0.firstProblem = error }
            }
            firstLook.signal()
        }
    }

    deinit {
        // What the background would do in a moment. (If it fails, whoever opens the store next does it.)
        guard isWatching, hasBackground else { return }
        do {
            try LastWriting.perform { try export(always: false) }
        } catch {
            list.feed.report(.wrap(error, as: .notExported, store: list.description))
        }
    }

    /// Whether there are background threads: a forked child has none.
    var hasBackground: Bool { forkCount == Fork.count }

    /// Reads who the replica is, or makes one.
    ///
    /// - Returns: whether it is a new one.
    private static func beginReplica(_ list: JournaledPropertyList, _ tracker: ReplicaTracker) throws -> Bool {
        var isNew = false
        try list.change {
            let contents = list.contents.withLock { $0 }
            let present = try contents.data(named: ReplicaMemory.name).flatMap { bytes throws in
                try ReplicaMemory(bytes)
            }
            let memory = present ?? ReplicaMemory(replica: .random())
            tracker.begin(memory: memory, records: records(in: contents))
            isNew = present == nil
            return isNew ? [JournalChange(name: ReplicaMemory.name, data: try memory.bytes)] : []
        }
        return isNew
    }

    /// Waits until the directory was looked at once, but not for long.
    func waitForFirstLook() throws {
        guard firstLook.wait(timeout: .now() + Self.firstPatience) == .success else { return }
        // For who opens it next.
        firstLook.signal()
        if let problem = table.withLock({ $0.firstProblem }) { throw problem }
    }

    private func lookFirst() throws {
        do {
            try look()
            if needsExport { scheduleExport() }
        } catch let error as SystemError where error.isAboutKind {
            throw SettingsError(.storeUnavailable, store: list.description, underlying: error)
        } catch let problem as ReplicaProblem where problem.code == .storeUnavailable {
            throw SettingsError(.storeUnavailable, store: list.description, underlying: problem)
        } catch {
            noteFailure(of: error)
        }
    }

    /// Has the replica's file written soon, if it lacks something then.
    ///
    /// - Parameter isOthers: Whether it is another process's change, who will most probably do it.
    func scheduleExport(isOthers: Bool = false) {
        guard hasBackground else { return }
        writer.withLock { $0 }?.schedule(after: isOthers ? .milliseconds(400) : .zero)
    }

    /// Whether writing the replica's file has failed and is tried again later.
    var isExportRetried: Bool { writer.withLock { $0 }?.isRetryScheduled ?? false }

    // MARK: Reading

    func value(named name: String) -> Data? {
        list.contents.withLock { $0.data(named: name) }.flatMap { SharedEntry.value(in: $0) }
    }

    /// All that is known, removals included. Linear time.
    func records() -> [SharedRecord] { Self.records(in: list.contents.withLock { $0 }) }

    static func records(in contents: PropertyListContents) -> [SharedRecord] {
        contents.names.compactMap { name in
            guard SettingsService.StorageKey.isValid(name), let bytes = contents.data(named: name),
                let entry = SharedEntry(bytes)
            else { return nil }
            return SharedRecord(name: name, entry: entry)
        }
    }
}
