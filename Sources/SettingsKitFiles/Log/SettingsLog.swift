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

/// A log, which any number of processes use, with its contents in memory.
///
/// The order of the lines is the order of all changes of all processes. So a process takes the lock, reads what others have appended,
/// decides, appends a line, changes its memory, and publishes the change. Reading values uses memory only, and never waits for a
/// file. Nothing slow happens under the lock: flushing and loading a log come before it. The exceptions: a log that was removed is
/// written again, and the third attempt to compact one locks the others out.
///
/// Locks are taken in this order: that of flushing; that of beginning; that of the files, and with it the lock on the lock file; that
/// of the contents. No function calls listeners: the caller does, by ``deliver()``, outside of all locks.
final class SettingsLog: Sendable {
    /// The place of a log, and how it is used.
    struct Setup: Sendable {
        /// The path to which the names of the log and its lock file add their endings.
        let base: String
        let fileSystem: any FileSystem
        /// The name of the store in messages.
        let description: String
        /// The time that an operation waits for other processes that keep the log locked.
        var patience = LogLimits.patience
        /// The time for which the files are those at their paths without a look at the paths. A process that replaces a log says so
        /// in it; only other programs are noticed later.
        var trust = LogLimits.trust
        /// The path of the property list, whose permissions the files get.
        var model: String?
        /// Whether the file at the path is not used.
        var isDetached = false
        /// What the first store of this process may do.
        var access = SettingsStoreAccess.readWrite
        /// Whether changes stay in memory, and nothing is written.
        var isReadOnly = false
        /// The property list that is printed from the log. Nil if there is none.
        var list: ListReading?
        /// Whether changes are announced to other processes, which watch the log.
        var isAnnouncing = false

        var path: String { base + "-log" }
    }

    private struct Files {
        var log: LogFile?
        /// The end of the last line that was read.
        var end: Int64 = 0
        /// Whether there is more behind it: a line without an end.
        var hasTornEnd = false
        /// Until when the files are those at their paths.
        var trust: Deadline?
        var lock: LogLock
        /// Whether a store of this process may write.
        var mayWrite: Bool
        /// Whether the directory was flushed since this log is in it.
        var isDirectoryFlushed = false
        /// Whether a copy of the damaged log is kept.
        var isKeptAside = false
        /// How often another log was loaded.
        var loadCount = 0
        /// Until when setting one value does not wait.
        var impatience: Deadline?
        /// The number of bytes that were appended since this process has asked for room.
        var unasked: Int64 = 0
    }

    /// Reads the property list before a log is begun, and before a damaged one is used or replaced. Takes no lock.
    ///
    /// - Parameter isFlushing: Whether to flush the list, too: then a line may say what it says.
    /// - Returns: A function that returns what the list says, while the log is locked; nil if the list has changed.
    typealias ListReading = @Sendable (_ isFlushing: Bool) throws -> (LogContents) throws -> ListStatement?

    enum ListStatement {
        case line(LogList)
        case nothing
    }

    /// A place in a log.
    struct Position: Sendable {
        var log: LogFile?
        var end: Int64 = 0
    }

    let feed = SettingsStoreFeed()
    private let setup: Setup
    private let contents: Mutex<LogContents>
    private let files: BargingMutex<Files>
    /// Locked while the first log is begun.
    private let beginning = Mutex((), .store)
    /// What was last flushed.
    private let flushed = Mutex(Position(), .store)
    /// What was last read or written: known without waiting for a thread that writes.
    private let present = Mutex(Position(), .leaf)
    private let announcer: ChangeAnnouncer?
    private let isLocal: Bool
    /// Whether damage was found, and is not reported yet.
    private let hasNewDamage = Atomic(false)

    /// Opens a log, which need not exist.
    ///
    /// - Throws: ``LogProblem`` if the file must not be used; the system's errors.
    init(_ setup: Setup) throws {
        self.setup = setup
        let lock = LogLock(path: setup.base + "-lock", like: setup.model)
        files = BargingMutex(Files(lock: lock, mayWrite: !setup.isReadOnly && setup.access == .readWrite), .store)
        contents = Mutex(LogContents(), .store)
        announcer =
            setup.isAnnouncing ? ChangeAnnouncer(pause: LogLimits.announcementPause) { Self.touch(setup) } : nil
        isLocal = setup.fileSystem.isLocal(WholeFile.split(setup.path).directory)
        if !setup.isDetached { try reload(isOpening: true) }
    }

