#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the text of an XML property list, in one pass.
///
/// The depth is limited, so the recursion is bounded. Every step moves the position forward.
struct XMLPropertyListParser {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ text: XMLDocumentText) { (bytes, position) = (text.bytes, text.start) }

    /// Reads the value of the document.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        skipWhitespace()
        guard position < bytes.count else { throw PropertyListError(.empty) }
        guard bytes[position] == UInt8(ascii: "<") else { throw PropertyListError(.notAPropertyList, at: position) }
        let isEnclosed = try skipToRoot()
        let value = try parseValue(try readTag(), depth: 0)
        if isEnclosed { try skipEndTag(of: .plist) }
        try skipMiscellany()
        guard position == bytes.count else { throw PropertyListError(.malformed, at: position) }
        return value
    }

    /// Moves past the prolog and the tag of an element `plist`, to the outermost value.
    ///
    /// - Returns: Whether there is such a tag.
    @discardableResult
    mutating func skipToRoot() throws(PropertyListError) -> Bool {
        try skipMiscellany()
        while matches("<!DOCTYPE") {
            try skipDocumentType()
            try skipMiscellany()
        }
        let start = position
        do throws(PropertyListError) {
            let tag = try readTag()
            if tag.element == .plist, tag.form == .opening { return true }
        } catch {
            position = start
            guard error.kind == .malformed, !matches("<plist") else { throw error }
            throw PropertyListError(.notAPropertyList, at: start)
        }
        position = start
        return false
    }

    // MARK: Values

    /// Reads the value whose tag was read, and moves past it.
    ///
    /// - Parameter depth: The number of arrays and dictionaries around it.
    mutating func parseValue(_ tag: XMLTag, depth: Int) throws(PropertyListError) -> PropertyListValue {
        switch (tag.element, tag.form) {
        case (.array, .opening): try parseArray(tag, depth: depth)
        case (.dict, .opening): try parseDictionary(tag, depth: depth)
        default: try parseScalar(tag)
        }
    }

    private mutating func parseArray(_ start: XMLTag, depth: Int) throws(PropertyListError) -> PropertyListValue {
        guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep, at: start.offset) }
        var values: [PropertyListValue] = []
        while let tag = try readTag(inside: .array) { values.append(try parseValue(tag, depth: depth + 1)) }
        return .array(values)
    }

    private mutating func parseDictionary(_ start: XMLTag, depth: Int) throws(PropertyListError) -> PropertyListValue {
        guard depth < PropertyListLimits.depth else { throw PropertyListError(.tooDeep, at: start.offset) }
        var members: [PropertyListMember] = []
        while let key = try readKey() {
            members.append(PropertyListMember(key: key, value: try parseValue(try readTag(), depth: depth + 1)))
        }
        return .dictionary(members.keepingLastOfEachKey())
    }

    /// Reads the next key of a dictionary; nil at the end of the dictionary.
    mutating func readKey() throws(PropertyListError) -> String? {
        guard let tag = try readTag(inside: .dict) else { return nil }
        guard tag.element == .key, tag.form != .closing else { throw PropertyListError(.malformed, at: tag.offset) }
        return PropertyListKey.decode(try readText(of: tag))
    }

    private mutating func parseScalar(_ tag: XMLTag) throws(PropertyListError) -> PropertyListValue {
        guard tag.form != .closing, let value = scalar(tag.element, try readText(of: tag)) else {
            throw PropertyListError(.malformed, at: tag.offset)
        }
        return value
    }

    /// Returns the value of an element with this text; nil if it has none.
    private func scalar(_ element: XMLElement, _ text: String) -> PropertyListValue? {
        var trimmed: Substring { text.trimmingWhitespace }
        return switch element {
        case .string: .string(text)
        case .integer: NumberText.integer(trimmed)
        case .real: Double(trimmed).map { .real($0) }
        case .date: GregorianDate.seconds(trimmed).map { .date($0) }
        case .data: Data(base64Encoded: Data(text.utf8.filter { !Self.isWhitespace($0) })).map { .data($0) }
        case .true, .false: trimmed.isEmpty ? .boolean(element == .true) : nil
        case .array: text.isEmpty ? .array([]) : nil
        case .dict: text.isEmpty ? .dictionary([]) : nil
        case .key, .plist: nil
        }
    }

    // MARK: Text

    /// Reads the text of the element whose tag was read, and moves past its end tag.
    ///
    /// Comments and processing instructions are not part of the text. Other elements inside, and unknown entities, are refused.
    private mutating func readText(of tag: XMLTag) throws(PropertyListError) -> String {
        var text = ""
        if tag.form == .selfClosed { return text }
        while true {
            let start = position
            skip { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") && $0 != 0 }
            text += String(decoding: bytes[start..<position], as: UTF8.self)
            if matches("</") {
                try skipEndTag(of: tag.element)
                return text
            } else if matches("&") {
                text.unicodeScalars.append(try readReference())
            } else if matches("<![CDATA[") {
                let start = position + 9
                try skip(past: "]]>")
                text += String(decoding: bytes[start..<(position - 3)], as: UTF8.self)
            } else if try !skipAside() {
                throw unexpected(at: position)
            }
        }
    }

    /// Reads a reference to a character, or to one of the five entities of XML, whatever the document type declares.
    private mutating func readReference() throws(PropertyListError) -> Unicode.Scalar {
        let start = position
        skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "<") }
        let name = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
        guard matches(";") else { throw unexpected(at: position == bytes.count ? position : start) }
        position += 1
        let scalar: Unicode.Scalar? =
            switch name {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            case let code where code.hasPrefix("#x"): UInt32(code.dropFirst(2), radix: 16).flatMap { .init($0) }
            case let code where code.hasPrefix("#"): UInt32(code.dropFirst()).flatMap { .init($0) }
            default: nil
            }
        guard let scalar, scalar != "\0" else { throw PropertyListError(.malformed, at: start) }
        return scalar
    }

    // MARK: Tags

    /// Reads the next tag; nil for the end tag of the element around it.
    private mutating func readTag(inside element: XMLElement) throws(PropertyListError) -> XMLTag? {
        let tag = try readTag()
        return tag.form == .closing && tag.element == element ? nil : tag
    }

    /// Reads the next tag. Attributes are skipped.
    ///
    /// Throws `malformed` if there is other text, or if the element is not one of a property list.
    mutating func readTag() throws(PropertyListError) -> XMLTag {
        try skipMiscellany()
        let start = position
        guard matches("<") else { throw unexpected(at: start) }
        let isClosing = matches("</")
        position += isClosing ? 2 : 1
        var name: UInt64 = 0
        let nameStart = position
        while position < bytes.count, position - nameStart < 8, bytes[position] &- 0x61 < 26 {
            name = name << 8 | UInt64(bytes[position])
            position += 1
        }
        guard position < bytes.count else { throw unexpected(at: position) }
        guard let element = XMLElement(rawValue: name) else {
            // The file may have been cut inside "<!DOCTYPE".
            throw PropertyListError(bytes.count - start < 9 ? .truncated : .malformed, at: start)
        }
        let isSelfClosed = try skipAttributes()
        if isClosing, isSelfClosed { throw PropertyListError(.malformed, at: start) }
        return XMLTag(
            element: element, form: isClosing ? .closing : isSelfClosed ? .selfClosed : .opening, offset: start)
    }

    /// Moves past the rest of a tag whose name was read.
    ///
    /// - Returns: Whether the tag ends with a slash.
    private mutating func skipAttributes() throws(PropertyListError) -> Bool {
        let nameEnd = position
        guard Self.isWhitespace(bytes[position]) || matches("/") || matches(">") else { throw unexpected(at: position) }
        var mark: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0 || byte == UInt8(ascii: "<") { break }
            position += 1
            if mark == nil, byte == UInt8(ascii: ">") {
                return position - 1 > nameEnd && bytes[position - 2] == UInt8(ascii: "/")
            }
            if byte == mark {
                mark = nil
            } else if mark == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                mark = byte
            }
        }
        throw unexpected(at: position)
    }

    private mutating func skipEndTag(of element: XMLElement) throws(PropertyListError) {
        let tag = try readTag()
        guard tag.element == element, tag.form == .closing else {
            throw PropertyListError(.malformed, at: tag.offset)
        }
    }

    // MARK: Other markup

    /// Moves past white space, comments and processing instructions.
    private mutating func skipMiscellany() throws(PropertyListError) {
        repeat { skipWhitespace() } while try skipAside()
    }

    /// Moves past the comment or processing instruction that begins here; returns false if none does.
    private mutating func skipAside() throws(PropertyListError) -> Bool {
        if matches("<!--") {
            position += 4
            try skip(past: "-->")
        } else if matches("<?") {
            position += 2
            try skip(past: "?>")
        } else {
            return false
        }
        return true
    }

    /// Moves past the document type declaration that begins here. Its entities have no effect.
    private mutating func skipDocumentType() throws(PropertyListError) {
        position += 1
        var depth = 1
        while depth > 0 {
            guard position < bytes.count else { throw unexpected(at: position) }
            if try skipAside() { continue }
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skip { $0 != byte }
                position = min(position + 1, bytes.count)
            default: break
            }
        }
    }

    // MARK: Bytes

    /// The error for something unexpected at `offset`: `truncated` at the end of the text, `malformed` before it.
    private func unexpected(at offset: Int) -> PropertyListError {
        PropertyListError(offset >= bytes.count ? .truncated : .malformed, at: offset)
    }

    /// Whether the next bytes are those of `literal`.
    private func matches(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { bytes.count - position >= $0.count && bytes[position...].starts(with: $0) }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 }

    private mutating func skipWhitespace() { skip(Self.isWhitespace) }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    /// Moves past the next occurrence of `literal`; throws `truncated` if there is none.
    private mutating func skip(past literal: StaticString) throws(PropertyListError) {
        while !matches(literal) {
            guard position < bytes.count, bytes[position] != 0 else { throw unexpected(at: position) }
            position += 1
        }
        position += literal.utf8CodeUnitCount
    }
}

extension String {
    fileprivate var trimmingWhitespace: Substring {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\n" || scalar == "\t" }
        let start = unicodeScalars.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map(start.index(after:)) ?? start.startIndex
        return Substring(start[..<end])
    }
}
