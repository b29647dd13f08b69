import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("A replica's file that is damaged", .ownThreads)
struct DamagedReplicaFileTests {
    private static let records = Array(sampleReplicaRecords.prefix(3))
    private static let header = {
        var header = sampleHeader
        header.recordCount = records.count
        return header
    }()
    private static let file = ReplicaFileWriter.bytes(header, records)
    /// Where each line's break is.
    private static let breaks = file.indices.filter { file[$0] == UInt8(ascii: "\n") }

    @Test("A replica's file that is damaged cut at any byte gives the records before the cut, and no other")
    func cutAtAnyByte() throws {
        #expect(Self.breaks.count == Self.records.count + 1)
        for cut in 0...Self.file.count {
            let result = readReplicaFile(Array(Self.file.prefix(cut)))
            if cut < ReplicaFile.magic.utf8.count {
                guard case .foreign = result else {
                    Issue.record("cut at \(cut)")
                    continue
                }
                continue
            }
            guard case .file(let file) = result else {
                Issue.record("cut at \(cut)")
                continue
            }
            // A line is whole without its line break.
            let whole = Self.breaks.count { $0 <= cut }
            let isBetween = cut == 0 || Self.breaks.contains(cut) || Self.breaks.contains(cut - 1)
            #expect(file.records.isIdentical(to: Self.records.prefix(max(0, whole - 1))), "cut at \(cut)")
            #expect(file.header == (whole > 0 ? Self.header : nil), "cut at \(cut)")
            #expect(file.damagedLines == (isBetween ? 0 : 1), "cut at \(cut)")
            #expect(file.isComplete == (whole == Self.breaks.count), "cut at \(cut)")
        }
    }

    @Test(
        "A replica's file that is damaged with any bit flipped loses the lines that it is in, and nothing becomes another"
    )
    func withAnyBitFlipped() {
        var bytes = Self.file
        let magic = ReplicaFile.magic.utf8.count
        for place in bytes.indices {
            let line = Self.breaks.count { $0 < place }
            // Without its break, a line is one with the next.
            let touched = Self.breaks.contains(place) ? line...(line + 1) : line...line
            let expected = Self.records.indices.filter { !touched.contains($0 + 1) }.map { Self.records[$0] }
            for bit in 0..<8 {
                bytes[place] ^= 1 << bit
                switch readReplicaFile(bytes) {
                case .foreign: if place >= magic { Issue.record("bit \(bit) of byte \(place)") }
                case .newerVersion: Issue.record("bit \(bit) of byte \(place)")
                case .file(let file):
                    let header = touched.contains(0) ? nil : Self.header
                    if place < magic || file.header != header || !file.records.isIdentical(to: expected)
                        || file.damagedLines == 0 || file.isComplete
                    {
                        Issue.record("bit \(bit) of byte \(place)")
                    }
                }
                bytes[place] ^= 1 << bit
            }
        }
    }

    @Test("A replica's file that is damaged by random bytes gives no record that was not written")
    func byRandomBytesGives() {
        for seed in Rounds.seeds(0..<40) {
            var generator = SeededGenerator(seed: seed)
            for round in 0..<25 {
                var bytes = Self.file
                for _ in 0..<Int.random(in: 1...12, using: &generator) {
                    let place = Int.random(in: ReplicaFile.magic.utf8.count..<bytes.count, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(bytes.randomElement(using: &generator) ?? 0, at: place)
                    }
                }
                let records = replicaFile(bytes)?.records
                if records?.allSatisfy({ Self.records.contains($0) }) != true {
                    Issue.record("seed \(seed), round \(round)")
                }
            }
        }
    }

    @Test("A replica's file that is damaged in one line loses that line only")
    func inOneLineLoses() throws {
        let lines = lines(of: Self.file)
        for index in lines.indices {
            var damaged = lines
            damaged[index] = index == 0 ? Array(ReplicaFile.magic.utf8) : Array("<<<<<<< HEAD".utf8)
            let file = try #require(replicaFile(Array(damaged.joined(separator: [0x0A]))))
            let expected = Self.records.indices.filter { $0 + 1 != index }.map { Self.records[$0] }
            #expect(file.records.isIdentical(to: expected))
            #expect((file.header == nil) == (index == 0))
            #expect(file.damagedLines == 1)
            #expect(!file.isComplete)
        }
    }

    @Test("A replica's file that is damaged lacking a line is not complete")
    func lackingALineIs() throws {
        let lines = lines(of: Self.file)
        for index in lines.indices.dropFirst() {
            var fewer = lines
            fewer.remove(at: index)
            let file = try #require(replicaFile(Array(fewer.joined(separator: [0x0A]))))
            #expect(file.damagedLines == 0)
            #expect(!file.isComplete)
        }
    }

    @Test(
        "A replica's file that is damaged with zeros for its end keeps what is before them",
        arguments: [0, 1, 100, 100_000])
    func withZerosForIts(count: Int) throws {
        let file = try #require(replicaFile(Self.file + [UInt8](repeating: 0, count: count)))
        #expect(file.records.isIdentical(to: Self.records))
        #expect(file.damagedLines == (count > 0 ? 1 : 0))
        #expect(file.isComplete == (count == 0))
    }
}