    deinit { files.withLock { $0.lock.close(in: setup.fileSystem) } }

    var path: String { setup.path }
    private var fileSystem: any FileSystem { setup.fileSystem }

    private static func touch(_ setup: Setup) {
        do throws(SystemError) {
            try setup.fileSystem.touch(setup.path)
        } catch {
            // Other processes then read the change when they next look at the log.
        }
    }

    /// Reports problems, and calls listeners. Call it outside of every lock.
    func deliver() {
        feed.flush()
        if hasNewDamage.exchange(false, ordering: .relaxed) {
            feed.report(SettingsError(.damaged, store: setup.description, underlying: LogProblem.damaged))
        }
    }

    // MARK: Values

    /// Returns the stored bytes under a name. Constant time; uses no file.
    func data(named name: String) -> Data? { contents.withLock { $0.data(named: name) } }

    /// Calls `body` with the contents while nothing changes them.
    func withContents<R, Failure: Error>(_ body: (LogContents) throws(Failure) -> R) throws(Failure) -> R {
        try contents.withLock { contents throws(Failure) in try body(contents) }
    }

    /// Whether a log must be compacted because it is damaged, or because flushing it has failed.
    var mustCompact: Bool { contents.withLock { $0.isDamaged || $0.hasFailedFlush } }

    /// Whether a log is to be compacted because it must be, or is long.
    var needsCompaction: Bool {
        let size = contents.withLock { Int64($0.size) }
        return mustCompact || position.end > max(2 * size, LogLimits.smallSize)
    }

    /// The end of the last line that was read or written. Waits for no thread that writes.
    var position: Position { present.withLock { $0 } }

    /// How often another log was loaded, which may lack changes that were made in memory, or were in the log before.
    var loadCount: Int { files.withLock { $0.loadCount } }

    /// Whether the log at the path has nothing that was not read. Waits for no thread that writes.
    var isCurrent: Bool {
        let position = position
        do throws(SystemError) {
            guard let status = try fileSystem.status(of: path, followingLink: false) else { return position.log == nil }
            return status.size == position.end && status.isSameFile(as: position.log?.status)
        } catch {
            return false
        }
    }

    private func didMove(_ files: Files) {
        var position = Position(log: files.log, end: files.end)
        // The old log is released outside of the lock.
        present.withLock { swap(&$0, &position) }
    }

    // MARK: Reading on

    private enum Found { case current, replaced, missing }

    /// Reads the changes of other processes, and publishes them.
    ///
    /// - Throws: The system's errors. Changes that were read before the error are kept.
    func update() throws { try readOn() }

    @discardableResult
    private func readOn() throws -> Found {
        if setup.isDetached { return .current }
        while true {
            let found = try files.withLock { try readOn(&$0) }
            guard found == .replaced else { return found }
            try reload()
        }
    }

    /// Reads what was appended, while this process has the lock.
    private func readOnLocked(_ files: inout Files) throws -> Found {
        if !isLocal, let file = try LogFile.open(path, .readOnly, like: setup.model, in: fileSystem) {
            // Opening a file has a network file system ask for what other machines have written. The open one then shows it.
            withExtendedLifetime(file) {}
        } else if let log = files.log, files.trust?.hasPassed == false {
            let extent = try fileSystem.extent(of: log.file)
            if extent.size == files.end, extent.linkCount > 0 { return .current }
        }
        let found = try readOn(&files)
        files.trust = Deadline(after: setup.trust)
        return found
    }

