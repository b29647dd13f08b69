/// A position in the text of an XML file, and the steps over its markup.
///
/// Every step moves the position forward past the text that it has read, or throws; none moves back. A step takes time
/// in proportion to the bytes that it passes.
struct XMLScanner {
    let bytes: [UInt8]
    var position: Int

    var isAtEnd: Bool { position >= bytes.count }

    /// The error for something unexpected at `offset`: `truncated` at the end of the text, `malformed` before it.
    func unexpected(at offset: Int) -> PropertyListError {
        PropertyListError(offset >= bytes.count ? .truncated : .malformed, at: min(offset, bytes.count))
    }

    /// Whether the bytes at `index` are those of `literal`; `false` where the text ends too early.
    func matches(_ literal: StaticString, at index: Int) -> Bool {
        guard bytes.count - index >= literal.utf8CodeUnitCount else { return false }
        return literal.withUTF8Buffer { buffer in
            var place = index
            for byte in buffer {
                if bytes[place] != byte { return false }
                place += 1
            }
            return true
        }
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    mutating func skipWhitespace() {
        while position < bytes.count, Self.isWhitespace(bytes[position]) { position += 1 }
    }

    /// Moves past the next occurrence of `literal`; if there is none, moves to the end and throws `truncated`.
    mutating func skip(past literal: StaticString) throws(PropertyListError) {
        let last = literal.utf8CodeUnitCount - 1
        let first = literal.withUTF8Buffer { $0[0] }
        while position + last < bytes.count {
            if bytes[position] == first, matches(literal, at: position) {
                position += last + 1
                return
            }
            position += 1
        }
        position = bytes.count
        throw PropertyListError(.truncated, at: position)
    }

    /// Moves past white space, comments and processing instructions.
    mutating func skipMiscellany() throws(PropertyListError) {
        while true {
            skipWhitespace()
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "<") else { return }
            guard try skipAside() else { return }
        }
    }

    /// Moves past the comment or processing instruction that begins here; returns false if none does.
    mutating func skipAside() throws(PropertyListError) -> Bool {
        if matches("<!--", at: position) {
            position += 4
            try skip(past: "-->")
        } else if matches("<?", at: position) {
            position += 2
            try skip(past: "?>")
        } else {
            return false
        }
        return true
    }

    /// Moves past white space, comments, processing instructions and document type declarations: to the first element.
    mutating func skipProlog() throws(PropertyListError) {
        try skipMiscellany()
        while matches("<!DOCTYPE", at: position) {
            try skipDocumentType()
            try skipMiscellany()
        }
    }

    /// Moves past the document type declaration that begins here. Its contents, entities too, are skipped, so they have
    /// no effect.
    mutating func skipDocumentType() throws(PropertyListError) {
        position += "<!DOCTYPE".utf8.count
        var isInSubset = false
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if isInSubset { try skipQuoted() } else { skipQuoted(before: UInt8(ascii: "\n")) }
            case UInt8(ascii: "<") where isInSubset:
                if try !skipAside() { position += 1 }
            case UInt8(ascii: ">"):
                position += 1
                if !isInSubset { return }
            default:
                if byte == UInt8(ascii: "[") { isInSubset = true }
                if byte == UInt8(ascii: "]") { isInSubset = false }
                position += 1
            }
        }
        throw unexpected(at: position)
    }

    /// Moves past the quoted text that begins with the quotation mark here, or past the mark alone if the text does not end
    /// before the next `limit`.
    mutating func skipQuoted(before limit: UInt8) {
        let mark = bytes[position]
        let end = bytes[(position + 1)...].firstIndex { $0 == mark || $0 == limit }
        position = end.flatMap { bytes[$0] == mark ? $0 : nil }.map { $0 + 1 } ?? position + 1
    }

    /// Moves past the quoted text that begins with the quotation mark here.
    private mutating func skipQuoted() throws(PropertyListError) {
        let mark = bytes[position]
        position += 1
        while position < bytes.count {
            position += 1
            if bytes[position - 1] == mark { return }
        }
        throw unexpected(at: position)
    }
}
