import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("An entry's bytes in the local state", .ownThreads)
struct SharedEntryBytesTests {
    private static let stamps = [
        Stamp(.earliest, replica: 0),
        Stamp(Instant(milliseconds: Device.noon, order: 3), epoch: 1, replica: 0x0123_4567_89AB_CDEF),
        Stamp(Instant(number: .max), epoch: HybridMoment.lastEpoch, replica: .max),
    ]

    private static func entries(sizes: [Int], unknown: [Int]) -> [SharedEntry] {
        stamps.flatMap { stamp in
            ([nil] + sizes.map { Data(repeating: 0xA5, count: $0) }).flatMap { value in
                unknown.map {
                    SharedEntry(stamp: stamp, value: value, unknownFields: Array(repeating: 0x78, count: $0))
                }
            }
        }
    }

    private static let small = entries(sizes: [0, 1, 20], unknown: [0, 1, 130])

    /// The entry in some bytes, after a look at whether all three ways to read them agree.
    private func read(_ bytes: Data, _ comment: @autoclosure () -> Comment) -> SharedEntry? {
        let entry = SharedEntry(bytes)
        let isStampSame = entry == nil || SharedEntry.stamp(in: bytes) == entry?.stamp
        if !isStampSame || SharedEntry.value(in: bytes) != entry?.value { Issue.record(comment()) }
        return entry
    }

    @Test("An entry's bytes in the local state are read back, whatever the entry has")
    func areReadBackWhatever() {
        for entry in Self.entries(sizes: [0, 1, 300, 1 << 20], unknown: [0, 1, 127, 128, 16_384]) {
            let bytes = entry.bytes
            #expect(read(bytes, "all") == entry)
            // Data that are a part of others begin at another index.
            let part = (Data([1, 2, 3]) + bytes).dropFirst(3)
            #expect(read(part, "a part") == entry)
        }
    }

    @Test("An entry's bytes in the local state are the ones that are documented")
    func areTheOnesThat() {
        let stamp = Stamp(Instant(number: 0x0102_0304_0506_0708), epoch: 0x2122_2324, replica: 0x1112_1314_1516_1718)
        let numbers: [UInt8] =
            [8, 7, 6, 5, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]
            + [0x24, 0x23, 0x22, 0x21]
        var entry = SharedEntry(stamp: stamp, value: Data("1".utf8))
        #expect(entry.bytes == Data([1, 0] + numbers + [0x31]))
        entry.unknownFields = Array("u".utf8)
        #expect(entry.bytes == Data([1, 2] + numbers + [1, 0x75, 0x31]))
        entry.value = nil
        #expect(entry.bytes == Data([1, 3] + numbers + [1, 0x75]))
        entry.unknownFields = []
        #expect(entry.bytes == Data([1, 1] + numbers))
    }

    @Test("An entry's bytes in the local state cut anywhere are no entry, or one that all see alike")
    func cutAnywhereAreNo() {
        for entry in Self.small {
            let bytes = entry.bytes
            for length in 0..<bytes.count {
                let cut = bytes.prefix(length)
                let found = read(cut, "\(entry) cut at \(length)")
                if length < 22 {
                    #expect(found == nil)
                    #expect(SharedEntry.stamp(in: cut) == nil)
                } else if let found {
                    #expect(found.stamp == entry.stamp)
                    #expect(found.isTombstone == entry.isTombstone)
                }
            }
        }
    }

    @Test("An entry's bytes in the local state with any bit flipped are no entry, or one that all see alike")
    func withAnyBitFlipped() {
        for entry in Self.small {
            var bytes = entry.bytes
            for place in bytes.indices {
                for bit in 0..<8 {
                    bytes[place] ^= 1 << bit
                    _ = read(bytes, "\(entry), bit \(bit) of byte \(place)")
                    bytes[place] ^= 1 << bit
                }
            }
        }
    }

    @Test("An entry's bytes in the local state that are random are no entry, or one that all see alike")
    func thatAreRandomAre() {
        for seed in Rounds.seeds(0..<20) {
            var generator = SeededGenerator(seed: seed)
            for round in 0..<500 {
                let count = Int.random(in: 0...60, using: &generator)
                var bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
                // Most would be refused for their first byte alone.
                if round % 4 > 0, bytes.count > 2 {
                    bytes[0] = 1
                    bytes[1] &= 7
                }
                _ = read(bytes, "seed \(seed), round \(round)")
            }
        }
    }

    @Test(
        "An entry's bytes in the local state are never what a plain value is",
        arguments: ["", "null", "{}", "\"text\"", "[1,2,3,4,5,6,7,8,9,10,11]", "123456789012345678901234567890"])
    func areNeverWhatA(text: String) {
        let bytes = Data(text.utf8)
        #expect(read(bytes, "") == nil)
        #expect(SharedEntry.stamp(in: bytes) == nil)
    }

    @Test(
        "An entry's bytes in the local state of another version are no entry", arguments: [0, 2, 0x7B, 255] as [UInt8])
    func ofAnotherVersionAre(version: UInt8) {
        for entry in Self.small {
            var bytes = entry.bytes
            bytes[0] = version
            #expect(read(bytes, "") == nil)
            #expect(SharedEntry.stamp(in: bytes) == nil)
        }
    }

    @Test("An entry's bytes in the local state that claim more than there is are no entry")
    func thatClaimMoreThan() {
        let head = Data([1, 2] + [UInt8](repeating: 7, count: 20))
        let largest = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
        for claim in [[1], [2, 0], [0x80], [0xFF, 0x7F], largest] as [[UInt8]] {
            #expect(read(head + Data(claim), "\(claim)") == nil)
        }
    }
}
