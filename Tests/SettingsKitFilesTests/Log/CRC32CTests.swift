import Testing

@testable import SettingsKitFiles

@Suite("CRC-32C")
struct CRC32CTests {
    private func checksum(_ bytes: some Collection<UInt8>, continuing previous: UInt32 = 0) -> UInt32 {
        Array(bytes).withUnsafeBytes { CRC32C.checksum($0, continuing: previous) }
    }

    @Test(
        "CRC-32C has the values that RFC 3720 gives",
        arguments: [
            (Array("123456789".utf8), 0xE306_9283), ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C), ([], 0),
        ] as [([UInt8], UInt32)])
    func hasTheValuesThat(bytes: [UInt8], check: UInt32) {
        #expect(checksum(bytes) == check)
    }

    @Test("CRC-32C agrees with its definition, bit by bit, at every length and place")
    func agreesWithItsDefinition() {
        print("CRC-32C: seed 3720")
        var generator = SeededGenerator(seed: 3720)
        let bytes = (0..<80).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for start in 0..<9 {
            var state: UInt32 = .max
            for end in start..<bytes.count {
                #expect(checksum(bytes[start..<end]) == ~state)
                bytes.withUnsafeBytes {
                    #expect(CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start..<end])) == ~state)
                }
                state ^= UInt32(bytes[end])
                for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0x82F6_3B78 : 0) }
            }
        }
    }

    @Test("CRC-32C continues where it was left")
    func continuesWhereItWas() {
        let bytes = (0..<50).map { UInt8($0 * 5) }
        for cut in 0...bytes.count {
            #expect(checksum(bytes[cut...], continuing: checksum(bytes[..<cut])) == checksum(bytes))
        }
    }
}
