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
/// It lets its parts work together, and decides when: ``state`` has the settings, ``files`` what was read of the replicas' files,
/// ``ownFiles`` what this replica's files lack. The directory is read without a lock. Replacing the replica's files takes a
/// separate lock, so reading and setting values never wait for the directory.
final class ReplicatedDirectory: Sendable {
    let state: ReplicaState
    let files: SeenFiles
    let ownFiles: OwnFiles
    let oldRemovals: OldRemovals
    let reports: DirectoryReports
    private let folder: SharedFolder
    private let fileSystem: any FileSystem
    private let options: DirectoryStore.Options
    /// The queue for background work.
    private let queue = BackgroundQueue()
    /// Notices changes in the directory.
    let monitor: ChangeMonitor
    /// Writes the replica's files in the background. Nil if the directory is neither watched nor written there.
    private let writer: WriteBehind?
    private let isLaterExportPlanned = Atomic(false)
    /// The result of the first reading. Nil until then.
    private let firstReading = Mutex<Result<Void, any Error>?>(nil, .leaf)

    static let systemTime: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// - Parameter isWatching: Whether the directory is watched and written in the background.
    init(
        at location: DirectoryLocation, fileSystem: any FileSystem, options: DirectoryStore.Options,
        access: SettingsStoreAccess = .readWrite, limits: PropertyListStoreLimits = .init(), isWatching: Bool,
        now: @escaping @Sendable () -> Int64
    ) throws {
        let directory = location.directory
        state = try ReplicaState(
            at: location, fileSystem: fileSystem, options: options, access: access, limits: limits,
            isWatching: isWatching, now: now)
        folder = SharedFolder(at: directory, fileSystem: fileSystem, state: state)
        files = SeenFiles(in: directory, fileSystem: fileSystem, sizeLimit: options.sizeLimit, state: state)
        ownFiles = OwnFiles(of: state, in: files)
        oldRemovals = OldRemovals(of: state, in: files, ownFiles)
        reports = DirectoryReports(of: state, in: files, ownFiles, oldRemovals)
        self.fileSystem = fileSystem
        self.options = options
        writer = isWatching ? WriteBehind(delay: DirectoryTimings.writingDelay) : nil
        monitor = ChangeMonitor(
            interval: max(options.pollInterval ?? DirectoryTimings.pollInterval, DirectoryTimings.shortestPollInterval),
            isIntervalFixed: options.pollInterval != nil, queue: queue)
        monitor.monitor(self)
        if let writer { begin(writer) } else { try readFirst() }
    }

    /// Begins to write, to watch and to read in the background.
    private func begin(_ writer: WriteBehind) {
        writer.begin { [weak self] in
            try self?.export(always: false)
        } writeAtExit: { [weak self] in
            try self?.export(always: false)
        } report: { [weak self] error in
            // A failed reading was already diagnosed, most likely for the same reason.
            guard let self, !monitor.isFailing else { return }
            state.reportNotExported(error)
        }
        queue.async { [self] in
            // Started before the first reading, so that no change is missed, and in the background, because a network may not
            // answer.
            monitor.startNow(isPolling: false)
            let result = Result { try readFirst() }
            firstReading.withLock { $0 = result }
        }
    }

    deinit {
        // Does now what the background would do soon. If it fails, the next process that opens the store does it.
        guard writer != nil, !state.isReadOnly else { return }
        do {
            try LastWriting.perform { try export(always: false) }
        } catch {
            state.reportNotExported(error)
        }
    }

    /// Waits until the directory was read once, for a second at most.
    ///
    /// - Throws: the error of the first reading, if the directory cannot be used with this state.
    func waitForFirstReading() throws {
        let deadline = Deadline(after: DirectoryTimings.openingPatience)
        while !deadline.hasPassed {
            if let result = firstReading.withLock({ $0 }) { return try result.get() }
            ThreadPause.sleep(for: .microseconds(200))
        }
    }

    private func readFirst() throws {
        do {
            try read()
            if ownFiles.need != .nothing { scheduleExport() }
        } catch let error as SystemError where error.isAboutKind {
            throw SettingsError(.storeUnavailable, store: state.list.description, underlying: error)
        } catch let problem as ReplicaProblem where problem.code == .storeUnavailable {
            throw SettingsError(.storeUnavailable, store: state.list.description, underlying: problem)
        } catch {
            monitor.recordFailure(error)
        }
    }

    // MARK: Reading

