/// Lower-case hexadecimal digits, as many as the type of the number has, so that every number has one text.
///
/// Functions of an integer, and inlinable: the readers of large files are in another module, and a generic function of
/// which they do not see the body costs them more than all else that they do.
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
