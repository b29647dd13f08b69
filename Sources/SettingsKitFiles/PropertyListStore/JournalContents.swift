import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a journal, without the records that serve to restore a damaged property list.
struct JournalContents: Sendable {
    /// nil if the journal has none yet.
    var header: JournalHeader?
    var scan: JournalScan
    var isDamaged = false

    var records: [JournalEntry] { scan.records }

    /// The latest state of the property list named in the journal.
    var lastVersion: FileVersion? { records.lazy.reversed().compactMap(\.record.version).first }

    /// Reads a journal.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes, at least those of the header.
    ///   - scan: Reads the records from an offset; nil stands for the journal's lost ID.
    /// - Throws: `newerVersion`, and what `scan` throws.
    init<Bytes: ContiguousBytes>(
        _ beginning: Bytes, scan: (_ start: UInt64, _ id: UInt64?) throws -> JournalScan
    ) throws {
        switch beginning.withUnsafeBytes(JournalHeader.read) {
        case .absent: self.init(header: nil, scan: JournalScan(end: 0))
        case .newer(let version): throw JournalProblem.newerVersion(version)
        case .intact(let header):
            let scan = try scan(header.restoreEnd, header.id)
            self.init(header: header, scan: scan, isDamaged: scan.isDamaged)
        case .damaged:
            let scan = try scan(UInt64(JournalHeader.size), nil)
            self.init(header: .lost(of: scan.journal), scan: scan, isDamaged: true)
        }
    }

    private init(header: JournalHeader?, scan: JournalScan, isDamaged: Bool = false) {
        (self.header, self.scan, self.isDamaged) = (header, scan, isDamaged)
    }

    /// The relation to a property list; nil if the journal has no header yet.
    ///
    /// - Parameters:
    ///   - mark: The mark of the property list.
    ///   - status: The status of its file.
    func relation(to mark: JournalMark?, of status: FileStatus?) -> JournalRelation? {
        guard let header else { return nil }
        let relation = JournalRelation(of: header, end: scan.end, to: mark)
        switch relation {
        case .isForeign, .isStale, .listIsStale:
            // A person has put it there while a process was running, which treated it as an edit.
            let isAdopted = status != nil && lastVersion?.status == status
            return isAdopted ? .continues(folded: nil) : relation
        case .continues, .isFolded: return relation
        }
    }

    /// The position up to which a property list contains the journal, by the last fold into the same file, or into the one that
    /// was edited to become it.
    func folded(into file: FileStatus?) -> UInt64? {
        var isAdopted = false
        for entry in records.reversed() {
            switch entry.record {
            case .fold(let offset, let version) where isAdopted || version.status.isSameFile(as: file): return offset
            case .adoption(let version, _) where version.status.isSameFile(as: file): isAdopted = true
            default: break
            }
        }
        return nil
    }
}

extension JournalRecord {
    /// The state of the property list that the record names.
    var version: FileVersion? {
        switch self {
        case .fold(_, let version), .adoption(let version, _): version
        case .changes, .members, .end, .restore: nil
        }
    }
}

extension Journal {
    /// The size of the first piece, which shows what the header says.
    private static let firstRead: Int64 = 65_536

    /// Reads everything but the records that serve to restore a damaged property list.
    ///
    /// - Throws: `newerVersion`, and the system's errors.
    func readContents() throws -> JournalContents {
        let size = try status().size
        let first = try bytes(from: 0, upTo: min(size, Self.firstRead))
        return try JournalContents(first) { start, id in try scan(from: start, upTo: size, of: id, first) }
    }

    private func scan(
        from start: UInt64, upTo size: Int64, of id: UInt64?, _ first: [UInt8]
    ) throws(SystemError) -> JournalScan {
        if size <= first.count {
            return first.dropFirst(Int(clamping: start)).withUnsafeBytes {
                JournalScanner.scan($0, from: start, of: id)
            }
        }
        return try bytes(from: Int64(start), upTo: size).withUnsafeBytes {
            JournalScanner.scan($0, from: start, of: id)
        }
    }

    /// Reads the record that restores a damaged property list; nil if there is no intact one.
    func readRestore() throws(SystemError) -> (base: FileDigest?, edit: JournalEdit)? {
        guard let header else { return nil }
        let start = UInt64(JournalHeader.size)
        // The header may claim more than the file contains.
        let end = min(Int64(header.restoreEnd), try status().size)
        let scan = try bytes(from: Int64(start), upTo: end).withUnsafeBytes {
            JournalScanner.scan($0, from: start, of: header.id)
        }
        for case .restore(let base, let edit) in scan.records.map(\.record) { return (base, edit) }
        return nil
    }
}

extension JournalScan {
    var isDamaged: Bool { !damaged.isEmpty || rest == .damaged }
}
