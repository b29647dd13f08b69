/// Finds the next key of the outermost dictionary in a damaged XML property list.
///
/// Comments, sections and processing instructions are skipped. If one does not end, there is no next key, because it
/// may contain the rest of the file.
struct XMLKeyFinder {
    private var scanner: XMLScanner
    /// The indentation of keys of the outermost dictionary; `nil` if the file has none.
    private let indentation: [UInt8]?
    /// The number of arrays and dictionaries that have begun since the start of the search.
    private var depth = 0
    /// Whether there was an end of an element that did not begin after the start of the search.
    private(set) var hasPassedStrayEnd = false

    init(bytes: [UInt8], position: Int, indentation: [UInt8]?) {
        scanner = XMLScanner(bytes: bytes, position: position)
        self.indentation = indentation
    }

    /// Finds the next key tag that is the first on a line with the indentation, or, without an indentation, is in no
    /// array or dictionary that began after the position; nil if there is none.
    mutating func nextKey() -> Int? {
        while !scanner.isAtEnd {
            let index = scanner.position
            switch scanner.bytes[index] {
            case UInt8(ascii: "<"):
                if scanner.isKeyTag(at: index), isOutermost(index) { return index }
                do throws(PropertyListError) {
                    if try scanner.skipAside() { continue }
                    if try scanner.skipSection() { continue }
                } catch {
                    return nil
                }
                count(tagAt: index)
            case UInt8(ascii: ">"):
                if isEndOfAside(at: index) { hasPassedStrayEnd = true }
            default:
                break
            }
            scanner.position += 1
        }
        return nil
    }

    private func isOutermost(_ index: Int) -> Bool {
        indentation.map { scanner.isFirst(index, onLineIndentedBy: $0) } ?? (depth == 0)
    }

    /// Whether the byte at `index` ends `-->` or `]]>`.
    private func isEndOfAside(at index: Int) -> Bool {
        index >= 2 && (scanner.matches("-->", at: index - 2) || scanner.matches("]]>", at: index - 2))
    }

    private mutating func count(tagAt index: Int) {
        if scanner.matches("</dict", at: index) || scanner.matches("</array", at: index) {
            if depth == 0 { hasPassedStrayEnd = true }
            depth = max(0, depth - 1)
        } else if scanner.matches("<dict", at: index) || scanner.matches("<array", at: index) {
            if !isSelfClosed(tagAt: index) { depth += 1 }
        }
    }

    /// Whether the tag that begins at `index` ends in `/>`. Only the tag itself is read.
    private func isSelfClosed(tagAt index: Int) -> Bool {
        var end = index + 1
        while end < scanner.bytes.count, scanner.bytes[end] != UInt8(ascii: ">") {
            if scanner.bytes[end] == UInt8(ascii: "<") { return false }
            end += 1
        }
        return scanner.bytes[end - 1] == UInt8(ascii: "/")
    }
}

extension XMLScanner {
    /// Whether the start tag of a key begins at `index`.
    func isKeyTag(at index: Int) -> Bool {
        guard matches("<key", at: index), index + 4 < bytes.count else { return false }
        let next = bytes[index + 4]
        return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || Self.isWhitespace(next)
    }

    /// The next start tag of a key from here on.
    func nextKeyTag() -> Int? { (min(position, bytes.count)..<bytes.count).first { isKeyTag(at: $0) } }

    /// Moves past the section of plain text that begins here; returns false if none does.
    fileprivate mutating func skipSection() throws(PropertyListError) -> Bool {
        guard matches("<![CDATA[", at: position) else { return false }
        position += "<![CDATA[".utf8.count
        try skip(past: "]]>")
        return true
    }

    /// Whether the byte at `offset` is the first on its line after exactly `indentation`.
    func isFirst(_ offset: Int, onLineIndentedBy indentation: [UInt8]) -> Bool {
        let lineStart = offset - indentation.count
        guard lineStart > 0, bytes[lineStart - 1] == 0x0A || bytes[lineStart - 1] == 0x0D else { return false }
        return bytes[lineStart..<offset].elementsEqual(indentation)
    }

    /// Whether the byte at `offset` is the first on its line after `indentation` and more white space.
    func isFirst(_ offset: Int, onLineIndentedDeeperThan indentation: [UInt8]) -> Bool {
        var lineStart = offset
        while lineStart > 0, bytes[lineStart - 1] == 0x20 || bytes[lineStart - 1] == 0x09 { lineStart -= 1 }
        guard lineStart > 0, bytes[lineStart - 1] == 0x0A || bytes[lineStart - 1] == 0x0D else { return false }
        return offset - lineStart > indentation.count && bytes[lineStart..<offset].starts(with: indentation)
    }
}
