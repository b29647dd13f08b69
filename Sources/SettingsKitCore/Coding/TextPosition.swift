/// A place in a text, counted as editors do.
package struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1. Lines end with a line feed, a carriage return, or both.
    package var line: Int
    /// The column, from 1, in Unicode scalars. A tab is one, and a byte order mark is not counted. Nil if it is unknown.
    package var column: Int?

    package init(line: Int, column: Int?) {
        self.line = line
        self.column = column
    }

    /// Finds the place of the byte at `offset` in a text in UTF-8 that begins at `start`.
    ///
    /// The bytes may be invalid, and `offset` may be their end or beyond it. Linear in the number of bytes before
    /// `offset`.
    package init(of offset: Int, in bytes: [UInt8], from start: Int) {
        self = TextLines(bytes, from: start, to: offset).position(of: offset, in: bytes)
    }

    /// For messages: `line 12, column 5`.
    package var description: String { "line \(line)" + (column.map { ", column \($0)" } ?? "") }
}

/// The beginnings of a text's lines.
struct TextLines: Sendable {
    private var starts: [Int]

    /// Finds the lines of a text in UTF-8, which may be invalid.
    ///
    /// - Parameters:
    ///   - start: The offset of the first byte of the text.
    ///   - end: The offset after the last byte whose line must be found.
    init(_ bytes: [UInt8], from start: Int = 0, to end: Int = .max) {
        let end = min(end, bytes.count)
        starts = [min(start, end)]
        for index in starts[0]..<end where Self.endsLine(index, in: bytes) { starts.append(index + 1) }
    }

    /// Returns the place of a byte. Logarithmic in the number of lines, and linear in the length of its line.
    func position(of offset: Int, in bytes: [UInt8]) -> TextPosition {
        let offset = min(offset, bytes.count)
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        // A scalar is counted by its first byte.
        let start = min(starts[low], offset)
        return TextPosition(line: low + 1, column: 1 + bytes[start..<offset].count { $0 & 0xC0 != 0x80 })
    }

    /// Whether the byte at `index` ends a line. If two bytes end it together, the second one.
    private static func endsLine(_ index: Int, in bytes: [UInt8]) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")
        default: false
        }
    }
}
