/// Finds the intact members of a damaged XML property list.
///
/// The parser for intact files reads the pairs of the outermost dictionary one after another. A pair is used if both
/// its key and its value are complete. After a broken pair, reading continues at the next key that seems to belong to
/// the outermost dictionary, which is recognized in one of two ways:
///
/// - By indentation, where the first line inside the outermost dictionary is indented deeper than its tag, as in
///   files by Apple's writer, by `plutil`, by Python and by this library. Keys at the start of a line with exactly
///   that indentation are keys of the outermost dictionary. If one turns up inside a value, the end of that value is
///   lost; the value is given up and the key is read as what it is. Where the start of the file with the dictionary's
///   tag is lost, an indentation of one tab is assumed.
/// - By counting start and end tags of arrays and dictionaries, where the file is not indented. If an end tag itself
///   is lost, what follows is lost with it.
///
/// A missing member is better than a wrong one: ``RecoveredMembers`` determines which members are trusted. A value is
/// discarded if something follows it that cannot follow a value, because its end may have come too early (`<string/>`
/// for `<string>`).
///
/// Bytes that are read in vain are counted, and recovery ends when they reach ``PropertyListLimits/recoveryEffort`` times the
/// length of the text, so the time is linear for every file.
struct XMLPropertyListRecovery {
    private var parser: XMLPropertyListParser
    private var recovered = RecoveredMembers()
    /// Whether the start tag of the element `plist` was found, so that its end tag belongs at the end.
    private var hasPlistElement = false
    /// Whether the last member ends at the position.
    private var followsMember = false
    /// Whether the last member is a dictionary whose end may be that of the outermost one.
    private var mayHaveTakenEnd = false

    private init(_ text: XMLDocumentText) {
        parser = XMLPropertyListParser(text)
        parser.isRecovering = true
    }

    /// The intact members, in the order of the file and each key once. Their order and number say nothing about the
    /// others.
    static func members(in text: XMLDocumentText) -> [PropertyListMember] {
        var recovery = XMLPropertyListRecovery(text)
        recovery.readDocument()
        return recovery.recovered.intact
    }

    // MARK: Finding the outermost dictionary

    private mutating func readDocument() {
        guard enterOutermostDictionary() else { return }
        recovered.recordEnd(isInPlace: readPairs())
    }

