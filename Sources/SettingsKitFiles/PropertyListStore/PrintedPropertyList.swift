import SettingsKitCore
import SettingsKitPlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A property list that is printed from a log, and read when a person or another program has written it. All stores of a process over
/// one path use one object.
///
/// The log is the truth. What differs in a list that was not printed is in force at once, over the log's values, and is imported: a
/// line of the log has it, and says which list is known now. A list is printed in the background: it is announced by a line, put in
/// place, and another line says up to which offset it has all changes. Names that were changed behind that offset are not imported.
///
/// Lock: ``state``, while the list is looked at or printed; inside it, those of the log. No listener runs inside it.
final class PrintedPropertyList: Sendable {
    private struct State {
        /// The list that was last looked at. Nil inside if there was none; nil before the first look.
        var looked: FileStatus??
        /// What the log said of the list then.
        var version = Version()
        /// When the list is looked at once more, because its status may not show a change that follows soon.
        var again: Deadline?
        /// The list cannot be parsed.
        var fault: Fault?
        /// Whether no look has followed opening.
        var isOpening = true
        /// Whether the removal of the list was reported, and a copy of the log is kept.
        var isRemovalReported = false
        /// When a list that is missing counts as removed, if there is no log.
        var absence: Deadline?
        /// Whether the list was imported while it lacked changes: its editor must see them soon.
        var isEdited = false
        /// Whether the list cannot be replaced, because it is a mount point.
        var isInPlace = false
        var pace = PrintingPace()
        var problems: [SettingsError] = []
        /// Whether the log has values that were removed.
        var hasRemoved = false
        /// When the log may be compacted for another removal.
        var removal: Deadline?
    }

    /// Differs after another log was loaded, or a line about the list was read.
    private struct Version: Equatable {
        var loadCount = 0
        var voidance: Int64 = 0
    }

    private struct Fault {
        let status: FileStatus
        let error: PropertyListError
        /// When the list counts as damaged: an editor may be writing it.
        let end: Deadline
        var isReported = false
        /// Whether a copy of the list is kept.
        var isKept = false
    }

    let log: SettingsLog
    let path: String
    let description: String
    let fileSystem: any FileSystem
    /// The problem for which the log cannot be used: then the list's values alone are read, and nothing is written.
    let logProblem: LogProblem?
    private let target: String
    private let file: WholeFile
    private let setup: PropertyListSetup
    private let state: Mutex<State>
    /// Whether this process may print the list: it has changed something, or was asked for it.
    private let isWriting = Atomic(false)
    /// The end of the last line that this process has appended.
    private let ownEnd = Atomic(Int64(-1))
    private let monitor = ChangeMonitor(interval: PropertyListTimings.pollInterval, queue: BackgroundQueue())
    private let writer: WriteBehind

    init(_ setup: PropertyListSetup) throws {
        (self.setup, path, description, fileSystem) = (setup, setup.path, setup.description, setup.fileSystem)
        writer = WriteBehind(delay: min(setup.writingDelay, setup.lag ?? setup.writingDelay))
        do {
            target = try WholeFile(path: path, fileSystem: fileSystem).resolvedPath()
            file = WholeFile(path: target, fileSystem: fileSystem)
            let reading = ListFile(file: file)
            var log = SettingsLog.Setup(
                base: target, fileSystem: fileSystem, description: description,
                patience: setup.patience)
            (log.trust, log.isAnnouncing) = (setup.trust ?? log.trust, setup.isWatching)
            log.access = setup.access
            log.list = { try reading.statement(isFlushing: $0) }
            log.model = target
            do {
                self.log = try SettingsLog(log)
                logProblem = nil
            } catch {
                guard let problem = Self.problem(error) else { throw error }
                log.isDetached = true
                self.log = try SettingsLog(log)
                logProblem = problem
            }
            state = Mutex(State(), .store)
            try open()
        } catch {
            throw SettingsError(.storeUnavailable, store: setup.description, underlying: error)
        }
        begin()
    }

