/// Base 64 as RFC 4648 defines it, with the standard alphabet and padding.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of every byte, ``space`` or ``foreign``.
    private static let meanings: [UInt8] = {
        var table = [UInt8](repeating: foreign, count: 256)
        for (bits, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(bits) }
        for byte: UInt8 in [0x20, 0x09, 0x0A, 0x0D] { table[Int(byte)] = space }
        return table
    }()
    private static let space: UInt8 = 0x40
    private static let foreign: UInt8 = 0xFF

    /// Decodes `text`, and ignores white space in it.
    ///
    /// Returns nil if there is any other byte, or if padding is missing, too long or followed by more. Bits left over
    /// before padding are ignored. Linear time; the result has at most three quarters of the length of the text.
    static func decode(_ text: XMLText) -> [UInt8]? {
        let table = meanings
        var output: [UInt8] = []
        output.reserveCapacity(text.range.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for index in text.range {
            let byte = text.bytes[index]
            let meaning = table[Int(byte)]
            if meaning < 0x40, padding == 0 {
                bits = bits << 6 | UInt32(meaning)
                digits += 1
                if digits == 4 {
                    output.append(UInt8(truncatingIfNeeded: bits >> 16))
                    output.append(UInt8(truncatingIfNeeded: bits >> 8))
                    output.append(UInt8(truncatingIfNeeded: bits))
                    digits = 0
                }
            } else if byte == UInt8(ascii: "=") {
                padding += 1
            } else if meaning != space {
                return nil
            }
        }
        switch (digits, padding) {
        case (0, 0):
            break
        case (2, 2):
            output.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1):
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
        default:
            return nil
        }
        return output
    }

    /// Appends the text of `bytes`, without any white space.
    static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        let alphabet = alphabet
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 1
            if held == 3 {
                appendDigits(of: bits, count: 4, from: alphabet, to: &output)
                bits = 0
                held = 0
            }
        }
        if held > 0 {
            appendDigits(of: bits << UInt32(24 - 8 * held), count: held + 1, from: alphabet, to: &output)
            output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - held))
        }
    }

    /// Appends the highest `count` of the four digits of 24 bits.
    private static func appendDigits(of bits: UInt32, count: Int, from alphabet: [UInt8], to output: inout [UInt8]) {
        var shift: UInt32 = 18
        for _ in 0..<count {
            output.append(alphabet[Int(truncatingIfNeeded: bits >> shift & 0x3F)])
            shift &-= 6
        }
    }
}
