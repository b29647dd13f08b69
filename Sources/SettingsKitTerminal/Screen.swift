import SettingsKit

/// A screen of a terminal: cells in rows and columns, and the cursor.
///
/// Text only appears in its cells: characters that control a terminal are escaped.
struct Screen: Equatable, Sendable {
    struct Cell: Equatable, Sendable {
        /// One character; empty in the second column of a wide one.
        var text = " "
        var style = TextStyle.plain
    }

    struct Position: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    /// Where the cursor blinks; nil if it is hidden.
    var cursor: Position?

    init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        cells = Array(repeating: Cell(), count: self.columns * self.rows)
    }

    /// The text of a row, without spaces at its end.
    func text(ofRow row: Int) -> String {
        var text = cells[row * columns..<(row + 1) * columns].map(\.text).joined()
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    /// Writes text into a row, as far as it fits. Text outside of the screen is left out.
    ///
    /// - Parameter end: The column before which the text ends; nil for the end of the row.
    /// - Returns: The column after the text.
    @discardableResult
    mutating func put(
        _ text: String, row: Int, column: Int, before end: Int? = nil, style: TextStyle = .plain
    ) -> Int {
        let end = min(end ?? columns, columns)
        guard (0..<rows).contains(row), column >= 0, column < end else { return column }
        var column = column
        for character in TextLayout.escaped(text) {
            let (shown, width) = Self.shown(character)
            // An escape for an invisible character has several columns of one character each.
            let parts = shown.count == 1 ? [(shown, width)] : shown.map { (String($0), 1) }
            for (part, width) in parts {
                if column + width > end { return column }
                set(part, width: width, row: row, column: column, style: style)
                column += width
            }
        }
        return column
    }

    /// Writes text, cut off with `…` if it does not fit.
    @discardableResult
    mutating func putTruncated(
        _ text: String, row: Int, column: Int, before end: Int, style: TextStyle = .plain
    ) -> Int {
        let end = min(end, columns)
        if column >= end { return column }
        // Escapes are longer than their characters, so the text is escaped before it is cut.
        let text = TextLayout.truncated(TextLayout.escaped(text), to: end - column)
        return put(text, row: row, column: column, before: end, style: style)
    }

    /// Sets the style of a part of a row, independent of its text.
    mutating func fill(row: Int, from column: Int = 0, before end: Int? = nil, style: TextStyle) {
        guard (0..<rows).contains(row) else { return }
        for column in max(0, column)..<max(0, column, min(end ?? columns, columns)) {
            cells[row * columns + column].style = style
        }
    }

    private mutating func set(_ text: String, width: Int, row: Int, column: Int, style: TextStyle) {
        let index = row * columns + column
        // Half of a wide character must not stay.
        if cells[index].text.isEmpty { cells[index - 1].text = " " }
        if column + width < columns, cells[index + width].text.isEmpty { cells[index + width].text = " " }
        cells[index] = Cell(text: text, style: style)
        if width == 2 { cells[index + 1] = Cell(text: "", style: style) }
    }

    /// The visible form of a character, and its columns: 1 or 2, or more for an escape.
    static func shown(_ character: Character) -> (text: String, columns: Int) {
        let text = TextLayout.escaped(String(character))
        if text.utf8.count == 1 { return (text, 1) }
        let columns = TextLayout.columns(text)
        // A combining character without a base would join the cell before it.
        if columns == 0 {
            let escape = character.unicodeScalars.map { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
                .joined()
            return escape.count > 5 * TerminalLimits.scalarsOfCharacter ? ("\u{FFFD}", 1) : (escape, escape.count)
        }
        if text.unicodeScalars.count > TerminalLimits.scalarsOfCharacter, text.count == 1 { return ("\u{FFFD}", 1) }
        return (text, columns)
    }
}
