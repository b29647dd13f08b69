import SettingsCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A property list with its journal, as they are found.
struct Loaded {
    var contents = PropertyListContents()
    var access: JournaledPropertyList.Access
    var damages: [any ValueFreeError] = []

    /// How often it is begun again when the files are replaced meanwhile; they stay as they are for a tenth of a second
    /// at least.
    private static let attemptLimit = 100

    /// Reads the property list and its journal, without their lock: whoever holds it may be stopped.
    ///
    /// Should one of the two be replaced meanwhile, it is begun again: they belong together only if both were the present
    /// ones at one moment.
    init(path: String, fileSystem: any FileSystem) throws {
        let file = WholeFile(path: path, fileSystem: fileSystem)
        for attempt in 1... {
            access = .init(file: file, target: try file.resolvedPath())
            let journal = try Journal.open(access.journalPath, in: fileSystem)
            do {
                let read = try file.read(limit: JournaledPropertyList.fileSizeLimit)
                let scan = try journal.map { try $0.scanAll() }
                if try attempt == Self.attemptLimit
                    || file.status() == read?.status
                        && Self.isPresent(journal, at: access.journalPath, in: fileSystem)
                {
                    try take(read, journal, scan)
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

    private static func isPresent(_ journal: Journal?, at path: String, in fileSystem: any FileSystem) throws -> Bool {
        let present = try fileSystem.status(of: path, followingLink: true)
        guard let journal, let present else { return journal == nil && present == nil }
        return try journal.status().isSameFile(as: present)
    }

    private mutating func take(_ read: WholeFile.Contents?, _ journal: Journal?, _ scan: JournalContents?) throws {
        var members: [PropertyListMember] = []
        if let read {
            access.fileStatus = read.status
            do throws(PropertyListError) {
                members = try PropertyListReader.readDictionary(read.bytes)
            } catch {
                members = PropertyListReader.recover(read.bytes)
                access.isFileDamaged = true
                damages.append(error)
            }
        }
        guard let journal, let scan else {
            contents = PropertyListContents(members)
            access.toldStatus = access.fileStatus
            return
        }
        let mark = read.flatMap { JournalMark.read($0.bytes) }
        journal.header = scan.header
        journal.position = scan.records.end
        journal.isDamaged = scan.isDamaged
        if journal.isDamaged { damages.append(JournalProblem.damaged) }
        journal.isSuperseded = Self.isSuperseded(journal, mark)
        access.toldStatus = scan.header == nil ? access.fileStatus : lastStatus(in: scan)
        access.folded = Int64(folded(in: journal, scan, mark))
        access.journal = journal
        replay(scan.records.records, over: members)
    }

    /// Whether the property list has everything in the journal, and more: it follows a later one, or the power has failed
    /// before the end of this one was on the disk. What would be appended to it would be taken for part of that.
    private static func isSuperseded(_ journal: Journal, _ mark: JournalMark?) -> Bool {
        guard let mark, let id = journal.header?.id else { return false }
        return mark.journal == id ? mark.offset > journal.position : mark.predecessor == id
    }

    /// Up to where the property list has what stands in the journal: as it says itself; if somebody has edited it in place
    /// and left that out, as the journal says. (What the journal says of another file is not believed: that may have been
    /// lost when the power failed.)
    private func folded(in journal: Journal, _ scan: JournalContents, _ mark: JournalMark?) -> UInt64 {
        if journal.isSuperseded { return journal.position }
        if let mark, mark.journal == scan.header?.id { return mark.offset }
        for entry in scan.records.records.reversed() {
            if case .fold(let offset, let file) = entry.record, file.isSameFile(as: access.fileStatus) { return offset }
        }
        return 0
    }

    /// The state of the property list that the journal tells of last.
    private func lastStatus(in scan: JournalContents) -> FileStatus? {
        for entry in scan.records.records.reversed() {
            switch entry.record {
            case .fold(_, let status), .adoption(let status, _, _): return status
            case .changes, .end: continue
            }
        }
        return nil
    }

    /// Puts together what the property list and the journal have.
    ///
    /// Edits from outside stand in the journal so that others need not read the property list again; here it was read,
    /// and it may have been edited once more. Only where it is damaged, everything that the journal knows is of use, and
    /// what is intact in the property list goes before what it had when it was written.
    private mutating func replay(_ entries: [JournalEntry], over members: [PropertyListMember]) {
        let folded = UInt64(access.folded)
        guard access.isFileDamaged else {
            contents = PropertyListContents(members)
            for entry in entries where entry.end > folded {
                if case .adoption = entry.record { continue }
                _ = contents.apply(entry.record, at: Int64(entry.end))
            }
            return
        }
        for entry in entries where entry.end <= folded { _ = contents.apply(entry.record, at: Int64(entry.end)) }
        _ = contents.adopt(PropertyListEdit(members: members))
        for entry in entries where entry.end > folded { _ = contents.apply(entry.record, at: Int64(entry.end)) }
    }
}

/// What stands in a journal.
struct JournalContents {
    /// nil if nobody has written the journal yet.
    var header: JournalHeader?
    var records: JournalScan
    var isDamaged = false
}

extension Journal {
    /// Reads everything.
    ///
    /// - Throws: `newerVersion`, and whatever the system reports.
    func scanAll() throws -> JournalContents {
        let bytes = try bytes(from: 0, upTo: status().size)
        let none = JournalScan(records: [], end: 0, rest: .nothing, damaged: [])
        switch bytes.withUnsafeBytes(JournalHeader.read) {
        case .absent: return JournalContents(header: nil, records: none)
        case .newer(let version): throw JournalProblem.newerVersion(version)
        case .intact(let header): return contents(bytes, header)
        case .damaged: return contents(bytes, nil)
        }
    }

    private func contents(_ bytes: [UInt8], _ header: JournalHeader?) -> JournalContents {
        let start = min(JournalHeader.size, bytes.count)
        let scan = bytes.withUnsafeBytes { bytes in
            JournalScanner.scan(
                UnsafeRawBufferPointer(rebasing: bytes[start...]), from: UInt64(JournalHeader.size), of: header?.id)
        }
        return JournalContents(
            header: header ?? .lost(of: scan.journal), records: scan,
            isDamaged: header == nil || !scan.damaged.isEmpty || scan.rest == .damaged)
    }
}

extension JournalHeader {
    /// In the place of one that is damaged: what it follows is not known.
    ///
    /// - Parameter id: What the records say; nil if there are none.
    static func lost(of id: UInt64?) -> JournalHeader {
        JournalHeader(id: id ?? 0, predecessor: 0, carriedEnd: UInt64(size))
    }
}

extension PropertyListContents {
    /// Makes the changes of a record.
    ///
    /// - Parameter position: Where the record ends, in the history of journals.
    /// - Returns: what that changed.
    mutating func apply(_ record: JournalRecord, at position: Int64) -> [SettingsStoreChange] {
        switch record {
        case .changes(let changes):
            return set(changes, at: position)
        case .adoption(_, let removed, let members):
            do throws(PropertyListError) {
                return adopt(.init(removed: removed, members: try PropertyListReader.readDictionary(members)))
            } catch {
                // Whoever wrote it could read it, and its checksum is right: there is no such document.
                return []
            }
        case .fold, .end:
            return []
        }
    }

    /// Makes several changes in order; a later one of a name replaces an earlier one.
    mutating func set(_ changes: [JournalChange], at position: Int64) -> [SettingsStoreChange] {
        if changes.count == 1 { return set(changes[0].data, named: changes[0].name, at: position).map { [$0] } ?? [] }
        var made: [String: SettingsStoreChange] = [:]
        for change in changes {
            guard let next = set(change.data, named: change.name, at: position) else { continue }
            made[next.name] = .init(name: next.name, from: (made[next.name] ?? next).oldData, to: next.newData)
        }
        return Array(made.values)
    }
}
