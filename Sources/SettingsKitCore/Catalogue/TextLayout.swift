/// Lays out text in lines of a terminal: escapes, widths, columns and line breaks.
package enum TextLayout {
    /// The number of columns in which output is readable.
    package static let width = 80

    /// Returns a text in one line, and replaces characters that could disturb a terminal with escapes such as `\n` and `\u{1B}`.
    package static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: \.disturbsOutput) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": result += keepsLines ? String(scalar) : scalar == "\n" ? "\\n" : "\\t"
            case "\r": result += "\\r"
            case _ where scalar.disturbsOutput:
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the number of columns that a text takes.
    package static func columns(_ text: String) -> Int {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return isPlain ? text.utf8.count : text.reduce(0) { $0 + columns($1) }
    }

    private static func columns(_ character: Character) -> Int {
        var columns = 0
        for scalar in character.unicodeScalars { columns = max(columns, self.columns(scalar)) }
        // The variation selector for a colored picture.
        return character.unicodeScalars.contains("\u{FE0F}") ? 2 : columns
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF,
            0x20000...0x3FFFD:
            return 2
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    /// Pads a text with spaces to a number of columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(text)))
    }

    /// Truncates a text that takes more columns, with `…` at its end.
    package static func truncated(_ text: String, to columns: Int) -> String {
        if self.columns(text) <= columns { return text }
        var result = ""
        var taken = 1
        for character in text {
            taken += self.columns(character)
            if taken > columns { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Breaks a text into lines of at most `columns` columns: at spaces, and within words that are longer than a line.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var taken = 0
        for word in text.split(separator: " ") {
            let length = self.columns(String(word))
            if taken > 0, taken + 1 + length <= columns {
                line += " " + word
                taken += 1 + length
                continue
            }
            if taken > 0 { lines.append(line) }
            (line, taken) = ("", 0)
            for character in word {
                let length = self.columns(character)
                if taken > 0, taken + length > columns {
                    lines.append(line)
                    (line, taken) = ("", 0)
                }
                line.append(character)
                taken += length
            }
        }
        if taken > 0 { lines.append(line) }
        return lines
    }

    /// Lays out rows of cells in columns of equal width with two spaces between them, without spaces at the ends of lines.
    package static func table(_ rows: [[String]], indentation: Int = 0) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths: [Int] = (0..<count).map { column in
            rows.map { row in column < row.count ? columns(row[column]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indentation)
            for (column, cell) in row.enumerated() { line += padded(cell, to: widths[column]) + "  " }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }
}
