/// Finds what is intact in a damaged XML property list.
///
/// The pairs of the outermost dictionary are read one after another, by the parser that reads intact files; a pair is
/// taken when both its key and its value are complete. When a pair is broken, reading goes on at the next key that
/// seems to belong to the outermost dictionary, which is told in one of two ways:
///
/// - By indentation, where the first line inside the outermost dictionary is indented deeper than its tag, as in
///   files by Apple's writer, by `plutil`, by Python and by this library. Keys at the start of a line with exactly
///   that indentation are keys of the outermost dictionary. If one turns up inside a value, the end of that value is
///   lost; the value is given up and the key is read as what it is. Where the start of the file with the dictionary's
///   tag is lost, an indentation of one tab is assumed.
/// - By counting start and end tags of arrays and dictionaries, where the file is not indented. If an end tag itself
///   is lost, what follows is lost with it; if a start tag is lost, keys of that inner dictionary are taken for keys
///   of the outermost one.
///
/// Bytes read in vain are counted, and recovery ends when they come to ``effort`` times the length of the text, so
/// that the time is linear whatever the file.
struct XMLPropertyListRecovery {
    private static let effort = 16

    private var parser: XMLPropertyListParser
    private var members: [PropertyListMember] = []

    private init(_ text: XMLDocumentText) {
        parser = XMLPropertyListParser(text)
    }

    /// The members that are intact, in the order of the file and each key once. Their order and number say nothing
    /// about the rest.
    static func members(in text: XMLDocumentText) -> [PropertyListMember] {
        var recovery = XMLPropertyListRecovery(text)
        if recovery.enterOutermostDictionary() { recovery.readPairs() }
        return recovery.members.keepingLastOfEachKey()
    }

    private mutating func readPairs() {
        var effort = min(parser.scanner.bytes.count, Int.max / Self.effort) * Self.effort
        var endsWithDictionary = false
        while true {
            var start = parser.scanner.position
            do throws(PropertyListError) {
                try parser.scanner.skipMiscellany()
                start = parser.scanner.position
                if parser.scanner.isAtEnd { return }
                let member = try readPair()
                members.append(member)
                endsWithDictionary = member.value.isDictionary
            } catch {
                if endsWithDictionary, parser.outermostIndentation == nil, isAtEndOfPlist {
                    // The end tag of the dictionary is missing, so the last value has most likely taken it for its
                    // own, together with pairs that are not its own.
                    members.removeLast()
                }
                endsWithDictionary = false
                effort -= parser.scanner.position - start
                guard effort > 0, resynchronise(after: start) else { return }
            }
        }
    }

    private mutating func readPair() throws(PropertyListError) -> PropertyListMember {
        let tag = try parser.scanner.readTag()
        guard tag.element == .key, tag.form != .closing else { throw PropertyListError(.malformed, at: tag.offset) }
        let key = try parser.readKey(tag)
        try parser.scanner.skipMiscellany()
        return PropertyListMember(key: key, value: try parser.parseValue(outerDepth: 1))
    }

    /// Whether the tag just refused is the end tag of the `plist` element.
    private var isAtEndOfPlist: Bool {
        let tag: StaticString = "</plist>"
        return parser.scanner.matches(tag, at: max(0, parser.scanner.position - tag.utf8CodeUnitCount))
    }

    /// Moves to the next key of the outermost dictionary that begins after `start`; `false` where there is none.
    private mutating func resynchronise(after start: Int) -> Bool {
        var finder = XMLKeyFinder(bytes: parser.scanner.bytes, position: start)
        let key = parser.outermostIndentation.map { finder.nextKey(indentedBy: $0) } ?? finder.nextKeyByCounting()
        guard let key else { return false }
        parser.scanner.position = key
        return true
    }

    /// Moves past the start tag of the outermost dictionary and finds out its indentation; `false` where there is no
    /// such dictionary.
    private mutating func enterOutermostDictionary() -> Bool {
        while !parser.scanner.isAtEnd {
            let start = parser.scanner.position
            if parser.scanner.matches("<key", at: start) {
                parser.outermostIndentation = [UInt8(ascii: "\t")]
                return resynchronise(after: 0)
            }
            if parser.scanner.matches("<array", at: start) { return false }
            do throws(PropertyListError) {
                if parser.scanner.matches("<!DOCTYPE", at: start) {
                    try parser.scanner.skipDocumentType()
                } else if parser.scanner.matches("<dict", at: start) {
                    guard try parser.scanner.readTag().form == .opening else { return false }
                    parser.outermostIndentation = indentation(insideTagAt: start)
                    return true
                } else if try !parser.scanner.skipAside() {
                    parser.scanner.position += 1
                }
            } catch {
                parser.scanner.position = start + 1
            }
        }
        return false
    }

    /// The indentation of the first line after the tag that was just read, if it is deeper than that of the tag.
    private func indentation(insideTagAt tagStart: Int) -> [UInt8]? {
        let bytes = parser.scanner.bytes
        let tagIndentation = bytes[..<tagStart].reversed().prefix { $0 == 0x20 || $0 == 0x09 }.count
        let blank = bytes[parser.scanner.position...].prefix { XMLScanner.isWhitespace($0) }
        guard let lineEnd = blank.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
        let indentation = blank[(lineEnd + 1)...]
        return indentation.count > tagIndentation ? Array(indentation) : nil
    }
}

extension PropertyListValue {
    fileprivate var isDictionary: Bool {
        if case .dictionary = self { true } else { false }
    }
}
