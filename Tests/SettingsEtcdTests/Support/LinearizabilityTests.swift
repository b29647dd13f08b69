import Testing

@Suite("The checker of linearizability")
struct LinearizabilityTests {
    private typealias Kind = RegisterOperation.Kind

    /// Histories, each operation with its call and return, and whether there is an order.
    private static let cases: [([(Kind, UInt64, UInt64?)], Bool)] = [
        ([], true),
        ([(.write(1), 0, 1), (.read(1), 2, 3)], true),
        // Concurrent operations have either order.
        ([(.write(1), 0, 10), (.read(nil), 1, 2), (.read(1), 3, 4)], true),
        ([(.write(1), 0, 5), (.write(2), 0, 5), (.read(1), 6, 7)], true),
        // A write without a known end may have happened late, or never.
        ([(.write(1), 0, nil), (.read(nil), 5, 6), (.read(1), 7, 8)], true),
        ([(.write(1), 0, nil), (.read(nil), 5, 6)], true),
        ([(.update(from: nil, to: 1), 0, 5), (.update(from: 1, to: 2), 0, 5), (.read(2), 6, 7)], true),
        // A read of the past.
        ([(.write(1), 0, 1), (.read(nil), 2, 3)], false),
        // Back and forth.
        ([(.write(1), 0, 10), (.read(1), 1, 2), (.read(nil), 3, 4)], false),
        // A lost update.
        ([(.update(from: nil, to: 1), 0, 5), (.update(from: nil, to: 1), 0, 5)], false),
        // A value out of nowhere.
        ([(.write(1), 0, 1), (.read(3), 2, 3)], false),
        // An unknown write that happened twice.
        ([(.write(1), 0, nil), (.read(1), 2, 3), (.write(2), 4, 5), (.read(2), 6, 7), (.read(1), 8, 9)], false),
    ]

    @Test("Histories with an order are accepted, and others refused", arguments: cases.indices)
    func history(index: Int) {
        let (history, hasOrder) = Self.cases[index]
        #expect(
            Linearizability.holds(history.map { RegisterOperation(kind: $0, call: $1, end: $2) }) == hasOrder)
    }
}
