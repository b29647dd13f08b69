import SettingsTestSupport
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

    @Test(
        "Histories of a real register are accepted, and with one read changed they are refused",
        arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (value, time) = (nil as Int?, UInt64(0))
        var history: [RegisterOperation] = []
        for number in 1...60 {
            // Calls up to three operations earlier overlap.
            time += 10
            let start = time - min(time, UInt64.random(in: 0...25, using: &generator))
            var end: UInt64? = time + UInt64.random(in: 0...25, using: &generator)
            let kind: Kind
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: kind = .read(value)
            case 1:
                (kind, value) = (.write(number), number)
                if Bool.random(using: &generator) { end = nil }
            default: (kind, value) = (.update(from: value, to: number), number)
            }
            history.append(RegisterOperation(kind: kind, call: start, end: end))
        }
        #expect(Linearizability.holds(history), "seed \(seed)")
        history.append(RegisterOperation(kind: .read(-1), call: time + 1000, end: time + 1001))
        #expect(!Linearizability.holds(history), "seed \(seed)")
    }
}
