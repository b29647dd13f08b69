import Foundation

@testable import SettingsKitFiles

extension FuzzTarget {
    /// A journal's header and frames, as they are and with right checks.
    static let journal = FuzzTarget(name: "journal") { bytes in
        for journal in [bytes, JournalForging.withRightChecks(bytes)] {
            _ = journal.withUnsafeBytes { JournalHeader.read($0) }
            let start = min(JournalHeader.size, journal.count)
            for id in [sampleJournal, nil] {
                let scan = journal[start...].withUnsafeBytes { JournalScanner.scan($0, from: UInt64(start), of: id) }
                var end = UInt64(start)
                for entry in scan.records {
                    require(entry.end > end && entry.end <= journal.count, "records follow each other")
                    end = entry.end
                    let body = body(entry.record)
                    require(journal[..<Int(end)].suffix(body.count).elementsEqual(body), "a record has one form")
                }
                require(scan.end == end, "a scan ends behind its last record")
                for (one, other) in zip(scan.damaged, scan.damaged.dropFirst()) {
                    require(one.upperBound <= other.lowerBound, "damaged parts follow each other")
                }
                require(scan.damaged.allSatisfy { $0.upperBound <= end }, "damaged parts lie between records")
            }
        }
    } seeds: {
        var header: [UInt8] = []
        let base = UInt64(JournalHeader.size)
        JournalHeader(id: sampleJournal, predecessor: 5, list: 6, generation: 7, base: 5, baseOffset: base)
            .append(to: &header)
        return [header + SampleJournal.mixed().bytes]
    }

    /// The comment that says how far a property list goes, as it is and with a right check.
    static let journalMark = FuzzTarget(name: "mark") { bytes in
        for file in [bytes, JournalForging.withRightMark(bytes)] {
            guard let mark = JournalMark.read(Data(file)) else { continue }
            let written = try XMLPropertyListWriter.write(sampleMembers, comment: mark.comment)
            require(JournalMark.read(written) == mark, "a mark that is written is read")
        }
    } seeds: {
        try limits.map { limit in
            let mark = JournalMark(
                list: 6, journal: sampleJournal, predecessor: 5, generation: limit >> 24, offset: limit)
            return Array(try XMLPropertyListWriter.write(sampleMembers, comment: mark.comment))
        } + ["\u{FEFF}<!-- a --><!DOCTYPE plist [<!-- b -->]><?c?><plist>"].map { Array($0.utf8) }
    }
}
