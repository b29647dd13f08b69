import Testing

@testable import SettingsKitFiles

@Suite("CRC-32C")
struct CRC32CTests {
    private func checksum(_ bytes: some Collection<UInt8>, continuing previous: UInt32 = 0) -> UInt32 {
        Array(bytes).withUnsafeBytes { CRC32C.checksum($0, continuing: previous) }
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
                #expect(checksum(bytes[end...], continuing: ~state) == checksum(bytes[start...]))
                state ^= UInt32(bytes[end])
                for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0x82F6_3B78 : 0) }
            }
        }
    }
}
