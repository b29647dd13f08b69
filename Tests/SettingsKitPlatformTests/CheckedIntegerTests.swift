@testable import SettingsKitPlatform
import Testing

@Suite("Integers from files")
struct CheckedIntegerTests {
    @Test("Where Int has 32 bits, arithmetic has the result of 64 bits, or none")
    func narrowArithmetic() {
        agrees(of: Int32.self)
        agrees(of: UInt32.self)
        agrees(of: Int64.self)
    }

    /// Compares the operations with those of a type that holds every result.
    private func agrees<Number: FixedWidthInteger>(of type: Number.Type) {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let edges = [Int128(Number.min), -1, 0, 1, 2, Int128(Int32.max), Int128(UInt32.max), Int128(Number.max)]
        func next() -> Int128 {
            // Near an edge, or of any length.
            let length = Int.random(in: 0..<64, using: &random)
            let number = Int128(Int64.random(in: .min ... .max, using: &random)) >> length
            return Bool.random(using: &random) ? number : edges.randomElement(using: &random)! + number % 3
        }
        for _ in 0..<2_000 {
            guard let one = Number(exactly: next()) else { continue }
            let other = next()
            let fits = Number(exactly: other) != nil
            let (wide, text) = (Int128(one), "\(one) and \(other), seed \(seed)")
            #expect(Number(checked: other) == Number(exactly: other), "\(text)")
            #expect(one.adding(checked: other) == (fits ? Number(exactly: wide + other) : nil), "\(text)")
            #expect(one.multiplied(byChecked: other) == (fits ? Number(exactly: wide * other) : nil), "\(text)")
            if other >= 0 {
                #expect(Number(checkedDigits: "\(other)".utf8) == Number(exactly: other), "\(text)")
                let hexadecimal = String(other, radix: 16)
                #expect(Number(checkedDigits: hexadecimal.utf8, radix: 16) == Number(exactly: other), "\(text)")
            }
        }
    }
}
