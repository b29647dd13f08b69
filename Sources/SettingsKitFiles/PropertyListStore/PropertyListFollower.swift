import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads into memory what other processes and programs write: the records of processes in the journal, and the edits of editors,
/// tools and syncers in the property list.
///
/// It owns what this process knows of the two files: the state of the property list, and the place in the journal. Memory contains
/// both files up to there. It takes no lock and writes nothing: a ``JournalWriter`` owns it, and one thread at a time uses both.
struct PropertyListFollower {
    private let setup: PropertyListSetup
    private let contents: PublishedContents
    private let end: JournalEnd
    private let monitor: ChangeMonitor
    let file: WholeFile
    /// The path of `file`, with symbolic links followed. The journal is beside it.
    private(set) var target: String
    /// The property list, as last read or written here.
    var list: KnownPropertyList
    /// The place in the journal.
    var cursor: JournalCursor
    /// Whether this process has written here, or wants to. Before that, it changes nothing in the directory.
    var isWriting = false
    /// Whether no store over the list may write.
    var isReadOnly: Bool
    /// Errors to report when the locks are released.
    private var problems: [SettingsError] = []

    /// An edit of the property list that was read and is not in memory yet.
    struct FoundEdit {
        let edit: PropertyListEdit
        let version: FileVersion
    }

    init(
        _ loaded: LoadedPropertyList, _ contents: PublishedContents, end: JournalEnd, monitor: ChangeMonitor,
        _ setup: PropertyListSetup
    ) {
        (self.setup, self.contents, self.end, self.monitor) = (setup, contents, end, monitor)
        (file, target, list, cursor) = (loaded.file, loaded.target, loaded.list, loaded.cursor)
        isReadOnly = setup.isReadOnly
        addProblems(loaded.problems)
    }

    var journalPath: String { FilesBeside.journal(target) }

    /// Whether the file is the only source of values: no store of this process may write, and there is no journal.
    private var isFileAlone: Bool {
        isReadOnly && cursor.journal == nil && cursor.problem == nil
    }

    /// The state that determines when to fold. Nil if the property list has every change, or this process only reads.
    var foldingState: FoldingPace.State? {
        guard isWriting else { return nil }
        let (folded, isMissing) = (list.folded, list.status == nil)
        let (position, isMissed) = contents.withLock { ($0.lastPosition, isMissing && !$0.isEmpty) }
        let isRequired = list.mustRewrite || isMissed
        guard isRequired || position > folded else { return nil }
        return FoldingPace.State(
            position: position, folded: folded, fileSize: list.status?.size ?? 0, isRequired: isRequired,
            isEdited: list.isEdited, isOthers: cursor.ownPosition < position)
    }

    // MARK: Problems

    /// Returns the problems since the last call.
    mutating func takeProblems() -> [SettingsError] {
        if problems.isEmpty { return [] }
        defer { problems = [] }
        return problems
    }

    private mutating func addProblem(_ code: SettingsError.Code, _ problem: any ValueFreeError) {
        addProblems([SettingsError(code, store: setup.description, underlying: problem)])
    }

    /// Adds problems to be reported. Only a list that writes keeps files aside.
    mutating func addProblems(_ new: [SettingsError]) {
        problems += isReadOnly ? new : new.map(\.keepingFilesAside)
    }

    // MARK: The journal

    /// Applies the records that other processes have appended so far, and opens the journals that replace this one.
    ///
    /// - Returns: whether bytes follow that may be damaged, which can be determined only under the lock.
    @discardableResult
    mutating func catchUp() throws -> Bool {
        while true {
            guard let journal = cursor.journal else {
                guard let present = try presentJournal() else { return false }
                try enter(present)
                continue
            }
            let status = try journal.status()
            if journal.header == nil {
                if try status.linkCount > 0 && !journal.hasHeader() { return false }
                cursor.leave()
                continue
            }
            let isUnclear = try readRest(upTo: status.size, isLocked: false)
            let present = try setup.fileSystem.status(of: journalPath, followingLink: false)
            if status.isSameFile(as: present) { return isUnclear }
            // The journal was replaced, removed or moved away. If that was after its size was read, it may have grown.
            _ = try readRest(upTo: journal.status().size, isLocked: false)
            cursor.leave()
        }
    }

