import Foundation

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

extension FuzzTarget {
    /// A journal's header and frames, as they are and with right checks; and a journal of known records with damage in it.
    static let journal = FuzzTarget(name: "journal") { bytes in
        var input = FuzzInput(bytes)
        if input.byte() & 1 == 0 {
            let file = input.remainder
            for journal in [file, JournalForging.withRightChecks(file)] { requireScan(journal) }
        } else {
            requireOnlyWrittenRecords(&input)
        }
    } seeds: {
        var header: [UInt8] = []
        JournalHeader.sample.append(to: &header)
        var random = RandomJournalRecord(seed: 11)
        let damages: [[UInt8]] = [[], [2, 0, 0, 90, 1], [1, 0, 0, 70], [0, 0, 0, 100, 0, 0, 20]]
        return [[0] + header + SampleJournal.mixed().bytes]
            + damages.map { damage in
                [1, 4] + (0..<80).map { _ in UInt8(truncatingIfNeeded: random.values.generator.next()) } + damage
            }
    }

    private static func requireScan(_ journal: [UInt8]) {
        _ = journal.withUnsafeBytes { JournalHeader.read($0) }
        let start = min(JournalHeader.size, journal.count)
        for id in [sampleJournal, nil] {
            let scan = journal[start...].withUnsafeBytes { JournalScanner.scan($0, from: UInt64(start), of: id) }
            var end = UInt64(start)
            for entry in scan.records {
                require(entry.end > end && entry.end <= journal.count, "records follow each other")
                end = entry.end
                let body = body(entry.record)
                let stored = journal[..<Int(end)].suffix(body.count)
                require(stored.elementsEqual(body), "a record has one form")
            }
            require(scan.end == end, "a scan ends behind its last record")
            for (one, other) in zip(scan.damaged, scan.damaged.dropFirst()) {
                require(one.upperBound <= other.lowerBound, "damaged parts follow each other")
            }
            require(scan.damaged.allSatisfy { $0.upperBound <= end }, "damaged parts lie between records")
        }
    }

    /// Damages a journal of known records: nothing is found in it but these, each in its place.
    private static func requireOnlyWrittenRecords(_ input: inout FuzzInput) {
        var journal = SampleJournal()
        for _ in 0..<input.choice(12) { journal.append(input.journalRecord()) }
        var bytes = journal.bytes
        for _ in 0..<4 where !input.isAtEnd && !bytes.isEmpty {
            let place = input.place(bytes.count)
            switch input.choice(4) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes[place] ^= 1 << input.choice(8)
            case 2:
                // A part of it once more, elsewhere.
                let end = place + input.place(bytes.count - place)
                bytes.insert(contentsOf: bytes[place..<end], at: input.place(bytes.count))
            default: for index in bytes[place...].indices.prefix(input.choice(256)) { bytes[index] = 0 }
            }
        }
        let found = scan(bytes)
        require(found.records.allSatisfy { journal.entries.contains($0) }, "only records that were written are found")
        if bytes == journal.bytes { require(found.records == journal.entries, "an intact journal is read whole") }
    }

    /// The comment that says how far a property list goes, as it is and with a right check.
    static let journalMark = FuzzTarget(name: "mark") { bytes in
        for file in [bytes, JournalForging.withRightMark(bytes)] {
            guard let mark = JournalMark.read(Data(file)) else { continue }
            let members = [PropertyListMember(key: "a", value: .boolean(true))]
            let written = try XMLPropertyListWriter.write(members, comment: mark.comment)
            require(JournalMark.read(written) == mark, "a mark that is written is read")
        }
    } seeds: {
        let members = [PropertyListMember(key: "a", value: .boolean(true))]
        return try JournalMark.samples.map { try Array(XMLPropertyListWriter.write(members, comment: $0.comment)) }
            + ["\u{FEFF}<!-- a --><!DOCTYPE plist [<!-- b -->]><?c?><plist>"].map { Array($0.utf8) }
    }
}

extension JournalHeader {
    fileprivate static let sample = JournalHeader(
        id: sampleJournal, predecessor: 5, list: 6, generation: 7, base: 5, baseOffset: UInt64(size))
}

extension JournalMark {
    fileprivate static let samples = limits.map {
        JournalMark(list: 6, journal: sampleJournal, predecessor: 5, generation: $0 >> 24, offset: $0)
    }
}

extension FuzzInput {
    fileprivate mutating func journalRecord() -> JournalRecord {
        switch choice(7) {
        case 0: .end
        case 1: .fold(through: UInt64(choice(JournalHeader.size)), file: fileVersion())
        case 2: .adoption(file: fileVersion(), journalEdit())
        case 3: .restore(base: byte() & 1 == 0 ? nil : fileVersion().digest, journalEdit())
        case 4: .members(journalEdit())
        default:
            .changes(
                (0..<choice(4)).map { _ in
                    JournalChange(name: string(), data: byte() & 1 == 0 ? nil : Data(bytes()))
                })
        }
    }

    private mutating func journalEdit() -> JournalEdit {
        JournalEdit(removed: (0..<choice(3)).map { _ in string() }, members: Data(bytes()))
    }

    private mutating func fileVersion() -> FileVersion {
        FileVersion(status: fileStatus(), checksum: UInt32(truncatingIfNeeded: integer()))
    }

    private mutating func fileStatus() -> FileStatus {
        FileStatus(
            kind: .file, device: integer(), inode: integer(), size: signed(),
            modified: .init(seconds: signed(), nanoseconds: signed()),
            changed: .init(seconds: signed(), nanoseconds: signed()), linkCount: integer())
    }
}
