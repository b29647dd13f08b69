import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Scanning a journal", .ownThreads)
struct JournalScannerTests {
    private static let journal = SampleJournal.mixed()

    @Test("Scanning a journal gives all records, from the start or from behind any of them")
    func givesAllRecordsFrom() {
        let journal = Self.journal
        #expect(journal.records.count == 12)
        #expect(scan(journal.bytes) == sampleScan(records: journal.entries, end: journal.end))
        for (index, start) in journal.starts.enumerated() {
            let part = scan(journal.bytes[start...], from: journal.offset + UInt64(start))
            #expect(part == sampleScan(records: Array(journal.entries[index...]), end: journal.end))
        }
        #expect(scan([], from: 4711) == sampleScan(end: 4711))
    }

    @Test("Scanning a journal gives random records")
    func givesRandomRecords() {
        print("random journal: seed 94")
        var random = RandomJournalRecord(seed: 94)
        var journal = SampleJournal()
        for _ in 0..<500 { journal.append(random.record()) }
        #expect(scan(journal.bytes) == sampleScan(records: journal.entries, end: journal.end))
    }

    @Test("Scanning a journal cut at any byte gives the records before the cut, and no damage")
    func cutAtAnyByte() {
        let journal = Self.journal
        journal.bytes.withUnsafeBytes { bytes in
            for cut in 0...bytes.count {
                let whole = journal.starts.indices.count { journal.end($0) <= cut }
                let end = whole == 0 ? 0 : journal.end(whole - 1)
                let expected = sampleScan(
                    records: Array(journal.entries.prefix(whole)), end: journal.offset + UInt64(end),
                    rest: end == cut ? .nothing : .incomplete)
                let found = JournalScanner.scan(
                    UnsafeRawBufferPointer(rebasing: bytes[..<cut]), from: journal.offset, of: sampleJournal)
                if found != expected { Issue.record("cut at \(cut)") }
            }
        }
    }

    @Test(
        "Scanning a journal loses one record and finds all others when any bit of it is flipped",
        arguments: journal.records.indices)
    func losesOneRecordAnd(index: Int) {
        let journal = Self.journal
        let start = journal.starts[index]
        let offset = journal.range(index).lowerBound
        var bytes = Array(journal.bytes[start...])
        let isLast = index == journal.records.count - 1
        let expected = sampleScan(
            records: Array(journal.entries[(index + 1)...]), end: isLast ? offset : journal.end,
            rest: isLast ? .damaged : .nothing, damaged: isLast ? [] : [journal.range(index)])
        bytes.withUnsafeMutableBytes { bytes in
            for place in 0..<(journal.end(index) - start) {
                for bit in 0..<8 {
                    bytes[place] ^= 1 << bit
                    let found = JournalScanner.scan(UnsafeRawBufferPointer(bytes), from: offset, of: sampleJournal)
                    if found != expected { Issue.record("bit \(bit) of byte \(place)") }
                    bytes[place] ^= 1 << bit
                }
            }
        }
    }

    @Test("Scanning a journal finds the records on both sides of one that is damaged")
    func findsTheRecordsOn() {
        let journal = Self.journal
        for (index, start) in journal.starts.enumerated().dropLast() {
            for place in start..<min(journal.end(index), start + 200) {
                var bytes = journal.bytes
                bytes[place] ^= 1 << (place & 7)
                var expected = sampleScan(records: journal.entries, end: journal.end, damaged: [journal.range(index)])
                expected.records.remove(at: index)
                if scan(bytes) != expected { Issue.record("byte \(place)") }
            }
        }
    }

    @Test("Scanning a journal reports every damaged region, neighbors as one")
    func tellsOfEveryDamaged() {
        let journal = Self.journal
        var bytes = journal.bytes
        for index in [0, 3, 4, 7, 11] { bytes[journal.starts[index] + 16] ^= 0x10 }
        let found = scan(bytes)
        let both = journal.range(3).lowerBound..<journal.range(4).upperBound
        #expect(found.records == [1, 2, 5, 6, 8, 9, 10].map { journal.entries[$0] })
        #expect(found.damaged == [journal.range(0), both, journal.range(7)])
        #expect(found.end == journal.range(11).lowerBound)
        #expect(found.rest == .damaged)
    }

    @Test("Scanning a journal finds the record that was appended behind one whose writer died")
    func findsTheRecordThat() {
        var torn: [UInt8] = []
        let offset: UInt64 = 4711
        JournalFrame.appendChange(
            name: "torn", data: Data(repeating: 0x61, count: 60), at: samplePlace(offset), to: &torn)
        for length in 1..<torn.count {
            var bytes = Array(torn.prefix(length))
            let start = offset + UInt64(length)
            JournalFrame.append(.end, at: samplePlace(start), to: &bytes)
            let end = offset + UInt64(bytes.count)
            #expect(
                scan(bytes, from: offset)
                    == sampleScan(
                        records: [JournalEntry(record: .end, end: end)], end: end, damaged: [offset..<start]))
            // Behind the good record another one may be torn.
            let rest = torn.prefix(3)
            #expect(scan(bytes + rest, from: offset).rest == .incomplete)
        }
    }

    @Test("Scanning a journal passes over a whole record that it does not know, without looking for others in it")
    func passesOverAWhole() {
        let journal = Self.journal
        let inner = forgedFrame(body(.end), at: journal.end + 25)
        let unknown = forgedFrame([0x7F] + inner, at: journal.end)
        #expect(
            scan(journal.bytes + unknown) == sampleScan(records: journal.entries, end: journal.end, rest: .damaged))
        let end = journal.end + UInt64(unknown.count)
        let found = scan(journal.bytes + unknown + forgedFrame(body(.end), at: end))
        #expect(found.records == journal.entries + [JournalEntry(record: .end, end: end + 25)])
        #expect(found.damaged == [journal.end..<end])
        #expect(scan(forgedFrame([], at: UInt64(JournalHeader.size))).rest == .damaged)
    }

    @Test("Scanning a journal that claim more to be folded than comes before them count as damage")
    func thatClaimMoreTo() {
        let journal = Self.journal
        for through in [journal.end + 1, journal.end + 100, 1 << 40] {
            let forged = forgedFrame(body(.fold(through: through, file: sampleVersion)), at: journal.end)
            let end = journal.end + UInt64(forged.count)
            let found = scan(journal.bytes + forged + forgedFrame(body(.end), at: end))
            #expect(found.records == journal.entries + [JournalEntry(record: .end, end: end + 25)])
            #expect(found.damaged == [journal.end..<end])
        }
        let honest = forgedFrame(body(.fold(through: journal.end, file: sampleVersion)), at: journal.end)
        #expect(scan(journal.bytes + honest).records.count == journal.entries.count + 1)
    }

    @Test("Scanning a journal of another journal do not count")
    func ofAnotherJournalDo() {
        let journal = SampleJournal.mixed()
        let other = journal.bytes.withUnsafeBytes { JournalScanner.scan($0, from: journal.offset, of: 5) }
        #expect(other == JournalScan(end: journal.offset, rest: .damaged, journal: 5))
    }

    @Test("Scanning a journal say of which journal they are where that is not known")
    func sayOfWhichJournal() {
        let journal = SampleJournal.mixed()
        let found = journal.bytes.withUnsafeBytes { JournalScanner.scan($0, from: journal.offset, of: nil) }
        #expect(found == sampleScan(records: journal.entries, end: journal.end))
    }
}
