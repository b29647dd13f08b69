import Testing

@testable import SettingsKitFiles

@Suite("The text of a replica's ID")
struct ReplicaIDTests {
    @Test(
        "The text of a replica's ID has sixteen lower-case digits, and is read back",
        arguments: [
            (0, "0000000000000000"), (1, "0000000000000001"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
            (.max, "ffffffffffffffff"),
        ] as [(UInt64, String)])
    func hasSixteenLowerCase(number: UInt64, text: String) {
        #expect(ReplicaID(number).description == text)
        #expect(ReplicaID(text) == ReplicaID(number))
    }

    @Test(
        "The text of a replica's ID has no other form",
        arguments: [
            "", "0", "123456789abcdef", "00123456789abcdef", "0123456789ABCDEF", "+123456789abcdef", "-000000000000001",
            "0x23456789abcdef", " 123456789abcdef", "123456789abcdeg0", "１２３４５", "12345678９abcde", "0123456789abcde\0",
        ])
    func hasNoOtherForm(text: String) {
        #expect(ReplicaID(text) == nil)
    }

    @Test("The text of a replica's ID differs from one replica to the next")
    func differsFromOneReplica() {
        let all = Set((0..<1_000).map { _ in ReplicaID.random() })
        #expect(all.count == 1_000)
        #expect(!all.contains(ReplicaID(0)))
    }
}
