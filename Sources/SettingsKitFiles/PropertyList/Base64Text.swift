/// Base 64 with the standard alphabet and padding of RFC 4648.
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of every byte, or ``foreign``. Padding is a digit without bits.
    private static let meanings: [UInt8] = {
        var table = [UInt8](repeating: foreign, count: 256)
        for (bits, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(bits) }
        table[Int(padding)] = 0
        return table
    }()
    private static let foreign: UInt8 = 0xFF
    private static let padding = UInt8(ascii: "=")

    /// Decodes `text`, and ignores all bytes that are neither digits nor padding.
    ///
    /// As `PropertyListSerialization` decodes data: groups of four digits follow each other, also behind padding, and the
    /// padding at the end of a group, white space aside, is the number of bytes that it lacks. A last group that is not
    /// complete counts, too: `PropertyListSerialization` drops it. Linear time; the result has at most three quarters of the
    /// length of the text.
    static func decode(_ text: XMLText) -> [UInt8] {
        let table = meanings
        var output: [UInt8] = []
        output.reserveCapacity(text.range.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digits = 0
        var padded = 0
        for index in text.range {
            let byte = text.bytes[index]
            if byte == padding {
                padded += 1
            } else if !XMLScanner.isWhitespace(byte) {
                padded = 0
            }
            let meaning = table[Int(byte)]
            guard meaning != foreign else { continue }
            bits = bits << 6 | UInt32(meaning)
            digits += 1
            guard digits == 4 else { continue }
            output.append(UInt8(truncatingIfNeeded: bits >> 16))
            if padded < 2 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            if padded < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
            digits = 0
        }
        let rest = digits - min(padded, digits)
        bits <<= UInt32(4 - digits) * 6
        if rest >= 2 { output.append(UInt8(truncatingIfNeeded: bits >> 16)) }
        if rest == 3 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
        return output
    }

    /// Decodes text that ``append(_:to:)`` has written; nil for any other.
    static func decodeCanonical(_ text: [UInt8]) -> [UInt8]? {
        let bytes = decode(XMLText(bytes: text, range: 0..<text.count, isASCII: true))
        var canonical: [UInt8] = []
        canonical.reserveCapacity(text.count)
        append(bytes, to: &canonical)
        return canonical == text ? bytes : nil
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
