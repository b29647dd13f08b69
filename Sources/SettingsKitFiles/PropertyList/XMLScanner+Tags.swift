extension XMLScanner {
    /// Reads the tag that begins here, and moves past it. Attributes are skipped.
    ///
    /// Throws `malformed` if no tag begins here or the element is not one of a property list.
    mutating func readTag() throws(PropertyListError) -> XMLTag {
        let start = position
        guard start < bytes.count, bytes[start] == UInt8(ascii: "<") else { throw unexpected(at: start) }
        var index = start + 1
        var form = XMLTag.Form.opening
        if index < bytes.count, bytes[index] == UInt8(ascii: "/") {
            form = .closing
            index += 1
        }
        var name: UInt64 = 0
        let nameStart = index
        while index < bytes.count, index - nameStart < 8, bytes[index] &- 0x61 < 26 {
            name = name << 8 | UInt64(bytes[index])
            index += 1
        }
        guard index < bytes.count else { throw unexpected(at: index) }
        guard let element = XMLElement(rawValue: name) else { throw unexpected(at: start) }
        position = index
        if bytes[index] == UInt8(ascii: ">") {
            position += 1
        } else {
            form = try finishTag(form)
        }
        return XMLTag(element: element, form: form, offset: start)
    }

    /// Moves past the rest of a tag whose name has been read.
    private mutating func finishTag(_ form: XMLTag.Form) throws(PropertyListError) -> XMLTag.Form {
        guard Self.isWhitespace(bytes[position]) || bytes[position] == UInt8(ascii: "/") else {
            throw unexpected(at: position)
        }
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: ">"):
                position += 1
                return form
            case UInt8(ascii: "/"):
                let next = position + 1
                guard next < bytes.count, bytes[next] == UInt8(ascii: ">"), form == .opening else {
                    throw unexpected(at: next)
                }
                position += 2
                return .selfClosed
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard form == .opening else { throw unexpected(at: position) }
                try skipQuoted()
            default:
                guard byte != UInt8(ascii: "<"), byte != 0, form == .opening || Self.isWhitespace(byte) else {
                    throw unexpected(at: position)
                }
                position += 1
            }
        }
        throw unexpected(at: position)
    }

    /// Moves past the end tag of `element`, which must begin here.
    mutating func skipEndTag(of element: XMLElement) throws(PropertyListError) {
        let tag = try readTag()
        guard tag.element == element, tag.form == .closing else {
            throw PropertyListError(.malformed, at: tag.offset)
        }
    }

    /// Returns the encoding of the XML declaration that begins here, in lower case; nil if there is no declaration, if
    /// it does not end, or if it names none. Does not move.
    func declaredEncoding() -> String? {
        guard matches("<?xml", at: position) else { return nil }
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: ">") { end += 1 }
        guard end < bytes.count else { return nil }
        var index = position
        while index < end, !matches("encoding", at: index) { index += 1 }
        while index < end, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "'") { index += 1 }
        guard index < end else { return nil }
        let name = bytes[(index + 1)..<end].prefix { $0 != bytes[index] }
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}
