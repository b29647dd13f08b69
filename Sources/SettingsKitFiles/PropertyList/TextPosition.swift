/// A place in a text, counted as editors do.
package struct TextPosition: Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1. Lines end with a line feed, a carriage return, or both.
    package var line: Int
    /// The column, from 1, in Unicode scalars. A tab is one, and a byte order mark is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Finds the place of the byte at `offset` in a text in UTF-8 that begins at `start`.
    ///
    /// The bytes may be invalid, and `offset` may be their end or beyond it. Linear in the number of bytes before
    /// `offset`.
    init(of offset: Int, in bytes: [UInt8], from start: Int) {
        let end = min(offset, bytes.count)
        var (line, lineStart) = (1, min(start, end))
        for index in lineStart..<end where Self.endsLine(index, in: bytes) {
            line += 1
            lineStart = index + 1
        }
        self.line = line
        // A scalar is counted by its first byte.
        column = 1 + bytes[lineStart..<end].count { $0 & 0xC0 != 0x80 }
    }

    /// Whether the byte at `index` ends a line. If two bytes end it together, the second one.
    private static func endsLine(_ index: Int, in bytes: [UInt8]) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
        default: false
        }
    }

    /// For messages: `line 12, column 5`.
    package var description: String { "line \(line), column \(column)" }
}
