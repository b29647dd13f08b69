extension Screen {
    /// Returns the text and the escape sequences that make a terminal show this screen.
    ///
    /// Only differences are sent, so that slow lines suffice.
    ///
    /// - Parameter previous: The contents of the terminal; nil if they are unknown.
    func difference(from previous: Screen?, abilities: TerminalAbilities) -> String {
        var pen = Pen(abilities: abilities)
        var previous = previous
        let isKnown = previous.map { $0.columns == columns && $0.rows == rows } ?? false
        if !isKnown {
            pen.clear()
            previous = Screen(columns: columns, rows: rows)
        }
        let old = previous?.cells ?? []
        for row in 0..<rows {
            let start = row * columns
            let range = start..<start + columns
            if old[range] == cells[range] { continue }
            // The row is blank after this column.
            let blank = range.last { cells[$0] != Cell() }.map { $0 + 1 - start } ?? 0
            let oldBlank = range.last { old[$0] != Cell() }.map { $0 + 1 - start } ?? 0
            for column in 0..<blank where old[start + column] != cells[start + column] {
                // The second column of a wide character comes with the first.
                if cells[start + column].text.isEmpty { continue }
                let gap = pen.gap(before: Position(row: row, column: column))
                if let gap, cells[start + gap.lowerBound..<start + gap.upperBound].allSatisfy(pen.isCheap) {
                    for column in gap { pen.write(cells[start + column], width: 1) }
                } else {
                    pen.move(to: Position(row: row, column: column))
                }
                pen.write(cells[start + column], width: isWide(start + column) ? 2 : 1)
            }
            if oldBlank > blank {
                pen.move(to: Position(row: row, column: blank))
                pen.eraseToEnd()
            }
        }
        pen.finish(cursor: cursor, previous: previous.flatMap(\.cursor), isKnown: isKnown)
        return pen.text
    }

    private func isWide(_ index: Int) -> Bool {
        (index + 1) % columns != 0 && cells[index + 1].text.isEmpty
    }
}

/// Writes cells, with as few sequences as are needed.
private struct Pen {
    let abilities: TerminalAbilities
    var text = ""
    private var style: TextStyle?
    /// The position of the terminal's cursor; nil if it is uncertain.
    private var position: Screen.Position?

    init(abilities: TerminalAbilities) { self.abilities = abilities }

    mutating func clear() {
        select(.plain)
        text += "\u{1B}[2J"
    }

    mutating func move(to target: Screen.Position) {
        if position == target { return }
        if let position, position.row == target.row, position.column < target.column {
            let distance = target.column - position.column
            text += distance == 1 ? "\u{1B}[C" : "\u{1B}[\(distance)C"
        } else {
            text += "\u{1B}[\(target.row + 1);\(target.column + 1)H"
        }
        position = target
    }

    /// The columns up to a position, if they are fewer than the sequence that moves there has bytes.
    func gap(before target: Screen.Position) -> Range<Int>? {
        guard let position, position.row == target.row, position.column < target.column,
            target.column - position.column < 4
        else { return nil }
        return position.column..<target.column
    }

    /// Whether a cell can be written again with one byte.
    func isCheap(_ cell: Screen.Cell) -> Bool { cell.text.utf8.count == 1 && cell.style == style }

    mutating func write(_ cell: Screen.Cell, width: Int) {
        select(cell.style)
        let isASCII = cell.text.utf8.count == 1
        if isASCII || abilities.isUnicode {
            text += cell.text
        } else {
            text += Self.replacements[cell.text] ?? "?"
            if width == 2 { text += "?" }
        }
        if isASCII || Self.hasCertainWidth(cell.text) { position?.column += width } else { position = nil }
    }

    /// Whether all terminals agree on the width of a text. They do not for emoji and most combined characters.
    private static func hasCertainWidth(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { return false }
        switch first.value {
        case 0xA0...0x24F, 0x2010...0x2027, 0x2500...0x257F, 0x3041...0x3096, 0x4E00...0x9FFF, 0xAC00...0xD7A3:
            return true
        default: return false
        }
    }

    mutating func eraseToEnd() {
        select(.plain)
        text += "\u{1B}[K"
    }

    mutating func finish(cursor: Screen.Position?, previous: Screen.Position?, isKnown: Bool) {
        if style != nil, style != .plain { select(.plain) }
        guard let cursor else {
            if previous != nil || !isKnown { text += "\u{1B}[?25l" }
            return
        }
        if !text.isEmpty || cursor != previous {
            position = nil
            move(to: cursor)
        }
        if previous == nil { text += "\u{1B}[?25h" }
    }

    private mutating func select(_ style: TextStyle) {
        if self.style == style { return }
        self.style = style
        text += style.sequence(hasColors: abilities.hasColors)
    }

    /// The replacements of the view's own characters on a terminal without UTF-8.
    private static let replacements = ["…": "~", "─": "-", "•": "*", "–": "-", "→": ">"]
}