    /// Moves past the start tag of the outermost dictionary and determines its indentation; returns false if there is
    /// no such dictionary.
    private mutating func enterOutermostDictionary() -> Bool {
        while !parser.scanner.isAtEnd {
            let start = parser.scanner.position
            if parser.scanner.matches("<key", at: start) {
                recovered.recordDamage()
                parser.outermostIndentation = [UInt8(ascii: "\t")]
                return resynchronize(from: 0)
            }
            if parser.scanner.matches("<array", at: start) { return false }
            do throws(PropertyListError) {
                if parser.scanner.matches("<!DOCTYPE", at: start) {
                    try parser.scanner.skipDocumentType()
                } else if parser.scanner.matches("<plist", at: start) {
                    hasPlistElement = try parser.scanner.readTag().form == .opening
                } else if parser.scanner.matches("<dict", at: start) {
                    guard try parser.scanner.readTag().form == .opening else { return false }
                    parser.outermostIndentation = indentation(insideTagAt: start)
                    return true
                } else if try !parser.scanner.skipAside() {
                    if !XMLScanner.isWhitespace(parser.scanner.bytes[start]) { recovered.recordDamage() }
                    parser.scanner.position += 1
                }
            } catch {
                recovered.recordDamage()
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

    // MARK: Reading its pairs

    /// Reads to the end of the outermost dictionary; returns false if it is not found.
    private mutating func readPairs() -> Bool {
        var effort =
            min(parser.scanner.bytes.count, Int.max / PropertyListLimits.recoveryEffort)
            * PropertyListLimits.recoveryEffort
        while true {
            var start = parser.scanner.position
            do throws(PropertyListError) {
                try parser.scanner.skipMiscellany()
                start = parser.scanner.position
                if parser.scanner.isAtEnd || parser.scanner.matches("</plist", at: start) {
                    if followsMember, mayHaveTakenEnd { recovered.dropLastValue() }
                    return false
                }
                if parser.scanner.matches("</dict", at: start) {
                    switch try readEnd() {
                    case .inPlace: return true
                    case .cut: return false
                    case .stray:
                        recovered.recordStrayEnd()
                        throw PropertyListError(.malformed, at: start)
                    }
                }
                try readPair()
                followsMember = true
            } catch {
                recovered.recordDamage()
                followsMember = false
                effort -= parser.scanner.position - start
                let isAtKey = parser.scanner.isKeyTag(at: start)
                let isAtEnd = parser.scanner.matches("</", at: start)
                guard effort > 0, resynchronize(from: isAtKey || isAtEnd ? start + 1 : start) else { return false }
            }
        }
    }

    private mutating func readPair() throws(PropertyListError) {
        let start = parser.scanner.position
        guard parser.scanner.isKeyTag(at: start) else {
            if followsMember, !isAtUnknownTag { recovered.dropLastValue() }
            throw PropertyListError(.malformed, at: start)
        }
        var isAnchored = false
        if let indentation = parser.outermostIndentation {
            if parser.scanner.isFirst(start, onLineIndentedDeeperThan: indentation) {
                // A key of an inner dictionary, the tag of which is taken for an empty one.
                if followsMember { recovered.dropLastValue() }
                throw PropertyListError(.malformed, at: start)
            }
            isAnchored = parser.scanner.isFirst(start, onLineIndentedBy: indentation)
        }
        let key = try parser.readKey(try parser.scanner.readTag())
        recovered.begin(key, isAnchored: isAnchored)
        try parser.scanner.skipMiscellany()
        let value = try parser.parseValue(outerDepth: 1)
        recovered.finish(value)
        mayHaveTakenEnd = value.isDictionary && !endsOnLineOfItsOwn
    }

    /// Whether text begins here that looks like a tag, but is not one of a property list: probably a mistyped key.
    private var isAtUnknownTag: Bool {
        var scanner = parser.scanner
        do throws(PropertyListError) {
            _ = try scanner.readTag()
            return false
        } catch {
            return parser.scanner.bytes[parser.scanner.position] == UInt8(ascii: "<")
        }
    }

    /// Whether the end tag that was just read begins a line with the indentation of the outermost dictionary's keys,
    /// and so is not the end of the outermost dictionary.
    private var endsOnLineOfItsOwn: Bool {
        guard let indentation = parser.outermostIndentation,
            let tag = parser.scanner.bytes[..<parser.scanner.position].lastIndex(of: UInt8(ascii: "<"))
        else { return false }
        return parser.scanner.isFirst(tag, onLineIndentedBy: indentation)
    }

    private enum End {
        /// The document ends here, too.
        case inPlace
        /// The file ends here, but not the document.
        case cut
        /// Invalid text follows.
        case stray
    }

    /// Moves past the end tag of a dictionary that begins here.
    private mutating func readEnd() throws(PropertyListError) -> End {
        try parser.scanner.skipEndTag(of: .dict)
        try parser.scanner.skipMiscellany()
        let rest = parser.scanner.bytes[parser.scanner.position...]
        if rest.starts(with: "</plist".utf8) { return .inPlace }
        guard hasPlistElement else { return rest.first == UInt8(ascii: "<") ? .stray : .inPlace }
        return "</plist".utf8.starts(with: rest) ? .cut : .stray
    }

    /// Moves to the next key of the outermost dictionary that begins at or after `start`; returns false if there is
    /// none.
    private mutating func resynchronize(from start: Int) -> Bool {
        var finder = XMLKeyFinder(
            bytes: parser.scanner.bytes, position: start, indentation: parser.outermostIndentation)
        let key = finder.nextKey()
        if finder.hasPassedStrayEnd { recovered.recordStrayEnd() }
        guard let key else { return false }
        parser.scanner.position = key
        return true
    }
}

extension PropertyListValue {
    fileprivate var isDictionary: Bool {
        if case .dictionary = self { true } else { false }
    }
}
