import SettingsKitPlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A comment in a property list that names its journal.
package struct JournalMark: Equatable, Sendable {
    /// Identifies the property list, as ``JournalHeader/list`` does.
    package var list: UInt64
    /// The journal whose records the property list contains, and the one before it, or 0.
    package var journal: UInt64
    package var predecessor: UInt64
    /// The journal's ``JournalHeader/generation``.
    package var generation: UInt64
    /// The offset in the journal before which all records are in the property list.
    package var offset: UInt64

    /// Creates the mark of a property list that contains a journal up to an offset.
    package init(_ journal: JournalHeader, offset: UInt64) {
        self.init(
            list: journal.list, journal: journal.id, predecessor: journal.predecessor,
            generation: journal.generation, offset: offset)
    }

    package init(list: UInt64, journal: UInt64, predecessor: UInt64, generation: UInt64, offset: UInt64) {
        self.list = list
        self.journal = journal
        self.predecessor = predecessor
        self.generation = generation
        self.offset = offset
    }

    /// The text of the comment, without surrounding white space. It ends with its checksum (``CRC32C``), so that a damaged one
    /// does not count.
    package var comment: String {
        let text =
            "SettingsKit list \(list.hexDigits) journal \(journal.hexDigits) after "
            + "\(predecessor.hexDigits) generation \(generation) through \(offset) check "
        return text + Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }.hexDigits
    }

    /// Returns the mark in a property list of the XML format.
    ///
    /// It must be a separate comment with exactly the text of ``comment``, before the element `plist`, which must begin
    /// within the first 4096 bytes. White space around the text and other comments do not matter. Returns nil if there
    /// is none, or more than one, because then none can be trusted.
    ///
    /// - Complexity: Constant time and memory.
    package static func read(_ file: Data) -> JournalMark? {
        var scanner = XMLScanner(bytes: Array(file.prefix(4096)), position: 0)
        do throws(PropertyListError) {
            let marks = try scanner.readCommentsOfProlog().compactMap { JournalMark(comment: $0) }
            return marks.count == 1 ? marks.first : nil
        } catch {
            return nil
        }
    }
}

extension JournalMark {
    /// Creates the mark from its ``comment``.
    private init?(comment: String) {
        let words = comment.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 13, let list = UInt64(hexDigits: words[2].utf8),
            let journal = UInt64(hexDigits: words[4].utf8),
            let predecessor = UInt64(hexDigits: words[6].utf8),
            let generation = UInt64(words[8]), let offset = UInt64(words[10]),
            max(generation, offset) <= JournalHeader.offsetLimit
        else { return nil }
        self.init(
            list: list, journal: journal, predecessor: predecessor, generation: generation, offset: offset)
        // Numbers have several spellings, and the words between them must also be correct.
        guard self.comment.utf8.elementsEqual(comment.utf8) else { return nil }
    }
}

extension XMLScanner {
    /// Reads the texts of the comments before the element `plist`, without white space around them, and moves to the
    /// element.
    ///
    /// Throws if the text ends before the element, or is not valid XML.
    fileprivate mutating func readCommentsOfProlog() throws(PropertyListError) -> [String] {
        var comments: [String] = []
        if matches("\u{FEFF}", at: position) { position += 3 }
        while true {
            skipWhitespace()
            if matches("<plist", at: position) { return comments }
            if matches("<!DOCTYPE", at: position) {
                try skipDocumentType()
                continue
            }
            let start = position
            guard try skipAside() else { throw unexpected(at: start) }
            guard matches("<!--", at: start) else { continue }
            let text = XMLText(bytes: bytes, range: (start + 4)..<(position - 3), isASCII: false)
            if let comment = text.trimmed.string() { comments.append(comment) }
        }
    }
}
