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
/// The state is a log, in which each change has a stamp. ``folder`` has what was read of the replicas' files; what wins there is
/// appended to the log. The replica's own file in the directory is a copy of the log. The directory is read and written without
/// the log's lock, so reading and setting values never wait for it.
final class ReplicatedDirectory: Sendable {
    let log: SettingsLog
    let folder: SharedFolder
    let description: String
    let isReadOnly: Bool
    let fileSystem: any FileSystem
    /// The name of the device.
    private let device: String
    private let patience: Duration
    private let sizeLimit: Int64
    /// Returns the machine's time in milliseconds since 1970.
    let now: @Sendable () -> Int64
    /// The lock file that processes with the same state take to write the replica's file.
    private let exportLock: String
    private let queue = BackgroundQueue()
    /// Notices changes in the directory, and in the log.
    let monitor: ChangeMonitor
    /// Writes the replica's file in the background. Nil if the directory is neither watched nor written there.
    private let writer: WriteBehind?
    /// What this process has last written. Nil if it must look at the file.
    private let exported = Mutex<Exported?>(nil, .leaf)
    /// Whether the replica's file must be replaced: flushing it has failed, so it may lose what was written, and not say so again.
    private let mustReplace = Atomic(false)
    /// The problems that were diagnosed and persist.
    private let diagnosed = Mutex<Set<String>>([], .leaf)
    /// The result of the first reading. Nil until then.
    private let firstReading = Mutex<Result<Void, any Error>?>(nil, .leaf)

    static let systemTime: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// - Parameter isWatching: Whether the directory is watched and written in the background.
    init(
        at location: DirectoryLocation, fileSystem: any FileSystem, options: DirectoryStore.Options,
        access: SettingsStoreAccess = .readWrite, isWatching: Bool, now: @escaping @Sendable () -> Int64
    ) throws {
        isReadOnly = access == .readOnly
        description = "DirectoryStore at \(location.directory)"
        device = options.deviceName ?? DirectoryLocation.deviceName
        (self.fileSystem, self.now) = (fileSystem, now)
        (patience, sizeLimit) = (options.patience, Int64(options.sizeLimit))
        exportLock = location.statePath + "-export"
        var setup = SettingsLog.Setup(
            base: location.statePath, fileSystem: fileSystem, description: description, patience: options.patience)
        (setup.isReadOnly, setup.isAnnouncing) = (isReadOnly, isWatching && !isReadOnly)
        do {
            log = try SettingsLog(setup)
            let isNew = log.withContents { $0.replica == nil }
            if !isReadOnly { try Self.beginReplica(in: log, device: device) }
            folder = SharedFolder(at: location.directory, isNew: isNew, isReadOnly: isReadOnly, in: fileSystem)
        } catch {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        }
        writer = isWatching && !isReadOnly ? WriteBehind(delay: DirectoryLimits.writingDelay) : nil
        monitor = ChangeMonitor(
            interval: max(options.pollInterval ?? DirectoryLimits.pollInterval, DirectoryLimits.shortestPollInterval),
            isIntervalFixed: options.pollInterval != nil, queue: queue)
        monitor.monitor(self)
        if isWatching { begin() } else { try readFirst() }
    }

    /// Begins a replica if the log has none, which also shows whether the log can be written.
    private static func beginReplica(in log: SettingsLog, device: String) throws {
        let isKnown = log.withContents { $0.replica != nil }
        do {
            try log.write { contents in
                if contents.replica?.device == device { return [] }
                return [.replica(LogReplica(id: contents.replica?.id ?? newID, device: device))]
            }
        } catch SettingsError.Code.busy where isKnown {
            // Another process writes it now.
        }
    }

    private static var newID: UInt64 { .random(in: 1 ... .max) }