    /// Reads the directory, and adopts changes. Unchanged files are not read again.
    ///
    /// - Throws: the system's errors for the directory or the local state. An unreadable file does not keep the others from being
    ///   read.
    func read() throws {
        try folder.prepare()
        try files.read(adopt: adopt)
        ownFiles.examine()
        try state.updateMemory(for: files.summaries)
        try oldRemovals.forget()
        // A problem is reported if it persists at the next reading: a file may be arriving.
        if reports.diagnose(), writer != nil { monitor.retry(after: DirectoryTimings.arrivalPause) }
        monitor.recordSuccess()
    }

    /// Adopts the records of a file.
    private func adopt(_ file: ReplicaFile, _ name: String, _ summary: inout SeenFile.Summary) throws {
        let outcome = try state.merge(file.records) { files.accepted(now: $0, with: file.header) }
        try adoptReturning(outcome.returning, name)
        summary.record(outcome)
        guard let header = file.header, header.replica == state.memory.replica,
            name == files.ownName(part: header.part)
        else { return }
        if header.part == 0 { keepUnknownFields(of: header) }
        summary.contents = PartContents(file.records)
    }

    /// Adopts values that are older than a forgotten removal, unless a file in the directory has their removal.
    private func adoptReturning(_ records: [SharedRecord], _ file: String) throws {
        guard !records.isEmpty else { return }
        var latest: [String: SharedEntry] = [:]
        for record in records { latest[record.name] = max(latest[record.name] ?? record.entry, record.entry) }
        _ = try files.readAllRecords { _, record in
            guard record.entry.isTombstone, let entry = latest[record.name] else { return }
            latest[record.name] = max(entry, record.entry)
        }
        let count = try state.adopt(returning: latest)
        if count > 0 { state.report(.returned(file, records: count)) }
    }

    private func keepUnknownFields(of header: ReplicaHeader) {
        guard !header.unknownFields.isEmpty else { return }
        do {
            try state.changeMemory { $0.unknownFields = header.unknownFields }
        } catch {
            // The state cannot be written, so the own file is not written either: it still has the fields, and the next reading
            // keeps them.
        }
    }

    // MARK: Changing

    /// Stores bytes under a key, or removes it.
    ///
    /// - Throws: `busy` if another process keeps the state locked.
    func set(_ data: Data?, for key: SettingsService.StorageKey) throws {
        try changing { try $0.set(data, for: key) }
    }

    /// Changes the state, and schedules an export of the changes.
    func changing<Result>(_ body: (ReplicaState) throws -> Result) rethrows -> Result {
        let old = state.changes
        defer { if state.changes != old { scheduleExport() } }
        return try body(state)
    }

    // MARK: Exporting

    /// Schedules an export, which writes the replica's files if they lack data.
    ///
    /// - Parameter isOthers: Whether another process may have made the change, and will then probably export it first.
    func scheduleExport(isOthers: Bool = false) {
        guard !state.isReadOnly else { return }
        writer?.schedule(after: isOthers ? DirectoryTimings.othersDelay : .zero)
    }

    /// Schedules an export after a pause. Further calls before that have no effect. Heard moments only let other replicas forget
    /// removals, which is not urgent.
    func scheduleLaterExport() {
        if isLaterExportPlanned.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.async(after: DirectoryTimings.hearingPause) { [weak self] in
            self?.isLaterExportPlanned.store(false, ordering: .releasing)
            self?.scheduleExport()
        }
    }

    /// Whether an export has failed and will be repeated.
    var isExportRetried: Bool { writer?.isRetryScheduled ?? false }

    /// Reads the directory, and writes the replica's files if they lack data.
    ///
    /// - Parameter always: Whether to write them even if they are complete.
    func export(always: Bool) throws {
        if state.isReadOnly { return }
        do {
            try read()
            guard always || ownFiles.need != .nothing else { return }
            let export = ReplicaExport(
                state: state, seenFiles: files, ownFiles: ownFiles, fileSystem: fileSystem, options: options,
                read: read)
            try export.publish()
        } catch {
            throw SettingsError.wrap(error, as: .notExported, store: state.list.description)
        }
    }

    /// Exports missing data, and flushes the directory and the local state to the disk. A store that only reads reads the files of
    /// other devices, and writes nothing.
    func synchronize() throws {
        let list = state.list
        if state.isReadOnly {
            try list.synchronize(isReadOnly: true)
            do { return try read() } catch { throw SettingsError.wrap(error, as: .readFailed, store: list.description) }
        }
        do {
            try export(always: false)
            try ownFiles.synchronize()
        } catch {
            try list.synchronize()
            throw SettingsError.wrap(error, as: .notExported, store: list.description)
        }
        try list.synchronize()
    }
}