    /// The reason to use the list without its log: it must not be used, or this process may not read it.
    private static func problem(_ error: any Error) -> LogProblem? {
        if let error = error as? SystemError, [EACCES, EPERM].contains(error.number) { return .unreadable(error) }
        return error as? LogProblem
    }

    /// Looks at the list for the first time.
    private func open() throws {
        defer { deliver() }
        let hasLog = log.position.log != nil
        do {
            try state.withLock { try look(&$0) }
        } catch let error as SystemError {
            // The log has all values.
            guard hasLog else { throw error }
            state.withLock { $0.problems.append(.wrap(error, as: .readFailed, store: description)) }
        }
        let fault = state.withLock { state in
            // What cannot be parsed at opening is not being edited: there is no wait for its end.
            if let fault = state.fault, !hasLog || fault.end.hasPassed { report(fault, &state) }
            return state.fault
        }
        if let logProblem {
            guard fault == nil, hasList else { throw logProblem }
            let error = SettingsError(.logUnavailable, store: description, underlying: logProblem)
            state.withLock { $0.problems.append(error) }
        } else if fault != nil, !hasLog, let read = try file.read(limit: PropertyListLimits.fileSize),
            let format = OtherFormat(of: read.bytes)
        {
            throw format
        }
    }

    private func begin() {
        monitor.monitor(self)
        if setup.isWatching {
            monitor.start(after: PropertyListTimings.watchingDelay)
            log.feed.onFirstListener { [weak self] in self?.startWatching() }
        }
        writer.begin { [weak self] in
            try self?.printIfDue() ?? true
        } writeAtExit: { [weak self] in
            try self?.finish()
        } report: { [weak self] error in
            guard let self else { return }
            log.feed.report(.wrap(error, as: .notSaved, store: description))
        }
    }

    deinit {
        do {
            try LastWriting.perform { try finish() }
        } catch {
            log.feed.report(.wrap(error, as: .notSaved, store: description))
        }
    }

    /// Starts to notice changes of other processes, if the list is watched at all.
    private func startWatching() { if setup.isWatching { monitor.start() } }

    /// Reports problems, and calls listeners. Outside of every lock.
    private func deliver() {
        let problems = state.withLock { state in exchange(&state.problems, with: []) }
        for problem in problems { log.feed.report(problem) }
        log.deliver()
    }

    // MARK: Looking

    /// Whether there was a list at the last look.
    var hasList: Bool { state.withLock { ($0.looked ?? nil) != nil || $0.fault != nil } }

    /// Whether the list is damaged.
    var isDamaged: Bool { state.withLock { $0.fault?.isReported == true } }

