/// The text of an element: a part of the file if possible, otherwise a copy with resolved references, sections and line
/// ends.
struct XMLText {
    var bytes: [UInt8]
    var range: Range<Int>
    var isASCII: Bool

    /// The text as a string; nil if it is not valid UTF-8.
    func string() -> String? {
        let string = String(decoding: bytes[range], as: UTF8.self)
        // Decoding replaces invalid bytes, and the replacement then differs from them.
        guard isASCII || string.utf8.elementsEqual(bytes[range]) else { return nil }
        return string
    }

    /// The text without the white space around it.
    var trimmed: XMLText {
        var result = self
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, case let length = spaceLength(at: lower), length > 0 { lower += length }
        while lower < upper, XMLScanner.isWhitespace(bytes[upper - 1]) { upper -= 1 }
        result.range = lower..<upper
        return result
    }

    /// The number of bytes of the space at `index`; 0 if there is none.
    ///
    /// `PropertyListSerialization` skips these before a number: control characters, and spaces of Unicode.
    func spaceLength(at index: Int) -> Int {
        let byte = bytes[index]
        if byte <= 0x20 || byte == 0x7F { return 1 }
        guard byte >= 0xC2 else { return 0 }
        switch Array(bytes[index..<min(index + 3, range.upperBound)]) {
        case let space where space.starts(with: [0xC2, 0xA0]): return 2
        case let space where space.starts(with: [0xE2, 0x80]) && space.count == 3:
            return space[2] <= 0x8B || space[2] == 0xAF ? 3 : 0
        case [0xE2, 0x81, 0x9F], [0xE3, 0x80, 0x80], [0xEF, 0xBB, 0xBF]: return 3
        default: return 0
        }
    }
}

extension XMLScanner {
    /// Reads the text from here to the end tag of `element`, and moves past the end tag.
    ///
    /// As XML requires, `\r
    /// ` and `\r` become `
    /// `, except if written as a reference; comments and processing instructions are not part of the text. Other
    /// elements inside, unknown entities and NUL are refused. ``XMLText/string()`` checks whether the text is valid
    /// UTF-8.
    mutating func readText(of element: XMLElement) throws(PropertyListError) -> XMLText {
        let start = position
        let isASCII = skipPlainText()
        if matches("</", at: position) {
            let range = start..<position
            try skipEndTag(of: element)
            return XMLText(bytes: bytes, range: range, isASCII: isASCII)
        }
        var copy = Array(bytes[start..<position])
        while !matches("</", at: position) {
            try readSpecial(of: element, into: &copy)
            let runStart = position
            _ = skipPlainText()
            copy.append(contentsOf: bytes[runStart..<position])
        }
        try skipEndTag(of: element)
        return XMLText(bytes: copy, range: 0..<copy.count, isASCII: false)
    }

    /// Moves to the next byte that is not literal text. Returns whether all bytes before it are ASCII.
    private mutating func skipPlainText() -> Bool {
        var index = position
        var union: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte <= 0x3C, byte == 0x3C || byte == 0x26 || byte == 0x0D || byte == 0 { break }
            union |= byte
            index += 1
        }
        position = index
        return union < 0x80
    }

    /// Reads markup other than an end tag.
    private mutating func readSpecial(of element: XMLElement, into copy: inout [UInt8]) throws(PropertyListError) {
        guard position < bytes.count else { throw unexpected(at: position) }
        switch bytes[position] {
        case UInt8(ascii: "\r"):
            readLineEnd(into: &copy)
        case UInt8(ascii: "&") where element == .data:
            // Base 64 has no references.
            position += 1
        case UInt8(ascii: "&"):
            try readReference(into: &copy)
        default:
            if matches("<![CDATA[", at: position) {
                try readSection(into: &copy)
            } else {
                let start = position
                // A single "<" at the end may be the beginning of an end tag; any other is invalid.
                guard try skipAside() else { throw unexpected(at: bytes.count - start < 2 ? bytes.count : start) }
            }
        }
    }

    private mutating func readLineEnd(into copy: inout [UInt8]) {
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
        copy.append(UInt8(ascii: "\n"))
    }

    private mutating func readSection(into copy: inout [UInt8]) throws(PropertyListError) {
        position += "<![CDATA[".utf8.count
        while !matches("]]>", at: position) {
            guard position < bytes.count, bytes[position] != 0 else { throw unexpected(at: position) }
            if bytes[position] == UInt8(ascii: "\r") {
                readLineEnd(into: &copy)
            } else {
                copy.append(bytes[position])
                position += 1
            }
        }
        position += 3
    }
}
