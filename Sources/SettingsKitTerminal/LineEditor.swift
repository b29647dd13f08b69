/// A text with a cursor, edited by characters as people count them.
struct LineEditor: Equatable, Sendable {
    /// The text, as `Character`s.
    private(set) var characters: [Character]
    /// The number of characters before the cursor.
    private(set) var cursor: Int

    /// Creates an editor with a text, and the cursor at its end.
    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }

    // MARK: Changing

    mutating func insert(_ text: String) { replace(cursor..<cursor, with: text) }

    /// Replaces the whole text.
    mutating func replaceAll(with text: String) { replace(0..<characters.count, with: text) }

    mutating func deleteBackward() { replace(max(0, cursor - 1)..<cursor, with: "") }

    mutating func deleteForward() { replace(cursor..<min(characters.count, cursor + 1), with: "") }

    mutating func deleteWord() { replace(wordStart..<cursor, with: "") }

    mutating func deleteToStart() { replace(0..<cursor, with: "") }

    mutating func deleteToEnd() { replace(cursor..<characters.count, with: "") }

    /// Replaces characters. The cursor is then after the new ones.
    private mutating func replace(_ range: Range<Int>, with text: String) {
        if range.isEmpty && text.isEmpty { return }
        let before = String(characters[..<range.lowerBound]) + text
        // A new character may join its neighbors: an accent joins the letter before it.
        characters = Array(before + String(characters[range.upperBound...]))
        var rest = before.unicodeScalars.count
        cursor = 0
        while rest > 0 {
            rest -= characters[cursor].unicodeScalars.count
            cursor += 1
        }
    }

    // MARK: Moving

    mutating func moveLeft() { cursor = max(0, cursor - 1) }

    mutating func moveRight() { cursor = min(characters.count, cursor + 1) }

    mutating func moveToStart() { cursor = 0 }

    mutating func moveToEnd() { cursor = characters.count }

    mutating func moveWordLeft() { cursor = wordStart }

    mutating func moveWordRight() {
        while cursor < characters.count, !characters[cursor].isWordPart { cursor += 1 }
        while cursor < characters.count, characters[cursor].isWordPart { cursor += 1 }
    }

    private var wordStart: Int {
        var position = cursor
        while position > 0, !characters[position - 1].isWordPart { position -= 1 }
        while position > 0, characters[position - 1].isWordPart { position -= 1 }
        return position
    }

    /// Applies a key that edits a line.
    ///
    /// - Returns: False if the key has no meaning in a line.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .scalar(let scalar): insert(String(scalar))
        case .pasted(let text): insert(text)
        case .lineBreak: insert("\n")
        case .backspace: deleteBackward()
        case .delete, .control("d"): deleteForward()
        case .deleteWord, .control("w"): deleteWord()
        case .control("u"): deleteToStart()
        case .control("k"): deleteToEnd()
        case .left, .control("b"): moveLeft()
        case .right, .control("f"): moveRight()
        case .wordLeft: moveWordLeft()
        case .wordRight: moveWordRight()
        case .home, .control("a"): moveToStart()
        case .end, .control("e"): moveToEnd()
        default: return false
        }
        return true
    }

    // MARK: Showing

    /// The visible part of a text.
    struct Window: Equatable {
        var text = ""
        /// The columns of the text before the cursor.
        var cursor = 0
        /// Whether text before it is hidden.
        var isCutBefore = false
        /// Whether text after it is hidden.
        var isCutBehind = false
    }

    /// The part around the cursor that fits into a number of columns, with room for the cursor after the text.
    ///
    /// - Parameter isHidden: Whether each character is shown as a dot.
    func window(columns width: Int, isHidden: Bool = false) -> Window {
        func shown(_ index: Int) -> (text: String, columns: Int) {
            isHidden ? ("•", 1) : Screen.shown(characters[index])
        }
        var window = Window()
        // From the cursor to the left, with a quarter of the columns, or as many as needed, for the text after it.
        var behind = 0
        var end = cursor
        while end < characters.count, behind < width / 4 {
            behind += shown(end).columns
            end += 1
        }
        let room = width - 1 - min(behind, width / 4)
        var start = cursor
        while start > 0 {
            let columns = shown(start - 1).columns
            if window.cursor + columns > room { break }
            window.cursor += columns
            start -= 1
        }
        var usedColumns = 0
        var index = start
        while index < characters.count {
            let (text, columns) = shown(index)
            // Only the last character needs a column for the cursor after it.
            if usedColumns + columns > width - (index + 1 == characters.count && cursor == characters.count ? 1 : 0) {
                break
            }
            window.text += text
            usedColumns += columns
            index += 1
        }
        window.isCutBefore = start > 0
        window.isCutBehind = index < characters.count
        return window
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}