    /// Looks at the list, if it has changed, and puts in force what it says.
    ///
    /// A process that writes also imports it: others then know it.
    ///
    /// - Parameter isPatient: Whether to wait for another process that has announced the list to record it.
    private func look(_ state: inout State, isPatient: Bool = true) throws {
        for _ in 0..<PropertyListLimits.attempts {
            let status = try file.status()
            let isYoung = status.map { setup.isYoung($0.changed) } ?? false
            try log.update()
            if let looked = state.looked, looked == status, state.again.map({ !$0.hasPassed }) ?? true,
                state.fault == nil, state.version == version
            {
                return
            }
            guard let bytes = try ListFile(file: file).read(status) else { continue }
            let found = bytes.map { FileDigest($0) }
            let (known, isKnown, announced) = log.withContents {
                ($0.list, $0.isListKnown && !$0.isDamaged, $0.announced)
            }
            if isKnown, found == known {
                state.fault = nil
                settle(status, isYoung, &state)
                if isWriting.load(ordering: .relaxed), logProblem == nil { try restrict(to: status?.permissions) }
                return
            }
            if isPatient, let found, found == announced, state.again?.hasPassed != true {
                // Another process is about to record it.
                state.again = state.again ?? Deadline(after: PropertyListTimings.recordingTime)
                monitor.poll(after: PropertyListTimings.recordingTime * 1.2)
                return
            }
            var list: LogContents.ListContents?
            switch ListFile.contents(of: bytes) {
            case .missing:
                if !state.isOpening || state.looked != nil, log.position.log == nil, !log.withContents(\.names).isEmpty,
                    isPatient, state.absence?.hasPassed != true
                {
                    // A program that edits the list may remove it for a moment.
                    state.absence = state.absence ?? Deadline(after: PropertyListTimings.suspicionTime)
                    monitor.poll(after: PropertyListTimings.suspicionTime * 1.2)
                    return
                }
            case .members(let members):
                list = members
                state.absence = nil
            case .fault(let error):
                if state.fault?.status != status, let status {
                    state.fault = Fault(
                        status: status, error: error, end: Deadline(after: setup.editingTime))
                    monitor.poll(after: setup.editingTime * 1.1)
                } else if let fault = state.fault, fault.end.hasPassed {
                    report(fault, &state)
                }
                return
            }
            state.fault = nil
            let said = log.lay(list, isOpening: state.isOpening)
            guard isWriting.load(ordering: .relaxed), logProblem == nil else {
                settle(status, isYoung, &state, isImported: false)
                return
            }
            // The edit may not be durable by itself. If it cannot be flushed, the log gets it as if it was set, and it is printed anew.
            var isDurable = true
            do throws(SystemError) {
                if list != nil { try ListFile(file: file).flush() }
            } catch {
                isDurable = false
            }
            do {
                if try importList(said, isDurable, status, &state) {
                    settle(status, isYoung, &state)
                    return try restrict(to: status?.permissions)
                }
            } catch let error as SystemError where error.isAboutWriting {
                // It stays in force.
                return settle(status, isYoung, &state, isImported: false)
            } catch SettingsError.Code.busy {
                return settle(status, isYoung, &state, isImported: false)
            }
        }
        // The list keeps changing. Another event or the next poll will follow.
    }

    private var version: Version {
        Version(loadCount: log.loadCount, voidance: log.withContents { $0.voidance })
    }

    /// Replaces a log that more users may read than the list: the list's permissions were restricted.
    private func restrict(to list: FilePermissions?) throws {
        guard let list, try logPermissions?.isWider(than: list) == true else { return }
        try log.compact(waiting: setup.patience)
    }

    private var logPermissions: FilePermissions? {
        get throws(SystemError) { try fileSystem.status(of: log.path, followingLink: false)?.permissions }
    }

    private func settle(_ status: FileStatus?, _ isYoung: Bool, _ state: inout State, isImported: Bool = true) {
        if state.looked != .some(status) || !isYoung { state.again = nil }
        (state.looked, state.version) = (.some(status), version)
        // A list that is removed after it was seen is printed again.
        if isImported || status != nil { state.isOpening = false }
        if isYoung, state.again == nil {
            state.again = Deadline(after: PropertyListTimings.youth)
            monitor.poll(after: PropertyListTimings.youth * 1.1)
        }
    }

    private func report(_ fault: Fault, _ state: inout State) {
        if fault.isReported { return }
        state.fault?.isReported = true
        state.problems.append(SettingsError(.damaged, store: description, underlying: fault.error))
    }

    /// Appends a line that says what the list says, and which list is known now, even without changes.
    ///
    /// - Parameter isDurable: Whether the list survives a power failure. Otherwise, it must be printed anew.
    /// - Returns: False if the list has changed.
    private func importList(
        _ said: SettingsLog.Said, _ isDurable: Bool, _ status: FileStatus?, _ state: inout State
    ) throws -> Bool {
        let list = said.list
        // A list that is removed while its log is in use is printed again.
        if list == nil, !said.isOpening || log.position.log == nil { return true }
        if log.mustCompact {
            // A damaged log gets no such line: a new one has what the list says.
            try log.compact(waiting: setup.patience)
            return try file.status() == status
        }
        if list == nil, !said.changes.isEmpty, !state.isRemovalReported {
            try log.keepAside()
            state.isRemovalReported = true
            state.problems.append(
                SettingsError(.removedList, store: description, underlying: LogProblem.listRemoved))
        }
        return try log.locked { _, append in
            guard try file.status() == status else { return false }
            if let said = log.present(said) {
                state.isEdited = log.withContents { !$0.unprinted.isEmpty }
                if !isDurable, !said.changes.isEmpty { try append(.changes(LogChanges(changes: said.changes))) }
                let (changes, shown) = isDurable ? said : ([], [])
                try append(.list(LogList(digest: list?.digest, kind: .imported(changes, shown: shown))))
            }
            return true
        }
    }