    /// Reads what was appended.
    private func readOn(_ files: inout Files) throws -> Found {
        let status = try fileSystem.status(of: path, followingLink: false)
        guard let log = files.log else { return status == nil ? .missing : .replaced }
        if let status {
            // Another file is another log, whatever its beginning. One that is shorter was overwritten.
            guard status.isSameFile(as: log.status), status.size >= files.end else { return .replaced }
        }
        let size = try status?.size ?? log.size()
        if size > files.end {
            var lines: [(line: LogLineReader.Result, end: Int64)] = []
            let end = try log.read(from: files.end, to: size) { line, end in lines.append((line, end)) }
            // A damaged log is loaded from its beginning, and the damage is reported.
            if status != nil, lines.contains(where: { $0.line == .damaged }) { return .replaced }
            try apply(lines, to: end, &files)
        }
        files.hasTornEnd = size > files.end
        return status == nil ? .missing : .current
    }

    private func apply(
        _ lines: [(line: LogLineReader.Result, end: Int64)], to end: Int64, _ files: inout Files
    ) throws {
        if lines.isEmpty { return }
        files.end = end
        didMove(files)
        try contents.withLock { contents in
            feed.publish(lines.flatMap { contents.apply($0.line, end: $0.end) }, origin: .external)
            if let version = contents.newerVersion { throw LogProblem.newerVersion(version) }
        }
    }

    /// Loads the log that is now at the path, beside the present one, and publishes the differences.
    ///
    /// - Parameter isOpening: Whether nothing can hear of changes yet.
    private func reload(isOpening: Bool = false) throws {
        let before = files.withLock { $0.log }
        let access: SettingsStoreAccess? = files.withLock { $0.mayWrite } ? nil : .readOnly
        guard let log = try LogFile.open(path, access, like: setup.model, in: fileSystem) else { return }
        let size = try log.size()
        let head = try log.bytes(from: 0, to: min(size, Int64(LogLine.magic.utf8.count)))
        var isForeign = LogLineReader.beginning(of: head) == .foreign
        var loaded = LogContents()
        loaded.beginLoading()
        let end = try log.read(from: 0, to: size) { line, end in
            if line != .damaged { isForeign = false }
            _ = loaded.apply(line, end: end)
        }
        loaded.endLoading()
        if isForeign { throw LogProblem.foreign }
        if let version = loaded.newerVersion { throw LogProblem.newerVersion(version) }
        if !loaded.hasBeginning { _ = loaded.apply(.damaged) }
        if loaded.isDamaged {
            hasNewDamage.store(true, ordering: .relaxed)
            layList(over: &loaded)
        }
        files.withLock { files in
            guard files.log === before else { return }
            begin(log, end, &files)
            files.loadCount += 1
            contents.withLock { contents in
                let changes = isOpening ? [] : contents.differences(to: loaded)
                contents = loaded
                feed.publish(changes, origin: .external)
            }
        }
    }

    /// Lays the list over a damaged log, so that no value is missing until the next look at the list.
    private func layList(over damaged: inout LogContents) {
        do {
            guard case .line(let list) = try setup.list?(false)(damaged), case .imported(let changes, _) = list.kind
            else { return }
            _ = damaged.lay(changes)
        } catch {
            // The next look reports it.
        }
    }

    /// Begins to use another log.
    private func begin(_ log: LogFile, _ end: Int64, _ files: inout Files) {
        (files.log, files.end, files.isDirectoryFlushed, files.isKeptAside) = (log, end, false, false)
        didMove(files)
    }

    // MARK: Writing

    /// Decides about changes while no other thread and no other process makes any, and appends them.
    ///
    /// - Parameters:
    ///   - isSet: Whether one value is set: then this waits for half a second at most, and for half a second after `busy` not at all.
    ///     Otherwise, a form of twenty settings would freeze for ten seconds.
    ///   - decide: Receives the contents. Returns the lines, or nil to refuse. The lines are appended in one write.
    /// Before the log takes the room that a new log with the living values needs, it is compacted.
    ///
    /// - Returns: False if `decide` has refused.
    /// - Throws: `busy` if another process keeps the log locked; `tooLarge`; the system's errors, and those of `decide`. Nothing
    ///   changes then, except that of several lines the first ones may have been appended.
    @discardableResult
    func write(
        origin: SettingsService.Origin = .local, isSet: Bool = false, _ decide: (LogContents) throws -> [LogLine]?
    ) throws -> Bool {
        do {
            return try write(origin, isSet, room: .forCompacting, decide)
        } catch let error as SystemError where [ENOSPC, EDQUOT].contains(error.number) && !setup.isReadOnly {
            do {
                try compact(waiting: setup.patience)
            } catch {
                // There may be room for the line nevertheless.
            }
            return try write(origin, isSet, room: .forLines, decide)
        }
    }

