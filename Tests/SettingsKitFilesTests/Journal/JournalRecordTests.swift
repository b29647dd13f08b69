import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Records of a journal")
struct JournalRecordTests {
    @Test("Records of a journal are read unchanged, with names of exactly the same characters")
    func areReadAsThey() {
        print("records: seed 90")
        var random = RandomJournalRecord(seed: 90)
        for _ in 0..<2000 {
            let original = random.record()
            let bytes = body(original)
            let copy = record(bytes)
            #expect(copy == original)
            // Names that are equal as strings can have different characters.
            #expect(copy.map { body($0) } == bytes)
        }
    }

    @Test(
        "Records of a journal have the bytes that their description gives",
        arguments: [
            (.end, [4]), (.changes([]), [1, 0]),
            (.changes([JournalChange(name: "ab", data: nil)]), [1, 1, 2, 0x61, 0x62, 0]),
            (.changes([JournalChange(name: "a", data: Data())]), [1, 1, 1, 0x61, 1]),
            (.changes([JournalChange(name: "a", data: Data([9, 8]))]), [1, 1, 1, 0x61, 3, 9, 8]),
        ] as [(JournalRecord, [UInt8])])
    func haveTheBytesThat(record: JournalRecord, bytes: [UInt8]) {
        #expect(body(record) == bytes)
    }

    @Test("Records of a journal have fields of files in a fixed form")
    func haveFieldsOfFiles() {
        let bytes = body(.fold(through: 0x0102, file: sampleVersion))
        #expect(bytes.count == 1 + 8 + 68)
        #expect(bytes.prefix(9) == [2, 2, 1, 0, 0, 0, 0, 0, 0])
        #expect(bytes[9..<17] == [5, 0, 0, 0, 0, 0, 0, 0x80])
        #expect(bytes[33..<41] == [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(bytes[73...] == [4, 3, 2, 1])
        let edit = JournalEdit(removed: ["a"], members: Data([7]))
        let adoption = body(.adoption(file: sampleVersion, edit))
        #expect(adoption[0] == 3)
        #expect(adoption[1..<69] == bytes[9...])
        #expect(adoption[69...] == [1, 1, 0x61, 1, 7])
        #expect(body(.restore(base: nil, edit)) == [5, 0, 1, 1, 0x61, 1, 7])
        #expect(body(.members(edit)) == [6, 1, 1, 0x61, 1, 7])
        let digest = FileDigest(size: 4711, checksum: 0x0102_0304)
        #expect(
            body(.restore(base: digest, edit)) == [5, 1, 0x67, 0x12, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 1, 1, 0x61, 1, 7])
    }

    @Test(
        "Records of a journal are refused where they have any other form",
        arguments: [
            [], [0], [5], [5, 0], [5, 2, 0, 0], [6], [6, 0], [6, 0, 0, 0], [7], [0xFF], [4, 0], [1], [1, 0, 0], [1, 1],
            [1, 1, 0],
            [1, 1, 1, 0x61], [1, 1, 1, 0x61, 2],
            [1, 1, 1, 0xFF, 0], [1, 1, 2, 0xC0, 0x80, 0], [1, 1, 3, 0xED, 0xA0, 0x80, 0], [1, 1, 1, 0x61, 1, 0],
            [1, 0x80, 0], [1, 1, 0x81, 0, 0x61, 0], [1, 1, 1, 0x61, 0x80, 0], [1, 2, 1, 0x61, 0],
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [1, 1, 1, 0x61, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            [2], [3], [2] + [UInt8](repeating: 0, count: 75), [2] + [UInt8](repeating: 0, count: 77),
            [2] + [UInt8](repeating: 0xFF, count: 76), [3] + [UInt8](repeating: 0, count: 69),
            [3] + [UInt8](repeating: 0, count: 71),
        ] as [[UInt8]])
    func areRefusedWhereTheyHave(bytes: [UInt8]) {
        #expect(record(bytes) == nil)
    }

    @Test("Records of a journal are refused where they are cut or have more after them")
    func areRefusedWhereThey() {
        for original in SampleJournal.mixed().records.dropLast() {
            let bytes = body(original)
            for length in 0..<bytes.count { #expect(record(Array(bytes.prefix(length))) == nil) }
            #expect(record(bytes + [0]) == nil)
        }
    }

    @Test("Records of a journal have one form each, whatever bytes are tried")
    func haveOneFormEach() {
        print("mutated records: seed 91")
        var random = RandomJournalRecord(seed: 91)
        for _ in 0..<5000 {
            var bytes = body(random.record())
            for _ in 0..<Int.random(in: 1...3, using: &random.values.generator) {
                let place = Int.random(in: 0..<bytes.count, using: &random.values.generator)
                bytes[place] = UInt8.random(in: 0...255, using: &random.values.generator)
            }
            if let record = record(bytes) { #expect(body(record) == bytes) }
        }
    }

    @Test(
        "Records of a journal have lengths in as few bytes as they take",
        arguments: [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, Int.max])
    func haveLengthsInAs(length: Int) {
        var bytes: [UInt8] = []
        bytes.appendLength(length)
        #expect(bytes.count == [UInt8].sizeOfLength(length))
        #expect(
            bytes.withUnsafeBytes { buffer in
                var input = JournalInput(buffer)
                return input.length() == length && input.isAtEnd
            })
    }
}