    /// Reads the changes of other processes and programs.
    func refresh() throws {
        defer { deliver() }
        try state.withLock { try look(&$0) }
    }

    // MARK: Changing

    /// Changes values while no other thread and no other process does.
    ///
    /// - Parameters:
    ///   - isSet: Whether one value is set.
    ///   - decide: Returns the changes, or nil to refuse.
    /// - Returns: False if `decide` has refused.
    @discardableResult
    func change(isSet: Bool = false, _ decide: (LogContents) throws -> [LogChange]?) throws -> Bool {
        if let logProblem { throw SettingsError(.logUnavailable, store: description, underlying: logProblem) }
        defer { log.deliver() }
        do {
            return try changeLog(isSet: isSet, decide)
        } catch let problem as LogProblem {
            throw SettingsError(.logUnavailable, store: description, underlying: problem)
        }
    }

    private func changeLog(isSet: Bool, _ decide: (LogContents) throws -> [LogChange]?) throws -> Bool {
        // Without a log, none is begun for nothing.
        if log.position.log == nil, try log.withContents(decide)?.isEmpty == true { return true }
        beginWriting()
        var isChanged = false
        let isAccepted = try log.write(isSet: isSet) { contents in
            guard let changes = try decide(contents) else { return nil }
            guard !exceedsLimit(changes, contents) else {
                throw SettingsError(
                    .tooLarge, store: description, underlying: TooMuch.contents(limit: setup.limits.contents))
            }
            isChanged = !changes.isEmpty
            return isChanged ? [.changes(LogChanges(changes: changes))] : []
        }
        if isChanged {
            ownEnd.store(log.position.end, ordering: .relaxed)
            startWatching()
            writer.schedule()
        }
        return isAccepted
    }

    private func exceedsLimit(_ changes: [LogChange], _ contents: LogContents) -> Bool {
        let size = changes.reduce(0) { $0 + $1.size }
        // Values that are replaced are counted only where they matter.
        guard contents.size + size > setup.limits.contents else { return false }
        let growth = changes.reduce(size) { $0 - (contents.data(named: $1.name)?.count ?? 0) }
        return growth > 0 && contents.size + growth > setup.limits.contents
    }

    /// Imports what the list says before the first change of this process.
    private func beginWriting() {
        if isWriting.load(ordering: .relaxed) || isWriting.exchange(true, ordering: .acquiringAndReleasing) { return }
        do {
            try state.withLock { state in
                state.looked = nil
                try look(&state)
            }
        } catch {
            // The next look reports it, if it persists.
        }
    }

    // MARK: Printing

    /// Returns when every change survives a power failure.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether to write nothing.
    ///   - forOthers: Whether to print the list, too.
    func synchronize(isReadOnly: Bool, forOthers: Bool = false) throws {
        defer { deliver() }
        do {
            if !isReadOnly, logProblem == nil { beginWriting() }
            let looking = Result {
                try state.withLock { state in
                    try look(&state, isPatient: !forOthers && !isReadOnly)
                    if let fault = state.fault, forOthers || isReadOnly { report(fault, &state) }
                }
            }
            if isReadOnly || logProblem != nil { return try looking.get() }
            // The log has all values, also while the list cannot be read.
            try log.flush()
            if case .failure(let error) = looking, forOthers || !(error is SystemError) { throw error }
            if forOthers || state.withLock({ $0.isInPlace }) {
                try state.withLock { try print(&$0, isWaiting: true, patience: setup.patience) }
            }
        } catch {
            throw SettingsError.wrap(error, as: .notSaved, store: description)
        }
    }

