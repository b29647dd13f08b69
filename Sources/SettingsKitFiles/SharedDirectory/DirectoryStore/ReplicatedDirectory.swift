import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A shared directory with this device's state. All stores of a process with the same two use one object.
///
/// The state is a property list with a journal. For each name it has an entry: a value or a removal, with its stamp.
/// All decisions are made while the journal is locked, so processes with one state act as one. The directory is read
/// without a lock. Replacing the replica's files takes a separate lock, so reading and setting values never wait for
/// the directory.
///
/// ``table`` contains the knowledge of the directory's files. If two threads read the directory at the same time, both do the
/// same work, which is harmless because merging is idempotent.
final class ReplicatedDirectory: Sendable {
    struct Table: Sendable {
        var files: [String: SeenFile] = [:]
        /// The joined accepted times of the heads in the directory.
        var accepted = AcceptedTimes()
        /// The problem of too many files. Nil if all are read.
        var surplus: ReplicaProblem?
        /// The topics of the diagnosed problems that persist.
        var diagnosed: Set<String> = []
        /// The status of the own head that certainly survives a power failure.
        var durableStatus: FileStatus?
        /// The contents of the own files. Nil if they are incomplete.
        var exported: Exported?
        /// Whether the own files must be written again, because they could not be flushed.
        var mustRewrite = false
        /// Whether an own file has changed, so that ``exported`` must be determined again.
        var isExaminationDue = false
        /// Whether the next export must write all records into one part, so that no superseded record stays in another.
        var mustCompact = false
        /// Whether the local state is new and the directory was not found or created yet.
        var isDirectoryNew = false
        /// The next time to examine old removals.
        var collectionPause: Deadline?
        /// Whether temporary files were removed.
        var hasCleanedUp = false
        var downloads = DownloadRequests()
        /// The number of reversals of the state when the files were read; see ``ReplicaTracker/reversals``.
        var reversals = 0
        /// Whether the local state was found to belong to the directory.
        var isDirectoryConfirmed = false
        /// The number of old removals that are kept because of each file, at the last examination.
        var heldRemovals: [String: Int] = [:]
        /// The reason why the first reading failed.
        var firstProblem: (any Error)?
    }

    let directory: String
    let fileSystem: any FileSystem
    let options: DirectoryStore.Options
    /// Returns the machine's time in milliseconds since 1970, limited to the years 1970 to 9999.
    let now: @Sendable () -> Int64
    let list: JournaledPropertyList
    let tracker = ReplicaTracker()
    let table = Mutex(Table(), .leaf)
    /// The queue for background work.
    let queue: BackgroundQueue
    /// Notices changes in the directory.
    let monitor: ChangeMonitor
    let pendingWriter: PendingWriter
    let isExportPlanned = Atomic(false)
    let wasRead = Atomic(false)
    let isWatching: Bool
    /// Whether the directory and the local state are only read. Merged settings then exist in memory only.
    let isReadOnly: Bool
    private let writer = Mutex<WriteBehind?>(nil, .leaf)

    static let systemTime: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// - Parameter isWatching: Whether the directory is watched and written in the background.
    init(
        at location: DirectoryLocation, fileSystem: any FileSystem, options: DirectoryStore.Options,
        access: SettingsStoreAccess = .readWrite, limits: PropertyListStoreLimits = .init(), isWatching: Bool,
        now: @escaping @Sendable () -> Int64
    ) throws {
        directory = location.directory
        self.fileSystem = fileSystem
        self.options = options
        self.isWatching = isWatching
        isReadOnly = access == .readOnly
        self.now = { min(max(now(), 0), Instant.latestMilliseconds) }
        queue = BackgroundQueue()
        monitor = ChangeMonitor(
            interval: max(options.pollInterval ?? DirectoryTimings.pollInterval, DirectoryTimings.shortestPollInterval),
            isIntervalFixed: options.pollInterval != nil, queue: queue)
        let description = "DirectoryStore at \(location.directory)"
        let tracker = tracker
        list = try JournaledPropertyList(
            path: location.statePath, fileSystem: fileSystem, isWatching: isWatching,
            writingDelay: isWatching ? DirectoryTimings.stateWritingDelay : .seconds(86_400),
            patience: options.patience, limits: limits, isDetached: access == .readOnly, keepsJournalsFlushed: true,
            description: description
        ) { changes in
            tracker.present(changes)
        }
        pendingWriter = PendingWriter(
            queue: BackgroundQueue(), feed: list.feed, description: description, cause: JournalProblem.locked)
        do {
            let isNew = try Self.beginReplica(list, tracker)
            table.withLock { $0.isDirectoryNew = isNew }
        } catch {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        }
        monitor.monitor(self)
        guard isWatching else {
            try readFirst()
            return
        }
        let writer = WriteBehind(delay: DirectoryTimings.writingDelay)
        writer.begin { [weak self] in
            try self?.export(always: false)
        } writeAtExit: { [weak self] in
            try self?.writePending(waiting: PlatformTimings.longestWaitOfSet)
            try self?.export(always: false)
        } report: { [weak self] error in
            // A failed reading was already diagnosed, most likely for the same reason.
            guard let self, !monitor.isFailing else { return }
            list.feed.report(.wrap(error, as: .notExported, store: description))
        }
        self.writer.withLock { $0 = writer }
        queue.async { [self] in
            // Started before the first reading, so that no change is missed, and in the background, because a network may not
            // answer.
            monitor.startNow(isPolling: false)
            do {
                try readFirst()
            } catch {
                table.withLock { $0.firstProblem = error }
            }
            wasRead.store(true, ordering: .releasing)
        }
    }

