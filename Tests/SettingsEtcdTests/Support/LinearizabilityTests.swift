import SettingsTestSupport
import Testing

@Suite("The checker of linearizability")
struct LinearizabilityTests {
    private func operation(_ kind: RegisterOperation.Kind, _ call: UInt64, _ end: UInt64?) -> RegisterOperation {
        RegisterOperation(kind: kind, call: call, end: end)
    }

    @Test("Histories with an order are accepted")
    func accepted() {
        #expect(Linearizability.holds([]))
        #expect(Linearizability.holds([operation(.write(1), 0, 1), operation(.read(1), 2, 3)]))
        // Concurrent operations have either order.
        #expect(
            Linearizability.holds([operation(.write(1), 0, 10), operation(.read(nil), 1, 2), operation(.read(1), 3, 4)])
        )
        #expect(
            Linearizability.holds([
                operation(.write(1), 0, 5), operation(.write(2), 0, 5), operation(.read(1), 6, 7),
            ]))
        // A write without a known end may have happened late, or never.
        #expect(
            Linearizability.holds([
                operation(.write(1), 0, nil), operation(.read(nil), 5, 6), operation(.read(1), 7, 8),
            ]))
        #expect(Linearizability.holds([operation(.write(1), 0, nil), operation(.read(nil), 5, 6)]))
        #expect(
            Linearizability.holds([
                operation(.update(from: nil, to: 1), 0, 5), operation(.update(from: 1, to: 2), 0, 5),
                operation(.read(2), 6, 7),
            ]))
    }

    @Test("Histories without an order are refused")
    func refused() {
        // A read of the past.
        #expect(!Linearizability.holds([operation(.write(1), 0, 1), operation(.read(nil), 2, 3)]))
        // Back and forth.
        #expect(
            !Linearizability.holds([
                operation(.write(1), 0, 10), operation(.read(1), 1, 2), operation(.read(nil), 3, 4),
            ]))
        // A lost update.
        #expect(
            !Linearizability.holds([
                operation(.update(from: nil, to: 1), 0, 5), operation(.update(from: nil, to: 1), 0, 5),
            ]))
        // A value out of nowhere.
        #expect(!Linearizability.holds([operation(.write(1), 0, 1), operation(.read(3), 2, 3)]))
        // An unknown write that happened twice.
        #expect(
            !Linearizability.holds([
                operation(.write(1), 0, nil), operation(.read(1), 2, 3), operation(.write(2), 4, 5),
                operation(.read(2), 6, 7), operation(.read(1), 8, 9),
            ]))
    }

    @Test(
        "Histories of a real register are accepted, and with one read changed most are refused",
        arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (value, time) = (nil as Int?, UInt64(0))
        var history: [RegisterOperation] = []
        for number in 1...60 {
            // Calls up to three operations earlier overlap.
            time += 10
            let start = time - min(time, UInt64.random(in: 0...25, using: &generator))
            let end = time + UInt64.random(in: 0...25, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: history.append(operation(.read(value), start, end))
            case 1:
                value = number
                history.append(operation(.write(number), start, Bool.random(using: &generator) ? end : nil))
            default:
                history.append(operation(.update(from: value, to: number), start, end))
                value = number
            }
        }
        #expect(Linearizability.holds(history), "seed \(seed)")
        history.append(operation(.read(-1), time + 1000, time + 1001))
        #expect(!Linearizability.holds(history), "seed \(seed)")
    }
}