    /// At an orderly end: prints and compacts.
    func finish() throws {
        guard isWriting.load(ordering: .relaxed), logProblem == nil else { return }
        defer { deliver() }
        try state.withLock { state in
            try look(&state)
            try print(&state, isWaiting: false, patience: setup.patience)
        }
        if log.needsCompaction || state.withLock({ $0.hasRemoved }) { try log.compactIfFree() }
    }

    /// - Returns: False if the list is printed later.
    private func printIfDue() throws -> Bool {
        defer { deliver() }
        // Where the whole directory was removed, only a change makes it again.
        guard isWriting.load(ordering: .relaxed),
            try fileSystem.status(of: WholeFile.split(target).directory, followingLink: true) != nil
        else { return true }
        let wait: Duration? = try state.withLock { state in
            try look(&state)
            guard needsPrint(state) else { return nil }
            if let fault = state.fault, !fault.end.hasPassed { return PropertyListTimings.editingTime }
            state.pace.lag = setup.lag
            let position = log.position.end
            let due = PrintingPace.State(
                position: position, printed: log.withContents { $0.unprinted.values.min() ?? position } - 1,
                fileSize: (state.looked ?? nil)?.size ?? 0,
                isRequired: (state.looked ?? nil) == nil, isEdited: state.isEdited,
                isOthers: ownEnd.load(ordering: .relaxed) != position)
            if let wait = state.pace.wait(for: due, now: .now) { return wait }
            let start = (ContinuousClock.now, ProcessorTime.ofThread)
            try print(&state, isWaiting: false, patience: .zero)
            let (now, processor) = (ContinuousClock.now, ProcessorTime.ofThread)
            state.pace.didPrint(at: now, elapsed: now - start.0, processor: processor - start.1)
            // Another process was printing.
            return needsPrint(state) ? PropertyListTimings.longestLook : nil
        }
        if let wait {
            writer.schedule(after: wait)
            return false
        }
        if log.needsCompaction { try log.compactIfFree() }
        return true
    }

    private func needsPrint(_ state: State) -> Bool {
        if log.position.log == nil { return false }
        return (state.looked ?? nil) == nil && state.fault == nil
            || log.withContents { !$0.unprinted.isEmpty }
    }

    /// Prints the list, if it lacks something, and records it.
    ///
    /// - Parameters:
    ///   - isWaiting: Whether to wait for a person who may be writing the list.
    ///   - patience: The time to wait for another process that is printing it. Otherwise, this one gives up.
    private func print(_ state: inout State, isWaiting: Bool, patience: Duration) throws {
        for _ in 0..<PropertyListLimits.attempts {
            // What the list says and the log does not: it must be imported first, or the print would remove it.
            if log.withContents(\.isListLaid) { state.looked = nil }
            try look(&state, isPatient: false)
            while let fault = state.fault, !fault.end.hasPassed {
                guard isWaiting else { return }
                ThreadPause.sleep(for: .milliseconds(20))
                try look(&state)
            }
            if let fault = state.fault { report(fault, &state) }
            guard needsPrint(state) else { return }
            if state.fault == nil, log.withContents(\.isListLaid) {
                if isWaiting { throw SettingsError(.busy, store: description) }
                return
            }
            switch try printOnce(&state, patience) {
            case .done: return
            case .again: break
            case .busy:
                if isWaiting { throw SettingsError(.busy, store: description) }
                return
            }
        }
        // The values or the list keep changing.
        if isWaiting { throw SettingsError(.conflict, store: description) }
    }

    private enum Printing {
        case done
        /// The copy of the values became void, or the list was changed.
        case again
        /// Another process is printing.
        case busy
    }

