import SettingsKitCore
import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list with its journal, read from their files.
struct LoadedPropertyList {
    private(set) var contents = PropertyListContents()
    private(set) var list = KnownPropertyList()
    private(set) var cursor = JournalCursor()
    private(set) var problems: [SettingsError] = []
    let file: WholeFile
    /// The path of `file`, with symbolic links followed. The journal is beside it.
    private(set) var target = ""

    private let store: String
    private let fileSystem: any FileSystem

    /// Reads the property list and its journal, without their lock, because the process that holds it may be stopped.
    ///
    /// If one of the two is replaced in the meantime, starts again: they belong together only if both were current at the same
    /// moment.
    ///
    /// - Parameters:
    ///   - isWriting: Whether to open the journal for writing, where permitted.
    ///   - store: The name of the store in messages.
    /// - Throws: the system's errors, ``JournalProblem`` for a journal of a newer version, and ``OtherFormat`` for another
    ///   program's file.
    init(path: String, fileSystem: any FileSystem, isWriting: Bool = false, store: String) throws {
        self.store = store
        self.fileSystem = fileSystem
        file = WholeFile(path: path, fileSystem: fileSystem)
        for attempt in 1... {
            target = try file.resolvedPath()
            cursor = JournalCursor()
            let read = try file.read(limit: PropertyListLimits.fileSize)
            let journal = try openJournal(isWriting: isWriting, beside: read?.status.permissions)
            do {
                let found = try journal?.readContents()
                if try attempt == PropertyListLimits.readingAttempts || isPresent(read?.status, journal) {
                    // Every setting may be in the journal.
                    if read == nil, case .unreadable(let error)? = cursor.problem { throw error }
                    // If there is a journal, another program's file has overwritten a property list.
                    if found?.header == nil, let format = read.flatMap({ OtherFormat(of: $0.bytes) }) { throw format }
                    apply(read, journal, found)
                    return
                }
            } catch {
                journal?.close()
                throw error
            }
            journal?.close()
        }
        fatalError("The loop ends by returning or throwing.")
    }

    private mutating func openJournal(isWriting: Bool, beside list: FilePermissions?) throws -> Journal? {
        do {
            return try Journal.openPresent(
                FilesBeside.journal(target), isWriting: isWriting, in: fileSystem, beside: list)
        } catch let problem as JournalProblem where problem.isRefusal {
            cursor.setProblem(problem)
            return nil
        }
    }

    private func isPresent(_ list: FileStatus?, _ journal: Journal?) throws -> Bool {
        guard try file.status() == list else { return false }
        let present = try fileSystem.status(of: FilesBeside.journal(target), followingLink: false)
        guard let journal else { return present == nil || cursor.problem != nil }
        return try journal.status().isSameFile(as: present)
    }

    // MARK: Putting the two together

    private mutating func apply(_ read: WholeFile.Contents?, _ journal: Journal?, _ found: JournalContents?) {
        if let problem = cursor.problem { report(.journalUnavailable, problem) }
        var members: [PropertyListMember] = []
        if let read {
            let version = FileVersion(status: read.status, bytes: read.bytes)
            let mark = JournalMark.read(read.bytes)
            list.find(version)
            _ = list.update(read.status.permissions)
            list.setMark(mark)
            cursor.identify(list: mark?.list ?? 0, generation: mark?.generation ?? 0)
            do throws(PropertyListError) {
                members = try PropertyListReader.readDictionary(read.bytes)
            } catch {
                list.setDamaged()
                report(.damaged, error)
            }
        }
        contents = PropertyListContents(members, size: read?.bytes.count ?? 0)
        guard let journal, let found else {
            list.setJournaled()
            return
        }
        cursor.open(journal)
        journal.follow(found.header, from: found.scan.end, at: Int64(found.scan.end))
        journal.condition.isDamaged = found.isDamaged
        if found.isDamaged { journal.condition.asideReason = .damaged }
        if found.isDamaged { list.requireRewrite() }
        if found.header == nil { list.setJournaled() } else { list.setJournaled(as: found.lastVersion) }
        replay(found, of: journal)
    }

    /// Determines which records of the journal apply to the property list, and applies them.
    private mutating func replay(_ found: JournalContents, of journal: Journal) {
        guard let header = found.header,
            let relation = found.relation(to: list.mark, of: list.status)
        else { return }
        switch relation {
        case .isForeign: return reject(journal, .foreign)
        // Without its header, the journal does not show that it belongs to the property list.
        case .isStale: return reject(journal, header.list == 0 ? .damaged : .stale)
        case .isFolded:
            journal.condition.isSuperseded = true
            list.recordFold(through: Int64(journal.position))
        case .continues(let folded):
            list.recordFold(through: Int64(folded ?? found.folded(into: list.status) ?? 0))
        case .listIsStale:
            report(.mismatchedFiles, JournalProblem.listIsStale)
            list.setStale()
        }
        if found.isDamaged { report(.damaged, JournalProblem.damaged) }
        cursor.identify(list: header.list, generation: header.generation)
        let (folded, unfolded) = (found.records.filter { !isUnfolded($0) }, found.records.filter(isUnfolded))
        switch list.fault {
        case nil:
            // The journal repeats edits for processes that do not read the property list. Here it was read, and it may have been
            // edited again.
            for entry in unfolded { if case .adoption = entry.record { continue } else { apply(entry) } }
        case .damaged:
            contents = lastGoodState(journal, found) ?? PropertyListContents()
            for entry in folded { apply(entry) }
            for entry in unfolded { apply(entry) }
        case .stale, .foreign:
            if let state = lastGoodState(journal, found) { contents = state }
            for entry in found.records { apply(entry) }
        }
    }

