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

    /// Moves past the rest of a tag whose name has been read. Text between the attributes is skipped, too.
    private mutating func finishTag(_ form: XMLTag.Form) throws(PropertyListError) -> XMLTag.Form {
        guard Self.isWhitespace(bytes[position]) || bytes[position] == UInt8(ascii: "/") else {
            throw unexpected(at: position)
        }
        let nameEnd = position
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: ">"):
                position += 1
                return form
            case UInt8(ascii: "/"):
                let next = position + 1
                guard next < bytes.count, form == .opening else { throw unexpected(at: next) }
                if bytes[next] == UInt8(ascii: ">") {
                    position += 2
                    return .selfClosed
                }
                guard position > nameEnd else { throw unexpected(at: next) }
                position = next
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard form == .opening else { throw unexpected(at: position) }
                skipQuoted(before: UInt8(ascii: "<"))
            default:
                guard byte != 0, form == .opening || Self.isWhitespace(byte) else {
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

    /// The next start tag of a key from here on.
    func nextKeyTag() -> Int? {
        (min(position, bytes.count)..<bytes.count).first { index in
            guard matches("<key", at: index), index + 4 < bytes.count else { return false }
            let next = bytes[index + 4]
            return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || Self.isWhitespace(next)
        }
    }
}
