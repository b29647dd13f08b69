import Foundation
import Testing

@testable import SettingsKitFiles

// What is not linear takes hours with this size.
@Suite("Hostile journals", .timeLimit(Rounds.timeLimit), .ownThreads)
struct HostileJournalTests {
    private static let size = 10_000_000
    private static let start = UInt64(JournalHeader.size)

    @Test(
        "Hostile journals full of markers, or of parts of them, are read in linear time",
        arguments: [
            [0xF5, 0x53, 0x4B, 0x52], [0xF5], [0xF5, 0x53, 0x4B, 0x52, 1, 0, 0, 0], [0x61],
        ] as [[UInt8]])
    func fullOfMarkersOr(part: [UInt8]) {
        // Doubled, since joining ten million bytes one by one takes longer than what is tested.
        var bytes = part
        while bytes.count < Self.size { bytes += bytes.prefix(Self.size - bytes.count) }
        #expect(scan(bytes) == sampleScan(end: Self.start, rest: .damaged))
    }

    /// Headers with right checks, one every `distance` bytes, each of which claims all that follows for its body.
    private func claims(distance: Int, following: (UInt64) -> [UInt8] = { _ in [] }) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        for place in stride(from: 0, to: bytes.count - distance, by: distance) {
            let offset = UInt64(JournalHeader.size + place)
            let header = forgedFrame([], length: bytes.count - place - JournalFrame.headerSize, at: offset)
            let piece = header + following(offset + UInt64(header.count))
            bytes.replaceSubrange(place..<(place + piece.count), with: piece)
        }
        return bytes
    }

    @Test("Hostile journals full of headers that claim all that follows are read in linear time")
    func fullOfHeadersThat() {
        let found = scan(claims(distance: 200))
        #expect(found == sampleScan(end: Self.start, rest: .damaged))
    }

    @Test("Hostile journals with good records between such headers are read in linear time")
    func withGoodRecordsBetween() {
        let bytes = claims(distance: 200) { forgedFrame(body(.end), at: $0) }
        let found = scan(bytes)
        #expect(found.records.allSatisfy { $0.record == .end })
        #expect(!found.records.isEmpty)
        #expect(found.rest == .damaged)
    }

    @Test("Hostile journals with a single such header lose nothing but it")
    func withASingleSuch() {
        var bytes = forgedFrame([], length: 100_000, at: Self.start)
        var count = 0
        while bytes.count < 200_000 {
            bytes += forgedFrame(body(.end), at: Self.start + UInt64(bytes.count))
            count += 1
        }
        let found = scan(bytes)
        #expect(found.records.count == count)
        #expect(found.damaged == [Self.start..<Self.start + 24])
        #expect(found.rest == .nothing)
    }

    @Test("Hostile journals of random bytes among records give no record that was not written")
    func ofRandomBytesAmong() {
        print("random bytes in a journal: seed 96")
        var generator = SeededGenerator(seed: 96)
        let journal = SampleJournal.mixed()
        let lastStart = journal.range(journal.records.count - 1).lowerBound - journal.offset
        for _ in 0..<2000 {
            var bytes = journal.bytes
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<Int(lastStart), using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            let found = scan(bytes)
            if !found.records.allSatisfy({ journal.entries.contains($0) }) { Issue.record("a wrong record") }
            if found.records.last != journal.entries.last { Issue.record("the last record is missing") }
        }
    }
}