    deinit {
        // Does now what the background would do soon. If it fails, the next process that opens the store does it.
        guard isWatching, hasBackground, !isReadOnly else { return }
        do {
            try LastWriting.perform { try export(always: false) }
        } catch {
            list.feed.report(.wrap(error, as: .notExported, store: list.description))
        }
    }

    /// Whether there are background threads. A forked child has none.
    var hasBackground: Bool { queue.isRunning }

    /// Reads the replica's memory from the state, or begins a new replica, which is the only reason to wait for other processes.
    ///
    /// - Returns: whether the replica is new.
    private static func beginReplica(_ list: JournaledPropertyList, _ tracker: ReplicaTracker) throws -> Bool {
        let isKnown = try list.contents.withLock { contents in
            guard let bytes = contents.data(named: ReplicaMemory.name), let memory = try ReplicaMemory(bytes) else {
                return false
            }
            tracker.begin(memory: memory, records: records(in: contents))
            return true
        }
        if isKnown {
            do {
                // Whether the state can be written.
                try list.change(waiting: .zero) { [] }
            } catch SettingsError.Code.busy {
                // Another process writes it now.
            }
            return false
        }
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

    /// Waits until the directory was read once, for a second at most.
    ///
    /// - Throws: the error of the first reading, if the directory cannot be used with this state.
    func waitForFirstReading() throws {
        let deadline = Deadline(after: DirectoryTimings.openingPatience)
        while !wasRead.load(ordering: .acquiring) {
            if deadline.hasPassed { return }
            ThreadPause.sleep(for: .microseconds(200))
        }
        if let problem = table.withLock({ $0.firstProblem }) { throw problem }
    }

    private func readFirst() throws {
        do {
            try read()
            if exportNeed != .nothing { scheduleExport() }
        } catch let error as SystemError where error.isAboutKind {
            throw SettingsError(.storeUnavailable, store: list.description, underlying: error)
        } catch let problem as ReplicaProblem where problem.code == .storeUnavailable {
            throw SettingsError(.storeUnavailable, store: list.description, underlying: problem)
        } catch {
            monitor.recordFailure(error)
        }
    }

    /// Schedules an export, which writes the replica's files if they lack data.
    ///
    /// - Parameter isOthers: Whether another process may have made the change, and will then probably export it first.
    func scheduleExport(isOthers: Bool = false) {
        guard hasBackground, !isReadOnly else { return }
        writer.withLock { $0 }?.schedule(after: isOthers ? DirectoryTimings.othersDelay : .zero)
    }

    /// Whether an export has failed and will be repeated.
    var isExportRetried: Bool { writer.withLock { $0 }?.isRetryScheduled ?? false }

    // MARK: Reading

    /// Returns the bytes that are in force for a name, or nil if there is no value.
    func value(named name: String) -> Data? {
        list.contents.withLock { contents in tracker.value(named: name, in: contents) }
    }

    /// Returns the bytes that are stored for a name, or nil if there is no value.
    func storedValue(named name: String) -> Data? {
        list.contents.withLock { $0.data(named: name) }.flatMap { SharedEntry.value(in: $0) }
    }

    /// Returns all records, including removals. Linear time.
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