    /// Applies a piece of the records that other processes have appended, if more than a piece is left.
    ///
    /// - Returns: whether there was more than a piece.
    mutating func catchUp(byPiece size: inout Int64) throws -> Bool {
        guard let journal = cursor.journal, journal.header != nil else { return false }
        let start = Int64(journal.position)
        guard try Int64(clamping: journal.size()) - start > size else { return false }
        let scan = try journal.scan(upTo: start + size)
        // Apparent damage may be part of a record that the piece cuts.
        guard scan.damaged.isEmpty else { return false }
        if scan.records.isEmpty { size *= 2 }
        apply(scan, of: journal)
        return true
    }

    /// Opens the journal at its path. Nil if there is none that can be used; the reason is reported once.
    private mutating func presentJournal() throws -> Journal? {
        do {
            let list = try setup.fileSystem.status(of: target, followingLink: true)?.permissions
            let journal = try Journal.openPresent(
                journalPath, isWriting: isWriting, in: setup.fileSystem, beside: list)
            cursor.setProblem(nil)
            return journal
        } catch let problem as JournalProblem where problem.isRefusal {
            if cursor.setProblem(problem) { addProblem(.journalUnavailable, problem) }
            return nil
        }
    }

    /// Follows a journal, or reads everything again after a gap.
    mutating func enter(_ journal: Journal) throws {
        do {
            if try cursor.enter(journal) { return }
            try reload()
        } catch {
            journal.close()
            throw error
        }
        journal.close()
    }

    /// Reads everything again if the symbolic link has another destination now.
    mutating func followLink() throws {
        if try file.resolvedPath() != target { try reload() }
    }

    /// Reads everything again, and replaces what is in memory.
    private mutating func reload() throws {
        let loaded = try LoadedPropertyList(
            path: setup.path, fileSystem: setup.fileSystem, isWriting: isWriting, store: setup.description)
        cursor.leave()
        if let journal = loaded.cursor.journal, target == loaded.target,
            [.foreign, .stale].contains(journal.condition.asideReason)
        {
            // Memory has the contents of the journal that was at this one's path.
            cursor.openRejected(journal, of: loaded.cursor)
        } else {
            contents.change(origin: .external) { $0.replace(by: loaded.contents) }
            let mustRewrite = list.mustRewrite
            (list, cursor) = (loaded.list, loaded.cursor)
            if mustRewrite { list.requireRewrite() }
            // A symbolic link may have led to another file before.
            if target != loaded.target { monitor.renewSoon() }
            target = loaded.target
        }
        end.path = journalPath
        addProblems(loaded.problems)
    }

    /// Reads and applies the records up to the end of the journal.
    ///
    /// - Returns: whether bytes follow that may be damaged, which can be determined only under the lock.
    @discardableResult
    mutating func readRest(upTo size: Int64, isLocked: Bool) throws -> Bool {
        // A journal without a header may have been begun and replaced in the meantime; the next one then shows that.
        guard let journal = cursor.journal, journal.header != nil, size != Int64(journal.position) else {
            return false
        }
        if size < journal.position {
            // Another program has cut it. Memory has its records, and writes them to a new journal for all processes.
            journal.condition.isSuperseded = true
            journal.condition.isCut = true
            return true
        }
        let scan = try journal.scan(upTo: size)
        apply(scan, of: journal)
        if !scan.damaged.isEmpty { reportDamage(of: journal) }
        guard isLocked else { return scan.rest == .damaged }
        switch scan.rest {
        case .nothing: break
        case .incomplete:
            // Its writer died during the write: under the lock, no other process writes.
            if !journal.condition.isShared { try journal.cut() }
        case .damaged:
            reportDamage(of: journal)
            journal.didRead(to: UInt64(size))
        }
        return false
    }

    private mutating func reportDamage(of journal: Journal) {
        if !journal.condition.isDamaged { addProblem(.damaged, JournalProblem.damaged) }
        journal.condition.isDamaged = true
        journal.condition.asideReason = .damaged
        list.requireRewrite()
    }

    private mutating func apply(_ scan: JournalScan, of journal: Journal) {
        for entry in scan.records { apply(entry, of: journal) }
        journal.didRead(to: scan.end)
    }

