@testable import SettingsKitPlatform
import Testing

@Suite("Integers from files")
struct CheckedIntegerTests {
    @Test("A number that a type cannot hold, or that lies outside of its limits, is refused")
    func conversion() {
        #expect(Int64(checked: UInt64.max) == nil)
        #expect(Int64(checked: UInt64(1) << 63) == nil)
        #expect(Int64(checked: UInt64(Int64.max)) == .max)
        #expect(Int32(checked: Int64.min) == nil)
        #expect(UInt64(checked: -1) == nil)
        #expect(Int(checked: UInt8(9), in: 0...8) == nil)
        #expect(Int(checked: UInt8(8), in: 0...8) == 8)
    }

    @Test("A sum, difference or product that overflows is refused")
    func arithmetic() {
        #expect(Int64(1).adding(checked: UInt64.max) == nil)
        #expect(Int64(1).adding(checked: Int64.max) == nil)
        #expect(Int64(-1).adding(checked: Int64.max) == Int64.max - 1)
        #expect(UInt64(0).subtracting(checked: 1) == nil)
        #expect(Int64.min.subtracting(checked: 1) == nil)
        #expect(Int64(5).subtracting(checked: 7) == -2)
        #expect(Int64.min.multiplied(byChecked: -1) == nil)
        #expect(UInt32(1 << 16).multiplied(byChecked: 1 << 16) == nil)
        #expect(UInt32(1 << 16).multiplied(byChecked: 65_535) == 0xFFFF_0000)
    }

    @Test("Digits are read up to the largest number that the type holds, and nothing else is")
    func digits() {
        func number(_ text: String, radix: UInt32 = 10) -> UInt64? { UInt64(checkedDigits: text.utf8, radix: radix) }
        #expect(number("18446744073709551615") == .max)
        #expect(number("18446744073709551616") == nil)
        #expect(number("99999999999999999999") == nil)
        #expect(number("ffffFFFFffffFFFF", radix: 16) == .max)
        #expect(number("10000000000000000", radix: 16) == nil)
        for text in ["", "-1", "+1", " 1", "1 ", "1a", "٣"] { #expect(number(text) == nil, "\(text)") }
        #expect(Int8(checkedDigits: "128".utf8) == nil)
        #expect(Int8(checkedDigits: "127".utf8) == 127)
    }

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
            #expect(one.subtracting(checked: other) == (fits ? Number(exactly: wide - other) : nil), "\(text)")
            #expect(one.multiplied(byChecked: other) == (fits ? Number(exactly: wide * other) : nil), "\(text)")
            if other >= 0 {
                #expect(Number(checkedDigits: "\(other)".utf8) == Number(exactly: other), "\(text)")
                let hexadecimal = String(other, radix: 16)
                #expect(Number(checkedDigits: hexadecimal.utf8, radix: 16) == Number(exactly: other), "\(text)")
            }
        }
    }
}