    private func write(
        _ origin: SettingsService.Origin, _ isSet: Bool, room: Room, _ decide: (LogContents) throws -> [LogLine]?
    ) throws -> Bool {
        let lines = try whileLocked(waiting: setup.patience, isSet: isSet) { files -> [LogLine]? in
            guard let lines = try contents.withLock({ try decide($0) }) else { return nil }
            if !lines.isEmpty { try write(lines, origin, room, &files) }
            return lines
        }
        guard let lines else { return false }
        if !lines.isEmpty { announcer?.announce() }
        return true
    }

    /// The room that must be left for lines to be appended.
    private enum Room {
        case any
        /// That of a new log, and some more. Asked for from time to time.
        case forCompacting
        /// That of a new log with the lines, unless they only remove values.
        case forLines
    }

    private func require(
        _ room: Room, for lines: [LogLine], _ size: Int, in log: LogFile, _ files: inout Files
    ) throws(SystemError) {
        var needed = Int64(contents.withLock { $0.size })
        switch room {
        case .any: return
        case .forCompacting:
            files.unasked += Int64(size)
            guard files.unasked >= LogLimits.roomInterval else { return }
            needed += max(LogLimits.spareRoom, 2 * Int64(size))
        case .forLines:
            if lines.allSatisfy(\.isRemoval) { return }
            // For the line in this log, and in a new one.
            needed += 2 * Int64(size)
        }
        if let left = fileSystem.room(beside: log.file), left < needed {
            throw SystemError(call: "write", path: path, number: ENOSPC)
        }
        // While there is little room, each line asks.
        if case .forCompacting = room { files.unasked = 0 }
    }

    /// Runs `body` while no other thread and no other process changes the log.
    ///
    /// - Parameter body: Receives the log, which may be another one than before, and a function that appends lines.
    /// - Throws: As ``write(origin:isSet:_:)``.
    func locked<Result>(_ body: (LogFile?, (LogLine) throws -> Void) throws -> Result) throws -> Result {
        try whileLocked(waiting: setup.patience) { files in
            try body(files.log) { try write([$0], .external, .any, &files) }
        }
    }

    /// The contents at one moment, and their place in the log.
    var copy: (contents: LogContents, position: Position) {
        files.withLock { files in (contents.withLock { $0 }, Position(log: files.log, end: files.end)) }
    }

    /// What a property list says, at a place in the log.
    struct Said {
        let list: LogContents.ListContents?
        let isOpening: Bool
        fileprivate let position: Position
        fileprivate let said: (changes: [LogChange], shown: [String])?

        var changes: [LogChange] { said?.changes ?? [] }

        /// Returns what the list says in the contents at a later place: nothing of the names that were changed since. Takes no more
        /// time than that needs, unless the log was replaced, or a line says something of the list.
        fileprivate func later(in contents: LogContents, of log: LogFile?) -> (changes: [LogChange], shown: [String])? {
            guard position.log === log, contents.voidance <= position.end else {
                return contents.said(by: list, isOpening: isOpening)
            }
            func isUnchanged(_ name: String) -> Bool { contents.unprinted[name] ?? 0 <= position.end }
            return said.map { ($0.changes.filter { isUnchanged($0.name) }, $0.shown.filter(isUnchanged)) }
        }
    }

    /// Puts what a property list says in force, over the log's values.
    func lay(_ list: LogContents.ListContents?, isOpening: Bool) -> Said {
        func said() -> Said {
            let (contents, position) = copy
            let said = contents.said(by: list, isOpening: isOpening)
            return Said(list: list, isOpening: isOpening, position: position, said: said)
        }
        let before = said()
        return files.withLock { files in
            contents.withLock { contents in
                let said = before.later(in: contents, of: files.log)
                feed.publish(contents.lay(said?.changes ?? []), origin: .external)
                return Said(
                    list: list, isOpening: isOpening, position: Position(log: files.log, end: files.end), said: said)
            }
        }
    }