    /// Has the next process that writes keep aside a journal that does not belong to the property list.
    private mutating func reject(_ journal: Journal, _ problem: JournalProblem) {
        journal.condition.isSuperseded = true
        list.recordFold(through: Int64(journal.position))
        list.setJournaled()
        switch problem {
        case .damaged:
            report(.damaged, problem)
        default:
            journal.condition.asideReason = problem == .foreign ? .foreign : .stale
            report(.mismatchedFiles, problem)
        }
    }

    private func isUnfolded(_ entry: JournalEntry) -> Bool { entry.end > UInt64(list.folded) }

    private mutating func apply(_ entry: JournalEntry) { _ = contents.apply(entry.record, at: Int64(entry.end)) }

    private mutating func report(_ code: SettingsError.Code, _ problem: any ValueFreeError) {
        problems.append(SettingsError(code, store: store, underlying: problem))
    }

    // MARK: The last good state

    /// The contents of the property list when a writing process last read or wrote it, without the journal's records, which are
    /// then applied. nil if they are unknown.
    private func lastGoodState(_ journal: Journal, _ found: JournalContents) -> PropertyListContents? {
        do {
            let restore = try journal.readRestore()
            if let restore, restore.base == nil { return PropertyListContents().edited(by: restore.edit) }
            let file = WholeFile(path: FilesBeside.previous(target), fileSystem: fileSystem)
            guard let read = try file.read(limit: PropertyListLimits.fileSize) else { return nil }
            let digest = FileVersion(status: read.status, bytes: read.bytes).digest
            let members = PropertyListContents(
                try PropertyListReader.readDictionary(read.bytes), size: read.bytes.count)
            if let restore, restore.base == digest { return members.edited(by: restore.edit) }
            // The property list was replaced before the journal.
            let isNamed = found.records.contains { $0.record.version?.digest == digest }
            return isNamed ? members : nil
        } catch {
            // Only the journal exists.
            return nil
        }
    }
}

extension PropertyListContents {
    /// The contents after an edit of the journal.
    fileprivate func edited(by edit: JournalEdit) -> PropertyListContents? {
        do throws(PropertyListError) {
            var contents = self
            let members = try PropertyListReader.readDictionary(edit.members)
            _ = contents.adopt(PropertyListEdit(removed: edit.removed, members: members))
            return contents
        } catch {
            // The writing process could read it, and its checksum is correct, so there is no such document.
            return nil
        }
    }

    /// Applies a record.
    ///
    /// - Parameter position: The end of the record, in the history of journals.
    /// - Returns: the resulting changes.
    mutating func apply(_ record: JournalRecord, at position: Int64) -> [SettingsStoreChange] {
        switch record {
        case .changes(let changes):
            return set(changes, at: position)
        case .adoption(_, let edit):
            do throws(PropertyListError) {
                let members = try PropertyListReader.readDictionary(edit.members)
                return adopt(.init(removed: edit.removed, members: members))
            } catch {
                // As above.
                return []
            }
        case .members(let edit):
            do throws(PropertyListError) {
                let members = try PropertyListReader.readDictionary(edit.members)
                return set(.init(removed: edit.removed, members: members), at: position)
            } catch {
                // As above.
                return []
            }
        case .fold, .end, .restore:
            return []
        }
    }

    /// Sets members with their types, and removes names.
    mutating func set(_ edit: PropertyListEdit, at position: Int64) -> [SettingsStoreChange] {
        edit.removed.compactMap { set(nil, named: $0, at: position) }
            + edit.members.compactMap { set($0.value, named: $0.key, at: position) }
    }

    /// Makes several changes in order; a later change of a name replaces an earlier one.
    mutating func set(_ changes: [JournalChange], at position: Int64) -> [SettingsStoreChange] {
        var made: [SettingsStoreChange] = []
        // The place of a name's change in `made`. For a few names, sequential comparison is faster.
        var places: [String: Int]? = changes.count > CoreLimits.comparedNames ? [:] : nil
        for change in changes {
            guard let next = set(change.data, named: change.name, at: position) else { continue }
            let place = places == nil ? made.firstIndex { $0.name == next.name } : places?[next.name]
            if let place {
                made[place] = .init(name: next.name, from: made[place].oldData, to: next.newData)
            } else {
                places?[next.name] = made.count
                made.append(next)
            }
        }
        return made
    }
}