    /// Begins to write, to watch and to read in the background.
    private func begin() {
        writer?.begin { [weak self] in
            try self?.work()
            return true
        } report: { [weak self] error in
            // A failed reading was already diagnosed, most likely for the same reason.
            guard let self, !monitor.isFailing else { return }
            reportNotExported(error)
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
        guard writer != nil else { return }
        do {
            try LastWriting.perform { try work() }
        } catch {
            reportNotExported(error)
        }
    }

    /// Waits until the directory was read once, for a second at most.
    ///
    /// - Throws: the error of the first reading, if the directory cannot be used with this state.
    func waitForFirstReading() throws {
        let deadline = Deadline(after: DirectoryLimits.openingPatience)
        while !deadline.hasPassed {
            if let result = firstReading.withLock({ $0 }) { return try result.get() }
            ThreadPause.sleep(for: .microseconds(200))
        }
    }

    private func readFirst() throws {
        do {
            try read()
            if lacksChanges { scheduleExport() }
        } catch let error as SystemError where error.isAboutKind {
            throw SettingsError(.storeUnavailable, store: description, underlying: error)
        } catch let problem as ReplicaProblem where problem.code == .storeUnavailable {
            throw SettingsError(.storeUnavailable, store: description, underlying: problem)
        } catch {
            monitor.recordFailure(error)
        }
    }

    // MARK: Reading

    /// Reads the log and the directory, and merges changes. Unchanged files are not read again.
    ///
    /// - Throws: the system's errors for the directory or the local state. An unreadable file does not keep the others from being
    ///   read.
    func read() throws {
        defer { log.deliver() }
        try folder.prepare(state: log.path)
        try log.update()
        if !isReadOnly, log.mustCompact { try log.compact(waiting: patience) }
        try folder.read(log.loadCount, merge: merge)
        // A problem is reported if it persists at the next reading: a file may be arriving.
        if diagnose(), writer != nil { monitor.retry(after: DirectoryLimits.arrivalPause) }
        monitor.recordSuccess()
    }

    /// Appends the changes in a file that win to the log, as they are.
    private func merge(_ lines: [LogChanges]) throws {
        if lines.isEmpty || log.withContents({ $0.winners(among: lines).isEmpty }) { return }
        var isCopy = false
        try log.write(origin: .external) { contents in
            let winners = contents.winners(among: lines)
            // The log has all changes of its replica, unless another copy of the log has made them, or this one before it was put
            // back. From now on, its changes are those of another replica.
            let own = contents.replica?.id
            isCopy = !isReadOnly && winners.contains { $0.stamp?.replica == own }
            let new: [LogLine] = isCopy ? [.replica(LogReplica(id: Self.newID, device: device))] : []
            return new + winners.map { .changes($0) }
        }
        if isCopy { report(.copiedState) }
    }

    // MARK: Changing

    /// Changes values, and schedules an export of the changes.
    ///
    /// - Parameters:
    ///   - time: The time of the changes. Nil for now.
    ///   - isSet: Whether one value is set; see ``SettingsLog/write(origin:isSet:_:)``.
    ///   - decide: Returns the changes, or nil to refuse.
    /// - Returns: False if `decide` has refused.
    /// - Throws: `busy` if another process keeps the state locked; the system's errors.
    @discardableResult
    func change(
        at time: UInt64? = nil, isSet: Bool = false, _ decide: (LogContents) throws -> [LogChange]?
    ) throws -> Bool {
        defer { log.deliver() }
        var isChanged = false
        let isAccepted = try log.write(isSet: isSet) { contents in
            guard let changes = try decide(contents) else { return nil }
            if changes.isEmpty { return [] }
            isChanged = true
            // Damage can have taken the line that names the replica.
            let replica = contents.replica ?? LogReplica(id: Self.newID, device: device)
            guard let time = time ?? contents.nextTime(of: changes.map(\.name), now: now()) else {
                throw timeError(changes, contents)
            }
            let stamp = LogStamp(time: time, replica: replica.id)
            return (contents.replica == nil ? [.replica(replica)] : [])
                + [.changes(LogChanges(changes: changes, stamp: stamp))]
        }
        if isChanged { scheduleExport() }
        return isAccepted
    }

    private func timeError(_ changes: [LogChange], _ contents: LogContents) -> SettingsError {
        let latest = changes.compactMap { contents.entries[$0.name]?.stamp }.max { $0.time < $1.time }
        return SettingsError(
            .writeFailed, store: description,
            underlying: ReplicaProblem.noTimeLeft(replica: (latest?.replica ?? 0).hexDigits))
    }

    // MARK: Exporting

    /// What this process has written to the replica's file.
    private struct Exported {
        var position: SettingsLog.Position
        var name: String
        var status: FileStatus
    }

    /// Whether the replica's file may lack changes.
    var lacksChanges: Bool {
        guard !isReadOnly else { return false }
        guard let exported = exported.withLock({ $0 }) else { return true }
        let position = log.position
        return exported.position.log !== position.log || exported.position.end != position.end
            || folder.files[exported.name]?.status != exported.status
    }

    /// Schedules an export, which writes the replica's file if it lacks data.
    ///
    /// - Parameter isOthers: Whether another process may have made the change, and will then probably export it first.
    func scheduleExport(isOthers: Bool = false) {
        writer?.schedule(after: isOthers ? DirectoryLimits.othersDelay : .zero)
    }

    /// Whether an export has failed and will be repeated.
    var isExportRetried: Bool { writer?.isRetryScheduled ?? false }

    /// Does what is due in the background.
    private func work() throws {
        defer { log.deliver() }
        let result = Result { try export(always: false) }
        if log.needsCompaction { try log.compactIfFree() }
        try result.get()
    }

    /// Reads the directory, and writes the replica's file if it lacks data.
    ///
    /// - Parameter always: Whether to look at the file even if this process has written it.
    func export(always: Bool) throws {
        if isReadOnly { return }
        defer { log.deliver() }
        do {
            try read()
            if !always, !lacksChanges { return }
            var isCompacted = false
            for _ in 0..<DirectoryLimits.exportAttempts where try export(&isCompacted) { return }
            throw SettingsError(.conflict, store: description)
        } catch {
            throw SettingsError.wrap(error, as: .notExported, store: description)
        }
    }

    /// - Parameter isCompacted: Whether this export has compacted the log.
    /// - Returns: False to begin again.
    private func export(_ isCompacted: inout Bool) throws -> Bool {
        try log.update()
        guard let replica = log.withContents({ $0.replica }) else {
            try Self.beginReplica(in: log, device: device)
            return false
        }
        let position = log.position
        // Other devices must not receive a change that a power failure here could undo: its time could be used twice.
        try log.flush()
        guard let source = position.log, log.position.log === source, log.withContents({ $0.replica }) == replica else {
            return false
        }
        guard position.end <= sizeLimit else {
            // The old lines may be too much.
            if isCompacted { throw ReplicaProblem.tooMuch }
            try log.compact(waiting: patience)
            isCompacted = true
            return false
        }
        let name = ReplicaFileName.name(of: replica.id)
        let file = ReplicaExport(path: WholeFile.join(folder.path, name), fileSystem: fileSystem)
        switch try whileExporting({ try update(file, to: source, position.end) }) {
        case .written(let status):
            var summary = SeenFile.Summary()
            summary.replica = replica
            folder.record(SeenFile(status: status, content: .replica(summary), isFresh: false), named: name)
            // The old one is released outside of the lock, and with it a log.
            var new: Exported? = Exported(position: position, name: name, status: status)
            exported.withLock { swap(&$0, &new) }
            return true
        case .changed: break
        case .news(let lines): try merge(lines)
        case .unusable:
            try log.write { contents in
                contents.replica == replica ? [.replica(LogReplica(id: Self.newID, device: device))] : []
            }
        }
        return false
    }

    /// Runs `body` while no other process with the same state writes the replica's file. The log's lock is not used: setting a
    /// value must not wait for a network. No listener runs meanwhile.
    private func whileExporting<Result>(_ body: () throws -> Result) throws -> Result {
        var lock = LogLock(path: exportLock)
        defer { lock.close(in: fileSystem) }
        var pause = LockPause(until: Deadline(after: patience))
        while try !lock.acquire(in: fileSystem) {
            guard pause.next() else { throw SettingsError(.busy, store: description) }
        }
        return try body()
    }

    private enum Update {
        case written(FileStatus)
        /// Another program has changed the file meanwhile.
        case changed
        /// The file has changes that win over the log's: a syncer has brought another version, or another process has exported more.
        case news([LogChanges])
        /// A newer version's file, or something other than a file, has the name.
        case unusable
    }

    /// Has the replica's file say what a log says up to an offset.
    private func update(_ file: ReplicaExport, to source: LogFile, _ end: Int64) throws -> Update {
        var old: FileStatus?
        // The end up to which the log is appended to the present file. Nil to replace it.
        var appendedEnd: Int64?
        switch try file.read() {
        case .missing: break
        case .unusable: return .unusable
        case .file(let bytes, let status):
            old = status
            if try file.isBeginning(bytes, of: source, end) {
                appendedEnd = end
            } else {
                let (content, lines) = SeenFile.read(bytes)
                if case .newerVersion = content { return .unusable }
                let (present, new) = (
                    LogContents(lines), LogContents(SeenFile.read(try source.bytes(from: 0, to: end)).lines)
                )
                guard present.isContained(in: new) else { return .news(lines) }
                // A file that says the same is left: otherwise a syncer that changes it would have it written for ever.
                if case .replica(let summary) = content, summary.damagedLines == 0, new.isContained(in: present) {
                    appendedEnd = 0
                }
            }
        }
        let mustReplace = mustReplace.exchange(true, ordering: .relaxed)
        let status =
            if let old, let appendedEnd, !mustReplace {
                try file.append(source, to: appendedEnd, after: old)
            } else {
                try file.write(source, to: end, after: old)
            }
        self.mustReplace.store(mustReplace && status == nil, ordering: .relaxed)
        return status.map { .written($0) } ?? .changed
    }

    /// Exports missing data, and flushes the directory and the local state to the disk. A store that only reads reads the files of
    /// other devices, and writes nothing.
    func synchronize() throws {
        if isReadOnly {
            do { return try read() } catch { throw SettingsError.wrap(error, as: .readFailed, store: description) }
        }
        defer { log.deliver() }
        let result = Result { try export(always: false) }
        do { try log.flush() } catch { throw SettingsError.wrap(error, as: .notSaved, store: description) }
        try result.get()
    }

    // MARK: Reports

    /// Diagnoses problems that are new since the last reading.
    ///
    /// - Returns: whether there are problems that may disappear soon, because a file may be arriving.
    private func diagnose() -> Bool {
        let files = folder.files
        var problems = files.compactMap { name, file in file.isUnsettled(named: name) ? nil : file.problem(named: name)
        }
        if let count = folder.surplus { problems.append(.tooManyFiles(count)) }
        let new = diagnosed.withLock { diagnosed in
            let known = diagnosed
            diagnosed = Set(problems.map(\.topic))
            return problems.filter { !known.contains($0.topic) }
        }
        for problem in new { report(problem) }
        return files.contains { $1.isUnsettled(named: $0) }
    }

    /// Reports a problem to the feed.
    func report(_ problem: ReplicaProblem) {
        log.feed.report(SettingsError(problem.code, store: description, underlying: problem))
    }

    /// Reports to the feed that the directory cannot be read or written.
    func reportNotExported(_ error: any Error) {
        log.feed.report(.wrap(error, as: .notExported, store: description))
    }
}

// MARK: - Noticing changes

extension ReplicatedDirectory: ChangeMonitored {
    var monitoredPlaces: [ChangeMonitor.Place] {
        [.init(directory: folder.path, names: nil)] + ChangeMonitor.Place.places(of: [log.path])
    }

    /// Most events of the log report this process's own writes.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        guard case .changed(let name) = event else { return true }
        if name == WholeFile.split(log.path).name { return !log.isCurrent }
        return ReplicaFileName.isPossible(name)
    }

    /// Reads the directory, and schedules an export if the replica's file lacks something.
    func poll() throws -> Bool {
        let hasComeBack = monitor.isFailing
        try read()
        // Failed exports are repeated at growing intervals, unless the directory has just become available again.
        if hasComeBack || !isExportRetried, lacksChanges { scheduleExport(isOthers: !hasComeBack) }
        return true
    }

    /// Whether no file has changed and nothing is due. Waits only for the directory, which is on a local disk when this is
    /// called.
    var isQuiet: Bool { log.isCurrent && (!lacksChanges || isExportRetried) && folder.isUnchanged }

    /// Diagnoses that the directory cannot be read.
    func reportFailedPoll(_ error: any Error) { reportNotExported(error) }
}
