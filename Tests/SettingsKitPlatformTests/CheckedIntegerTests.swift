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
}
