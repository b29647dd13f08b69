/// Lower-case hexadecimal digits, as many as the number's type has, so every value has one text.
package enum HexText {
    @inlinable package static func text(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
        var output: [UInt8] = []
        append(number, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @inlinable package static func append(_ number: some FixedWidthInteger & UnsignedInteger, to output: inout [UInt8])
    {
        var shift = number.bitWidth
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 0xF
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Reads the number of `text`; nil if it has other bytes, or another number of digits.
    @inlinable package static func number<Number: FixedWidthInteger & UnsignedInteger>(_ text: some Collection<UInt8>)
        -> Number?
    {
        guard text.count == MemoryLayout<Number>.size * 2 else { return nil }
        var number: Number = 0
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            number = number << 4 | Number(digit)
        }
        return number
    }

    @inlinable static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
