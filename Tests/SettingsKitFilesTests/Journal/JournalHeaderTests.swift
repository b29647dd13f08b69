import Testing

@testable import SettingsKitFiles

@Suite("The header of a journal")
struct JournalHeaderTests {
    private static let header = JournalHeader(
        id: 0x0123_4567_89AB_CDEF, predecessor: 1 << 63, list: 7, generation: 8, base: 9, baseOffset: 10,
        carriedEnd: 4711, restoreEnd: 4710)

    private static func bytes(_ header: JournalHeader = header) -> [UInt8] {
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        return bytes
    }

    private func read(_ bytes: [UInt8]) -> JournalHeader.Reading {
        bytes.withUnsafeBytes { JournalHeader.read($0) }
    }

    /// `bytes` with the check that they should have, and with the complement that the version should have.
    private func corrected(_ bytes: [UInt8]) -> [UInt8] {
        var result = Array(bytes.prefix(10))
        result += [~result[8], ~result[9]] + bytes[12..<84]
        let check = result.withUnsafeBytes { CRC32C.checksum($0) }
        result.appendLittleEndian(check)
        return result
    }

    @Test(
        "The header of a journal is read unchanged, whatever follows it",
        arguments: [
            header, JournalHeader(id: 1, predecessor: 0, list: 1, generation: 1),
            JournalHeader(
                id: .max, predecessor: .max, list: .max, generation: 1 << 40, base: .max, baseOffset: 1 << 40,
                carriedEnd: 1 << 40, restoreEnd: 1 << 40, mustBeRead: true),
        ])
    func isReadAsIt(header: JournalHeader) {
        let bytes = Self.bytes(header)
        #expect(bytes.count == JournalHeader.size)
        #expect(read(bytes) == .intact(header))
        #expect(read(bytes + [0]) == .intact(header))
        #expect(read(bytes + [UInt8](repeating: 0xA5, count: 100)) == .intact(header))
    }

    @Test("The header of a journal has the layout that its description gives")
    func hasTheLayoutThat() {
        let expected: [UInt8] =
            [0x89, 0x53, 0x4B, 0x4A, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0xFE, 0xFF, 0, 0, 0, 0]
            + [0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x80]
            + [7, 8, 9, 10].flatMap { [$0, 0, 0, 0, 0, 0, 0, 0] }
            + [0x67, 0x12, 0, 0, 0, 0, 0, 0, 0x66, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(Self.bytes().prefix(84) == expected[...])
        #expect(corrected(Self.bytes()) == Self.bytes())
    }

    @Test("The header of a journal that is cut anywhere was never written")
    func thatIsCutAnywhere() {
        for length in 0..<JournalHeader.size {
            #expect(read(Array(Self.bytes().prefix(length))) == .absent, "cut at \(length)")
        }
    }

    @Test(
        "The header of a journal of zeros was never written", arguments: [0, 1, 12, 87, 88, 89, 4096])
    func ofZerosWasNever(length: Int) {
        let zeros = [UInt8](repeating: 0, count: length)
        #expect(read(zeros) == .absent)
        #expect(read(zeros + [1]) == .damaged)
    }

    @Test("The header of a journal with any bit flipped is damaged")
    func withAnyBitFlipped() {
        for place in 0..<JournalHeader.size {
            for bit in 0..<8 {
                var bytes = Self.bytes()
                bytes[place] ^= 1 << bit
                #expect(read(bytes) == .damaged, "bit \(bit) of byte \(place)")
                for length in [1, 8, 10, 12, 16, 87] where length <= bytes.count {
                    let expected: JournalHeader.Reading = place < min(16, length) ? .damaged : .absent
                    #expect(read(Array(bytes.prefix(length))) == expected, "bit \(bit) of byte \(place), cut")
                }
            }
        }
    }

    @Test(
        "The header of a newer version's journal yields that version, whatever else it has",
        arguments: [2, 3, 0x100, 0xFFFF] as [UInt16])
    func ofANewerVersion(version: UInt16) {
        var bytes = Self.bytes()
        bytes[8] = UInt8(version & 0xFF)
        bytes[9] = UInt8(version >> 8)
        #expect(read(bytes) == .damaged)
        let newer = corrected(bytes)
        #expect(read(newer) == .newer(version: version))
        #expect(read(Array(newer.prefix(12))) == .newer(version: version))
        #expect(read(Array(newer.prefix(12)) + [UInt8](repeating: 7, count: 200)) == .newer(version: version))
    }

    @Test("The header of a journal with right checks but impossible fields is damaged")
    func withRightChecksBut() {
        var sound = Self.header
        sound.mustBeRead = true
        let changes: [(inout JournalHeader) -> Void] = [
            { $0.id = 0 }, { $0.restoreEnd = 87 }, { $0.carriedEnd = 4709 }, { $0.carriedEnd = 1 << 40 + 1 },
            { $0.carriedEnd = 1 << 63 }, { $0.carriedEnd = .max }, { $0.generation = .max },
            { $0.baseOffset = 1 << 63 }, { $0.restoreEnd = .max },
        ]
        for (index, change) in changes.enumerated() {
            var header = sound
            change(&header)
            #expect(read(Self.bytes(header)) == .damaged, "change \(index)")
        }
        for place in [8, 12, 13, 14, 15, 81, 82, 83] {
            var bytes = Self.bytes()
            bytes[place] = place == 8 ? 0 : 1
            #expect(read(corrected(bytes)) == .damaged, "byte \(place)")
        }
    }

    @Test("The header of a journal is not seen in other files")
    func isNotSeenIn() {
        for text in ["<?xml version=\"1.0\"?>", "bplist00", "S", "\u{F5}SKR", "\n"] {
            #expect(read(Array(text.utf8)) == .damaged)
            #expect(read(Array(String(repeating: text, count: 60).utf8)) == .damaged)
        }
    }
}
