/// Looks for the next key of the outermost dictionary in a damaged XML property list.
struct XMLKeyFinder {
    private var scanner: XMLScanner

    init(bytes: [UInt8], position: Int) {
        scanner = XMLScanner(bytes: bytes, position: position)
    }

    private func isKeyTag(at index: Int) -> Bool {
        guard scanner.matches("<key", at: index), index + 4 < scanner.bytes.count else { return false }
        let next = scanner.bytes[index + 4]
        return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || XMLScanner.isWhitespace(next)
    }

    /// Where the next key tag begins, after the position itself, that is the first on a line with `indentation`.
    ///
    /// Comments are not heeded, since damage may have begun one that never ends.
    mutating func nextKey(indentedBy indentation: [UInt8]) -> Int? {
        scanner.position += 1
        while !scanner.isAtEnd {
            let index = scanner.position
            if scanner.bytes[index] == UInt8(ascii: "<"), isKeyTag(at: index),
                scanner.isFirst(index, onLineIndentedBy: indentation)
            {
                return index
            }
            scanner.position += 1
        }
        return nil
    }

    /// Where the next key tag begins, after the tag at the position itself, that stands in no array or dictionary
    /// begun after the position. End tags too many are passed over.
    mutating func nextKeyByCounting() -> Int? {
        var depth = 0
        scanner.position += 1
        while !scanner.isAtEnd {
            let index = scanner.position
            scanner.position += 1
            guard scanner.bytes[index] == UInt8(ascii: "<") else { continue }
            if isKeyTag(at: index) {
                if depth == 0 { return index }
            } else if scanner.matches("</dict", at: index) || scanner.matches("</array", at: index) {
                depth = max(0, depth - 1)
            } else if scanner.matches("<dict", at: index) || scanner.matches("<array", at: index) {
                if !isSelfClosed(tagAt: index) { depth += 1 }
            }
        }
        return nil
    }

    /// Whether the tag that begins at `index` ends in `/>`. Only the tag itself is inspected.
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
    /// Whether the byte at `offset` is the first on its line after exactly `indentation`.
    func isFirst(_ offset: Int, onLineIndentedBy indentation: [UInt8]) -> Bool {
        let lineStart = offset - indentation.count
        guard lineStart > 0, bytes[lineStart - 1] == 0x0A || bytes[lineStart - 1] == 0x0D else { return false }
        return bytes[lineStart..<offset].elementsEqual(indentation)
    }
}
