import Foundation
import Testing

@testable import SettingsKitFiles
@testable import SettingsKitPlatform

@Suite("Frames of a journal")
struct JournalFrameTests {
    @Test("Frames of a journal have the layout that their description gives")
    func haveTheLayoutThat() {
        var bytes: [UInt8] = [1, 2, 3]
        JournalFrame.append(.end, at: samplePlace(0x0102_0304_0506_0708), to: &bytes)
        #expect(bytes.prefix(11) == [1, 2, 3, 0xF5, 0x53, 0x4B, 0x52, 1, 0, 0, 0])
        #expect(bytes.count == 3 + JournalFrame.headerSize + 1)
        func check(_ bytes: [UInt8]) -> [UInt8] {
            var check: [UInt8] = []
            check.appendLittleEndian(bytes.withUnsafeBytes { CRC32C.checksum($0) })
            return check
        }
        #expect(bytes[11..<19] == [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11])
        let checked: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1] + bytes[3..<19]
        #expect(Array(bytes[19..<23]) == check(checked))
        #expect(Array(bytes[23..<27]) == check(checked + [4]))
        #expect(bytes[27] == 4)
    }

    @Test("Frames of a journal of one change are the same, however they are made")
    func ofOneChangeAre() {
        print("frames of one change: seed 92")
        var random = RandomJournalRecord(seed: 92)
        for _ in 0..<500 {
            let change = random.change()
            let offset = random.values.generator.next()
            var quick: [UInt8] = [0xAA]
            JournalFrame.appendChange(name: change.name, data: change.data, at: samplePlace(offset), to: &quick)
            var usual: [UInt8] = [0xAA]
            JournalFrame.append(.changes([change]), at: samplePlace(offset), to: &usual)
            #expect(quick == usual)
        }
    }

    @Test("Frames of a journal tell their size without being made")
    func tellTheirSizeWithout() {
        print("sizes of frames: seed 93")
        var random = RandomJournalRecord(seed: 93)
        for count in [0, 1, 2, 5, 127, 128] {
            let changes = (0..<count).map { _ in random.change() }
            #expect(JournalFrame.bodySize(of: changes) == body(.changes(changes)).count)
        }
        for length in [0, 1, 126, 127, 128, 16_382, 16_383] {
            let change = JournalChange(name: "n", data: Data(count: length))
            #expect(JournalFrame.bodySize(of: [change]) == body(.changes([change])).count)
        }
    }

    @Test("Frames of a journal are read only at the offset they were made for")
    func areReadOnlyAt() {
        var bytes: [UInt8] = []
        JournalFrame.append(.end, at: samplePlace(4711), to: &bytes)
        #expect(scan(bytes, from: 4711).records == [JournalEntry(record: .end, end: 4736)])
        for offset in [0, 48, 4710, 4712, 4711 + 1 << 32] as [UInt64] {
            #expect(scan(bytes, from: offset) == sampleScan(end: offset, rest: .damaged))
        }
    }
}