    private func printOnce(_ state: inout State, _ patience: Duration) throws -> Printing {
        let (contents, position) = log.copy
        try log.flush()
        guard let source = position.log, log.position.log === source else { return .again }
        let bytes = try XMLPropertyListWriter.write(contents.members())
        guard bytes.count <= PropertyListLimits.fileSize else {
            throw SettingsError(
                .tooLarge, store: description, underlying: TooMuch.propertyList(limit: PropertyListLimits.fileSize))
        }
        let digest = FileDigest(bytes)
        let present = state.fault?.status ?? state.looked ?? nil
        var prepared: WholeFile.Prepared?
        if !state.isInPlace {
            prepared = try file.prepare(
                bytes, permissions: present?.permissions ?? logPermissions, waiting: patience)
            if prepared == nil { return .busy }
        }
        defer { if let prepared { file.discard(prepared) } }
        if state.fault?.isKept == false {
            try file.copy(to: FilesBeside.asidePath(target, .damaged))
            state.fault?.isKept = true
        }
        func isValid(_ log: LogFile?) -> Bool {
            log === source && self.log.withContents { $0.voidance <= position.end }
        }
        let put: FileStatus? = try log.locked { log, append in
            guard isValid(log), try file.status() == present else { return nil }
            try append(.list(LogList(digest: digest, kind: .announced)))
            guard let prepared else { return present }
            do throws(SystemError) {
                return try file.put(prepared)
            } catch {
                guard error.number == EBUSY else { throw error }
                state.isInPlace = true
                return present
            }
        }
        guard let put else { return .again }
        var status = put
        if state.isInPlace {
            status = try ListFile(file: file).overwrite(bytes)
        } else {
            try file.synchronizeDirectory()
        }
        let isRecorded = try log.locked { log, append in
            guard isValid(log), try file.status() == status else { return false }
            try append(.list(LogList(digest: digest, kind: .printed(through: position.end))))
            return true
        }
        guard isRecorded else { return .again }
        (state.again, state.fault, state.isEdited) = (nil, nil, false)
        // An edit in place right after the rename may not show in the status.
        settle(status, setup.isYoung(status.changed), &state)
        ownEnd.store(log.position.end, ordering: .relaxed)
        try removeRemoved(contents, &state)
        return .done
    }

    /// After a removal, a new log has no line of what was removed: once a minute at most.
    private func removeRemoved(_ printed: LogContents, _ state: inout State) throws {
        if printed.unprinted.keys.contains(where: { printed.entries[$0] == nil }) { state.hasRemoved = true }
        guard state.hasRemoved, state.removal?.hasPassed ?? true else { return }
        state.removal = Deadline(after: PropertyListTimings.removalPause)
        if try log.compactIfFree() { state.hasRemoved = false }
    }
}

extension LogChange {
    /// The number of bytes that the change needs.
    fileprivate var size: Int { name.utf8.count + (data?.count ?? 0) }
}

// MARK: - Noticing changes

extension PrintedPropertyList: ChangeMonitored {
    /// The property list, symbolic links that lead to it, and the log.
    var monitoredPlaces: [ChangeMonitor.Place] {
        ChangeMonitor.Place.places(of: WholeFile(path: path, fileSystem: fileSystem).links + [target, log.path])
    }

    /// Most events of the log report this process's own writes.
    func isRelevant(_ event: DirectoryWatcher.Event) -> Bool {
        event != .changed(name: WholeFile.split(log.path).name) || !log.isCurrent
    }

    var isQuiet: Bool {
        let isQuiet = state.withLockIfAvailable { state in
            do {
                return try log.isCurrent && state.looked == .some(file.status()) && state.again == nil
                    && state.fault == nil
            } catch {
                return false
            }
        }
        // If another thread looks, it reads the changes.
        return isQuiet ?? true
    }

    func poll() throws -> Bool {
        try refresh()
        if isWriting.load(ordering: .relaxed), state.withLock({ needsPrint($0) }) {
            writer.schedule(after: PropertyListTimings.othersDelay)
        }
        return true
    }

    func reportFailedPoll(_ error: any Error) {
        log.feed.report(.wrap(error, as: .readFailed, store: description))
    }
}
