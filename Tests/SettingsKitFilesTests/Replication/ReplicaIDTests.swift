import Testing

@testable import SettingsKitFiles

@Suite struct `The text of a replica's ID` {
    @Test(
        arguments: [
            (0, "0000000000000000"), (1, "0000000000000001"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
            (.max, "ffffffffffffffff"),
        ] as [(UInt64, String)])
    func `has sixteen lower-case digits, and is read back`(number: UInt64, text: String) {
        #expect(ReplicaID(number).description == text)
        #expect(ReplicaID(text) == ReplicaID(number))
    }

    @Test(arguments: [
        "", "0", "123456789abcdef", "00123456789abcdef", "0123456789ABCDEF", "+123456789abcdef", "-000000000000001",
        "0x23456789abcdef", " 123456789abcdef", "123456789abcdeg0", "１２３４５", "12345678９abcde", "0123456789abcde\0",
    ])
    func `has no other form`(text: String) {
        #expect(ReplicaID(text) == nil)
    }

    @Test func `differs from one replica to the next`() {
        let all = Set((0..<1_000).map { _ in ReplicaID.random() })
        #expect(all.count == 1_000)
        #expect(!all.contains(ReplicaID(0)))
    }
}
