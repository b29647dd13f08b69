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

    /// Returns the number of columns that a text takes: one for each character.
    package static func columns(_ text: some StringProtocol) -> Int { text.count }

    /// Pads a text with spaces to a number of columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(text)))
    }

    /// Truncates a text that takes more columns, with `…` at its end.
    package static func truncated(_ text: String, to columns: Int) -> String {
        self.columns(text) <= columns ? text : text.prefix(columns - 1) + "…"
    }

    /// Breaks a text into lines of at most `columns` columns: at spaces, and within words that are longer than a line.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        for var word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
                continue
            }
            while !word.isEmpty {
                lines.append(String(word.prefix(columns)))
                word = word.dropFirst(columns)
            }
        }
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