    /// What a property list says while the log is locked.
    func present(_ said: Said) -> (changes: [LogChange], shown: [String])? {
        let log = position.log
        return contents.withLock { said.later(in: $0, of: log) }
    }

    private func write(
        _ lines: [LogLine], _ origin: SettingsService.Origin, _ room: Room, _ files: inout Files
    ) throws {
        if !setup.isReadOnly { try append(lines, &files, room: room) }
        contents.withLock { contents in
            // The order of the lines in a write counts like their offsets.
            let start = files.end - Int64(lines.count)
            for (index, line) in lines.enumerated() {
                let changes = contents.apply(line, end: start + Int64(index) + 1)
                feed.publish(changes, origin: origin)
            }
        }
    }

    private func append(_ lines: [LogLine], _ files: inout Files, room: Room = .any) throws {
        guard let log = files.log else { preconditionFailure("A locked log is open.") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        for line in lines { line.append(to: &bytes) }
        guard files.end + Int64(bytes.count) <= LogLimits.size else {
            throw SettingsError(
                .tooLarge, store: setup.description, underlying: LogProblem.tooLarge(limit: LogLimits.size))
        }
        try require(room, for: lines, bytes.count, in: log, &files)
        // If this fails, complete lines stay, because other processes may have read them. The next process that has the lock cuts
        // the rest.
        try log.append(bytes)
        files.end += Int64(bytes.count)
        didMove(files)
    }

    private enum Step<Result> {
        case done(Result)
        case wait, reload, begin
    }

    /// Runs `body` while no other process writes, with everything read that others have written.
    private func whileLocked<Result>(
        waiting patience: Duration, isSet: Bool = false, _ body: (inout Files) throws -> Result
    ) throws -> Result {
        if setup.isReadOnly {
            try readOn()
            return try files.withLock { try body(&$0) }
        }
        var pause: LockPause?
        func wait() throws {
            if pause == nil { pause = LockPause(until: Deadline(after: isSet ? patienceOfSet(patience) : patience)) }
            if pause?.next() == true { return }
            files.withLock { $0.impatience = Deadline(after: LogLimits.patience) }
            throw busy
        }
        while true {
            let step: Step<Result> = try files.withLock { files in
                guard try acquireLock(&files) else { return .wait }
                defer { files.lock.release(in: fileSystem) }
                switch try readOnLocked(&files) {
                case .current:
                    guard try openForWriting(&files) else { return .reload }
                    if files.hasTornEnd, let log = files.log {
                        // A process was killed while it appended.
                        try log.truncate(to: files.end)
                        files.hasTornEnd = false
                    }
                case .replaced: return .reload
                case .missing:
                    if files.log == nil { return .begin }
                    guard try writeAgain(&files) else { return .wait }
                }
                return .done(try body(&files))
            }
            switch step {
            case .done(let result): return result
            case .reload: try reload()
            case .begin: if try !begin() { try wait() }
            case .wait: try wait()
            }
        }
    }

    /// Begins the first log, with what the property list says. Threads of this process wait for each other.
    ///
    /// - Returns: False if another process is in the way.
    private func begin() throws -> Bool {
        try beginning.withLock { _ in
            guard position.log == nil else { return true }
            guard let next = try takeTemporary() else { return false }
            defer { next.discard() }
            let says = try setup.list?(true)
            try next.write(LogContents())
            return try files.withLock { files in
                guard try acquireLock(&files) else { return false }
                defer { files.lock.release(in: fileSystem) }
                guard try readOnLocked(&files) == .missing, files.log == nil else { return true }
                if let says {
                    switch try says(contents.withLock { $0 }) {
                    // The list has changed.
                    case nil: return true
                    case .nothing: break
                    case .line(let list):
                        try next.append(.list(list))
                        contents.withLock { feed.publish($0.apply(.list(list), end: next.end), origin: .external) }
                    }
                }
                try put(next, copied: 0, &files)
                return true
            }
        }
    }

    /// Opens the log for writing, which was opened for reading only.
    ///
    /// - Returns: False if another log is at the path.
    private func openForWriting(_ files: inout Files) throws -> Bool {
        files.mayWrite = true
        guard let present = files.log, present.isReadOnly else { return true }
        let log = try LogFile.open(path, .readWrite, like: setup.model, in: fileSystem)
        guard let log, log.status.isSameFile(as: present.status) else { return false }
        do {
            // Only this descriptor reports that flushing earlier lines has failed.
            try present.flush()
        } catch {
            contents.withLock { _ = $0.apply(.failedFlush, end: .max) }
        }
        files.log = log
        didMove(files)
        return true
    }

    private func patienceOfSet(_ patience: Duration) -> Duration {
        files.withLock { $0.impatience?.hasPassed == false ? .zero : min(patience, LogLimits.patience) }
    }

    private func acquireLock(_ files: inout Files) throws -> Bool {
        let isTrusted = files.trust?.hasPassed == false
        do {
            return try files.lock.acquire(isTrusted: isTrusted, in: fileSystem)
        } catch let error as SystemError where error.number == ENOENT {
            try WholeFile(path: path, fileSystem: fileSystem).createDirectory()
            return try files.lock.acquire(isTrusted: isTrusted, in: fileSystem)
        }
    }

    // MARK: Other logs

    private var busy: SettingsError {
        SettingsError(.busy, store: setup.description, underlying: LogProblem.locked)
    }

    private func takeTemporary() throws -> LogTemporary? {
        do {
            return try LogTemporary.take(setup.base + "-new", for: path, like: setup.model, in: fileSystem)
        } catch let error as SystemError where error.number == ENOENT {
            try WholeFile(path: path, fileSystem: fileSystem).createDirectory()
            return try LogTemporary.take(setup.base + "-new", for: path, like: setup.model, in: fileSystem)
        }
    }

    /// Writes a log again that was removed while it was open.
    ///
    /// - Returns: False if another process is writing one.
    private func writeAgain(_ files: inout Files) throws -> Bool {
        guard let temporary = try takeTemporary() else { return false }
        defer { temporary.discard() }
        try temporary.write(contents.withLock { $0 })
        try put(temporary, copied: files.end, &files)
        return true
    }

    /// Puts a new log in place, which has everything that is in memory.
    ///
    /// - Parameter start: The offset of the old log behind which its lines were copied.
    private func put(_ temporary: LogTemporary, copied start: Int64, _ files: inout Files) throws {
        let size = try temporary.log.size()
        let log = try temporary.put()
        begin(log, size, &files)
        contents.withLock { $0.didBeginLog(temporary.ends, copied: (start, temporary.end)) }
    }

    /// Replaces the log by one that has a line for each name.
    ///
    /// Does nothing if there is no log. Other processes can write meanwhile. If they keep the compaction from ending, the third
    /// attempt locks them out.
    ///
    /// - Parameter patience: The time to wait for another process that is compacting the log.
    /// - Throws: `busy` if another process is compacting the log, or keeps it locked; the system's errors. The log stays then.
    func compact(waiting patience: Duration) throws {
        try makeCompact(waiting: patience)
    }

    /// Does the same, unless another process is compacting the log, or is in the way.
    ///
    /// - Returns: False if there must be another occasion.
    @discardableResult
    func compactIfFree() throws -> Bool {
        do {
            try compact(waiting: .zero)
            return true
        } catch SettingsError.Code.busy {
            return false
        }
    }

    private func makeCompact(waiting patience: Duration) throws {
        if try readOn() == .missing {
            guard position.log != nil else { return }
            // A log that was removed is written again.
            try whileLocked(waiting: setup.patience) { _ in }
            return try flushDirectory()
        }
        try keepDamagedAside()
        var pause = LockPause(until: Deadline(after: patience))
        var taken = try takeTemporary()
        while taken == nil, pause.next() { taken = try takeTemporary() }
        guard let temporary = taken else { throw busy }
        defer { temporary.discard() }
        var isDone = false
        // A damaged log is replaced under the lock: others must not write behind the damage what says more than they know.
        for _ in 0..<2 where !isDone && contents.withLock({ !$0.isDamaged }) { isDone = try compact(to: temporary) }
        while !isDone {
            let says = contents.withLock { $0.isDamaged } ? try setup.list?(true) : nil
            isDone = try whileLocked(waiting: setup.patience) { files in
                if let says, contents.withLock({ $0.isDamaged }) {
                    guard let statement = try says(contents.withLock { $0 }) else { return false }
                    let list =
                        if case .line(let list) = statement { list } else {
                            LogList(digest: nil, kind: .printed(through: 0))
                        }
                    contents.withLock { feed.publish($0.apply(.list(list), end: files.end), origin: .external) }
                }
                try temporary.write(contents.withLock { $0 })
                try put(temporary, copied: files.end, &files)
                return true
            }
        }
        try flushDirectory()
    }

    /// - Returns: False if the log was replaced, or what was appended meanwhile must not be copied.
    private func compact(to temporary: LogTemporary) throws -> Bool {
        let (old, start, present) = files.withLock { files in (files.log, files.end, contents.withLock { $0 }) }
        guard let old else { return true }
        try temporary.write(present)
        var copied = start
        for _ in 0..<LogLimits.copies {
            let size = try old.size()
            guard size - copied > LogLimits.lastCopy else { break }
            guard let end = try temporary.copy(from: old, copied, to: size) else { return false }
            copied = end
        }
        return try whileLocked(waiting: setup.patience) { files in
            guard files.log === old, try temporary.copy(from: old, copied, to: files.end) != nil else { return false }
            // Other processes notice that their file has no name any more, unless it has a second one.
            if try fileSystem.extent(of: old.file).linkCount > 1 { try append([.replaced], &files) }
            try put(temporary, copied: start, &files)
            return true
        }
    }

    /// Copies a damaged log, so that a person can examine it.
    private func keepDamagedAside() throws {
        let log = files.withLock { files in
            files.isKeptAside || contents.withLock { !$0.isDamaged } ? nil : files.log
        }
        guard let log else { return }
        try log.copy(to: path + FilesBeside.suffix(.damaged))
        files.withLock { if $0.log === log { $0.isKeptAside = true } }
    }

    /// Copies the log of a property list that was removed.
    func keepAside() throws { try position.log?.copy(to: path + FilesBeside.suffix(.stale)) }

    // MARK: Power failures

    /// Returns when everything that was read or written before the call survives a power failure.
    ///
    /// If flushing fails, what was to be flushed may be lost although the next flush succeeds. So a line in the log says it, no
    /// process flushes that log again, and a new log is written before this succeeds.
    ///
    /// - Throws: The system's errors, and those of ``compact(waiting:)``.
    func flush() throws {
        let before = position
        guard before.log != nil else { return }
        try flushed.withLock { flushed in
            if flushed.log === before.log, flushed.end >= before.end { return }
            let position = position
            guard let log = position.log else { return }
            if !contents.withLock({ $0.hasFailedFlush }) {
                do {
                    try log.flush()
                } catch {
                    recordFailedFlush()
                }
            }
            // Another process may have recorded one meanwhile.
            try readOn()
            if contents.withLock({ $0.hasFailedFlush }) { return try makeCompact(waiting: setup.patience) }
            try flushDirectory()
            flushed = position
        }
    }

    private func recordFailedFlush() {
        do {
            try whileLocked(waiting: setup.patience) { files in try append([.failedFlush], &files) }
        } catch {
            // This process knows it.
        }
        contents.withLock { _ = $0.apply(.failedFlush, end: .max) }
    }

    /// Flushes the directory once for each log.
    private func flushDirectory() throws {
        guard let log = files.withLock({ $0.isDirectoryFlushed ? nil : $0.log }) else { return }
        try fileSystem.synchronizeDirectory(WholeFile.split(path).directory)
        files.withLock { if $0.log === log { $0.isDirectoryFlushed = true } }
    }
}
