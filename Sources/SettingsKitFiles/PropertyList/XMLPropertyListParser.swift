#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the text of an XML property list, in one pass and without recursion.
struct XMLPropertyListParser {
    var scanner: XMLScanner
    private let isTranscoded: Bool

    /// In recovery, the white space with which the lines of the outermost dictionary's keys begin. A key of an inner
    /// dictionary with this indentation means that the end of that dictionary is lost, and is refused.
    var outermostIndentation: [UInt8]?

    init(_ text: XMLDocumentText) {
        scanner = XMLScanner(bytes: text.bytes, position: text.start)
        isTranscoded = text.isTranscoded
    }

    /// An array or dictionary without its end so far.
    private struct OpenContainer {
        let isDictionary: Bool
        var key: String?
        var values: [PropertyListValue] = []
        var members: [PropertyListMember] = []

        /// Whether a value may follow here: anywhere in an array, after a key in a dictionary.
        var takesValue: Bool { !isDictionary || key != nil }

        mutating func take(_ value: PropertyListValue) {
            if let key {
                members.append(PropertyListMember(key: key, value: value))
                self.key = nil
            } else {
                values.append(value)
            }
        }

        var value: PropertyListValue {
            isDictionary ? .dictionary(members.keepingLastOfEachKey()) : .array(values)
        }
    }

    /// Reads the value of the document.
    mutating func parseDocument() throws(PropertyListError) -> PropertyListValue {
        scanner.skipWhitespace()
        guard !scanner.isAtEnd else { throw PropertyListError(.empty) }
        guard scanner.bytes[scanner.position] == UInt8(ascii: "<") else {
            throw PropertyListError(.notAPropertyList, at: scanner.position)
        }
        if let encoding = scanner.declaredEncoding(), !isTranscoded,
            !["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding)
        {
            throw PropertyListError(.unsupportedEncoding, at: scanner.position)
        }
        try scanner.skipMiscellany()
        if scanner.matches("<!DOCTYPE", at: scanner.position) {
            try scanner.skipDocumentType()
            try scanner.skipMiscellany()
        }
        let hasPlistElement = try enterPlistElement()
        let value = try parseValue(outerDepth: 0)
        if hasPlistElement {
            try scanner.skipMiscellany()
            try scanner.skipEndTag(of: .plist)
        }
        try scanner.skipMiscellany()
        guard scanner.isAtEnd else { throw PropertyListError(.malformed, at: scanner.position) }
        return value
    }

    /// Moves past the start tag of the `plist` element and the white space after it; returns false if the document
    /// begins with a value.
    private mutating func enterPlistElement() throws(PropertyListError) -> Bool {
        let start = scanner.position
        do throws(PropertyListError) {
            let tag = try scanner.readTag()
            guard tag.element == .plist else {
                scanner.position = start
                return false
            }
            guard tag.form == .opening else { throw PropertyListError(.malformed, at: start) }
        } catch {
            guard error.kind == .malformed, !scanner.matches("<plist", at: start) else { throw error }
            // A document of another kind begins with an element that property lists do not have; but the file may also
            // have been cut inside "<!DOCTYPE" or "<!--".
            let isCut = scanner.matches("<!", at: start) && scanner.bytes.count - start < 9
            throw isCut
                ? PropertyListError(.truncated, at: scanner.bytes.count)
                : PropertyListError(.notAPropertyList, at: start)
        }
        try scanner.skipMiscellany()
        return true
    }

    /// Reads the value whose element begins here, and moves past it.
    ///
    /// `outerDepth` is the number of arrays and dictionaries around it, which counts towards the limit of depth.
    mutating func parseValue(outerDepth: Int) throws(PropertyListError) -> PropertyListValue {
        var open: [OpenContainer] = []
        while true {
            let tag = try scanner.readTag()
            var complete: PropertyListValue?
            switch (tag.element, tag.form) {
            case (.dict, .opening), (.array, .opening):
                guard open.last?.takesValue ?? true else { throw PropertyListError(.malformed, at: tag.offset) }
                guard outerDepth + open.count < PropertyListLimits.depth else {
                    throw PropertyListError(.tooDeep, at: tag.offset)
                }
                open.append(OpenContainer(isDictionary: tag.element == .dict))
            case (.dict, .closing), (.array, .closing):
                guard let container = open.popLast(), container.isDictionary == (tag.element == .dict),
                    container.key == nil
                else { throw PropertyListError(.malformed, at: tag.offset) }
                complete = container.value
            case (.key, .opening), (.key, .selfClosed):
                guard let container = open.last, container.isDictionary, container.key == nil,
                    !isAtOutermostIndentation(tag.offset)
                else { throw PropertyListError(.malformed, at: tag.offset) }
                open[open.count - 1].key = try readKey(tag)
            default:
                complete = try readScalar(tag)
            }
            if let complete {
                guard !open.isEmpty else { return complete }
                guard open[open.count - 1].takesValue else { throw PropertyListError(.malformed, at: tag.offset) }
                open[open.count - 1].take(complete)
            }
            try scanner.skipMiscellany()
        }
    }

    /// Decodes the key whose tag has been read, and moves past its element.
    mutating func readKey(_ tag: XMLTag) throws(PropertyListError) -> String {
        guard tag.form == .opening else { return "" }
        guard let text = try scanner.readText(of: .key).string() else {
            throw PropertyListError(.malformed, at: tag.offset)
        }
        return PropertyListKey.decode(text)
    }

    private func isAtOutermostIndentation(_ offset: Int) -> Bool {
        guard let outermostIndentation else { return false }
        return scanner.isFirst(offset, onLineIndentedBy: outermostIndentation)
    }
}
