/// Lower-case hexadecimal digits with the full length of the number's type, so that every number has exactly one text.
///
/// Functions of an integer, and inlinable: the readers of large files are in another module, where a call of a generic function
/// with a hidden body would cost more than the rest of the reading.
extension FixedWidthInteger where Self: UnsignedInteger {
    /// The digits of this number.
    package var hexDigits: String {
        var output: [UInt8] = []
        appendHexDigits(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @inlinable package func appendHexDigits(to output: inout [UInt8]) {
        var shift = bitWidth
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: self >> shift) & 0xF
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Creates a number from its digits. Returns nil if there are other bytes, or another number of them.
    @inlinable package init?(hexDigits text: some Collection<UInt8>) {
        guard text.count == MemoryLayout<Self>.size * 2 else { return nil }
        var number: Self = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | Self(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | Self(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        self = number
    }
}
