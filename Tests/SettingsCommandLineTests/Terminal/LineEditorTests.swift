import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

@Suite("Editing a line", .ownThreads)
struct LineEditorTests {
    private func edited(_ text: String, _ keys: Key...) -> (String, Int) {
        var editor = LineEditor(text)
        for key in keys {
            let isEdit = editor.press(key)
            #expect(isEdit, "\(key)")
        }
        return (editor.text, editor.cursor)
    }

    @Test("The keys of a line edit it")
    func keys() {
        #expect(edited("ab", .scalar("c")) == ("abc", 3))
        #expect(edited("ab", .left, .scalar("c")) == ("acb", 2))
        #expect(edited("ab", .home, .delete) == ("b", 0))
        #expect(edited("ab", .home, .backspace) == ("ab", 0))
        #expect(edited("ab", .delete) == ("ab", 2))
        #expect(edited("one two.three", .control("w")) == ("one two.", 8))
        #expect(edited("one two.three", .wordLeft, .wordLeft, .control("k")) == ("one ", 4))
        #expect(edited("one two", .home, .wordRight, .control("u")) == (" two", 0))
        #expect(edited("ab", .lineBreak, .pasted("c\nd")) == ("ab\nc\nd", 6))
        var editor = LineEditor("ab")
        for key in [Key.up, .enter, .escape] {
            let isEdit = editor.press(key)
            #expect(!isEdit, "\(key)")
        }
    }

    @Test(
        "What people see as one character is moved over and deleted as one",
        arguments: [
            "👨‍👩‍👧‍👦", "🇩🇪", "e\u{301}", "각", "नि", "👍🏽", "\r\n",
        ])
    func characters(_ character: String) {
        #expect(edited("a" + character, .backspace) == ("a", 1))
        #expect(edited(character + "a", .home, .delete) == ("a", 0))
        #expect(edited(character + "a", .left, .left, .scalar("x")) == ("x" + character + "a", 1))
    }

    @Test("Scalars that are typed one by one join")
    func joining() {
        var editor = LineEditor()
        for scalar in "e\u{301}👨‍👩‍👧‍👦".unicodeScalars { _ = editor.press(.scalar(scalar)) }
        #expect(editor.cursor == 2)
        _ = editor.press(.backspace)
        #expect(editor.text == "e\u{301}")
        // Also with what stands behind the cursor.
        var line = LineEditor("a\n\u{301}")
        line.moveLeft()
        line.deleteBackward()
        #expect(line.text == "a\u{301}" && line.cursor == 1 && line.characters.count == 1)
    }

    @Test(
        "After random keys, the cursor is between characters, and the part that is seen has it",
        arguments: Rounds.seeds(0..<1_000, part: 150))
    func random(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scalars = Array("ab _\u{301}\u{200D}🇩🇪👨‍👩‍👧👍🏽中각\n\u{1B}\u{202E}\u{FE0F}".unicodeScalars)
        let keys: [Key] =
            scalars.map { .scalar($0) } + [
                .left, .right, .wordLeft, .wordRight, .home, .end, .backspace, .delete, .deleteWord, .lineBreak,
                .pasted("x\n中\u{301}🇫"), .control("k"),
            ]
        var editor = LineEditor()
        for _ in 0..<120 {
            let isEdit = editor.press(keys.randomElement(using: &generator) ?? .left)
            #expect(isEdit)
            #expect((0...editor.characters.count).contains(editor.cursor), "seed \(seed)")
            #expect(Array(editor.text) == editor.characters, "seed \(seed)")
            let width = Int.random(in: 1...40, using: &generator)
            let isHidden = Bool.random(using: &generator)
            let window = editor.window(columns: width, isHidden: isHidden)
            #expect((0..<width).contains(window.cursor), "seed \(seed)")
            var screen = Screen(columns: 80, rows: 1)
            #expect(screen.put(window.text, row: 0, column: 0) <= width, "seed \(seed)")
            if !window.isCutBefore, !window.isCutBehind, !isHidden {
                var whole = Screen(columns: 80, rows: 1)
                whole.put(editor.characters.map { Screen.shown($0).text }.joined(), row: 0, column: 0)
                #expect(whole == screen, "seed \(seed)")
            }
            if isHidden { #expect(window.text.allSatisfy { $0 == "•" }) }
        }
    }
}