    private mutating func apply(_ entry: JournalEntry, of journal: Journal) {
        switch entry.record {
        case .fold(let offset, let version):
            list.recordFold(through: Int64(offset) + journal.base)
            list.receive(version)
            if let header = journal.header { list.setMark(JournalMark(header, offset: offset)) }
        case .adoption(let version, _):
            list.receive(version)
        case .end:
            // Another journal may replace this one at any moment without a further record in it.
            cursor.distrust()
        case .changes, .members, .restore:
            break
        }
        contents.change(origin: .external) { $0.apply(entry.record, at: Int64(entry.end) + journal.base) }
    }

    // MARK: The property list

    /// Adopts an edit without the lock, as a process that only reads. Other processes read the edit themselves.
    mutating func adopt() throws {
        // The journal is read first. Otherwise its changes in the property list would look like an edit, and its records would
        // then briefly restore earlier values.
        for _ in 0..<PropertyListLimits.refreshingAttempts {
            guard try file.status() != list.status else { return }
            let read = try file.read(limit: PropertyListLimits.fileSize)
            try catchUp()
            guard try file.status() == read?.status else { continue }
            if let found = examine(read) { adopt(found) }
            return
        }
        // The file keeps being replaced. Another event or the next poll will follow.
    }

    /// Returns the edit in the property list since this process last read or wrote it, except for names with a change that it lacks.
    /// Nil if the file is missing or damaged, which may be only for a moment.
    ///
    /// - Parameter read: The file. Nil if it is missing.
    mutating func examine(_ read: WholeFile.Contents?) -> FoundEdit? {
        guard let read else {
            // The file was removed. Memory stays, and is written to a new file, unless the file was the only source.
            list.findNothing(until: Deadline(after: PropertyListTimings.suspicionTime))
            if isFileAlone { monitor.poll(after: PropertyListTimings.suspicionTime * 1.2) }
            return nil
        }
        if list.update(read.status.permissions) {
            // The journal must get the same permissions before more is written to it.
            cursor.journal?.condition.isSuperseded = true
        }
        do throws(PropertyListError) {
            let members = try PropertyListReader.readDictionary(read.bytes)
            recordMark(of: read.bytes)
            return FoundEdit(edit: edit(by: members), version: FileVersion(status: read.status, bytes: read.bytes))
        } catch {
            let suspicion = KnownPropertyList.Suspicion(
                damage: error, end: Deadline(after: PropertyListTimings.suspicionTime))
            list.suspect(read.status, suspicion)
            monitor.poll(after: PropertyListTimings.suspicionTime * 1.2)
            return nil
        }
    }

    /// Puts a found edit in force.
    mutating func adopt(_ found: FoundEdit) {
        publish(found.edit)
        list.adopt(found.version)
    }

    /// A copy of the contents is compared, so that no reader waits. Nothing changes in the meantime.
    private func edit(by members: [PropertyListMember]) -> PropertyListEdit {
        contents.withLock { $0 }.edit(by: members, folded: list.folded)
    }

    private func publish(_ edit: PropertyListEdit) {
        if !edit.isEmpty { contents.change(origin: .external) { $0.adopt(edit) } }
    }

    /// Reads from the property list's mark how much of the journal it contains. The process that wrote the file may have died
    /// before it could append that to the journal.
    private mutating func recordMark(of bytes: Data) {
        let mark = JournalMark.read(bytes)
        list.setMark(mark)
        guard let mark, let journal = cursor.journal else { return }
        if mark.journal == journal.header?.id, mark.offset <= journal.position {
            list.recordFold(through: Int64(mark.offset) + journal.base)
        } else if let left = cursor.left, mark.journal == left.header.id {
            list.recordFold(through: min(left.end, Int64(mark.offset) + left.base))
        }
    }

    /// Confirms that the property list is damaged or missing, if that has persisted for some time.
    ///
    /// The damage is reported, and the values stay. If the file was the only source, the values of a missing one are removed.
    ///
    /// - Parameter atOnce: Whether to confirm it immediately. Otherwise, a program that edits the file may remove or damage it briefly.
    mutating func confirmFaults(atOnce: Bool = false) {
        if let suspicion = list.confirmDamage(atOnce: atOnce) {
            addProblem(.damaged, suspicion.damage)
        }
        if list.confirmAbsence(atOnce: atOnce), isFileAlone { publish(edit(by: [])) }
    }
}
