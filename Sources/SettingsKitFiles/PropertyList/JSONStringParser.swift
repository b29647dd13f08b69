/// Reads JSON strings.
enum JSONStringParser {
    /// Reads the string whose opening quotation mark is at `position`, and moves past the closing one.
    ///
    /// Returns nil if no string begins there, if it does not end, if an escape is invalid or half a surrogate pair, or
    /// if it is not valid UTF-8. `position` is then undefined.
    static func parse(_ bytes: [UInt8], at position: inout Int) -> String? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        position += 1
        let start = position
        let isASCII = skipPlain(bytes, at: &position)
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            position += 1
            return XMLText(bytes: bytes, range: start..<(position - 1), isASCII: isASCII).string()
        }
        var copy = Array(bytes[start..<position])
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\"") {
                position += 1
                return XMLText(bytes: copy, range: 0..<copy.count, isASCII: false).string()
            }
            guard let scalar = parseEscape(bytes, at: &position) else { return nil }
            copy.append(contentsOf: String(scalar).utf8)
            let runStart = position
            _ = skipPlain(bytes, at: &position)
            copy.append(contentsOf: bytes[runStart..<position])
        }
        return nil
    }

    /// Moves to the next quotation mark or backslash. Returns whether all bytes before it are ASCII.
    private static func skipPlain(_ bytes: [UInt8], at position: inout Int) -> Bool {
        var index = position
        var union: UInt8 = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
            union |= bytes[index]
            index += 1
        }
        position = index
        return union < 0x80
    }

    private static func parseEscape(_ bytes: [UInt8], at position: inout Int) -> Unicode.Scalar? {
        guard bytes.count - position >= 2 else { return nil }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return parseCode(bytes, at: &position).flatMap { Unicode.Scalar($0) }
        default: return nil
        }
    }

    /// Reads the four hexadecimal digits after `\u`.
    ///
    /// Surrogates lead to nil, because they are not scalars. `JSONEncoder` escapes no character that needs a pair of
    /// them, so a text with one has no native value anyway.
    private static func parseCode(_ bytes: [UInt8], at position: inout Int) -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = bytes[position].digit(radix: 16) else { return nil }
            code = code << 4 | digit
            position += 1
        }
        return code
    }
}
