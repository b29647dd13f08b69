import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

@Suite("Pictures of a terminal", .ownThreads)
struct ScreenTests {
    @Test("A text takes the columns of its characters, and ends before the edge")
    func columns() {
        var screen = Screen(columns: 6, rows: 1)
        #expect(screen.put("ab中e\u{301}f", row: 0, column: 0) == 6)
        #expect(screen.text(ofRow: 0) == "ab中e\u{301}f")
        // A wide character is not cut in two.
        var edge = Screen(columns: 4, rows: 1)
        #expect(edge.put("abc中", row: 0, column: 0) == 3)
        #expect(edge.text(ofRow: 0) == "abc")
        edge.put("…", row: 0, column: 9)
        edge.put("…", row: 3, column: 0)
        #expect(edge.text(ofRow: 0) == "abc")
    }

    @Test("What covers half of a wide character removes the other half")
    func halves() {
        var screen = Screen(columns: 6, rows: 1)
        screen.put("中文字", row: 0, column: 0)
        screen.put("x", row: 0, column: 1)
        #expect(screen.text(ofRow: 0) == " x文字")
        screen.put("中", row: 0, column: 3)
        #expect(screen.text(ofRow: 0) == " x 中")
    }

    @Test("Characters that control a terminal are escapes, and so are those that cannot be seen")
    func escapes() {
        var screen = Screen(columns: 60, rows: 1)
        screen.put("\u{1B}[2Ja\u{9B}b\u{202E}c\u{7F}\r\n\t", row: 0, column: 0)
        let text = screen.text(ofRow: 0)
        #expect(text.hasPrefix("\\u{1B}[2Ja\\u{9B}b\\u{202E}c\\u{7F}\\r\\n\\t"))
        #expect(!text.unicodeScalars.contains { $0.disturbsOutput })
        var alone = Screen(columns: 20, rows: 1)
        alone.put("\u{301}a", row: 0, column: 0)
        #expect(alone.text(ofRow: 0) == "\\u{301}a")
        var endless = Screen(columns: 20, rows: 1)
        endless.put("a" + String(repeating: "\u{301}", count: 10_000) + "b", row: 0, column: 0)
        #expect(endless.text(ofRow: 0) == "\u{FFFD}b")
    }

    @Test("A small difference takes few bytes, and none takes none")
    func small() {
        var old = Screen(columns: 80, rows: 24)
        for row in 0..<24 { old.put("A line with a text in it", row: row, column: 2) }
        #expect(old.difference(from: old, abilities: .init()) == "")
        var new = old
        new.put("B", row: 7, column: 10)
        #expect(new.difference(from: old, abilities: .init()).utf8.count <= 16)
        new.put("C", row: 7, column: 13)
        #expect(new.difference(from: old, abilities: .init()).utf8.count <= 20)
    }

    @Test(
        "A terminal that is sent the differences shows each picture",
        arguments: Rounds.seeds(0..<1_000, part: 150), [(true, true), (false, true), (true, false)])
    func random(_ seed: UInt64, _ abilities: (hasColors: Bool, isUnicode: Bool)) {
        var generator = SeededGenerator(seed: seed)
        var able = TerminalAbilities()
        able.hasColors = abilities.hasColors
        able.isUnicode = abilities.isUnicode
        var emulator = TerminalEmulator(columns: 30, rows: 6)
        emulator.feed("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l")
        let texts = [
            "a", "text", "中文", "e\u{301}", "👨‍👩‍👧‍👦", "…", "─────", "\u{1B}[31m", "\u{202E}", "    ", "ab  cd", "é", "🇩🇪",
        ]
        let styles: [TextStyle] = [.plain, .bold, .reversed, .underlined, .dim, .colored(.red)]
        var previous: Screen?
        for _ in 0..<8 {
            var screen =
                Bool.random(using: &generator) ? previous ?? Screen(columns: 30, rows: 6) : Screen(columns: 30, rows: 6)
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                screen.put(
                    texts.randomElement(using: &generator) ?? "", row: .random(in: -1...6, using: &generator),
                    column: .random(in: -1...31, using: &generator),
                    style: styles.randomElement(using: &generator) ?? .plain)
            }
            screen.cursor = Bool.random(using: &generator) ? nil : .init(row: 2, column: 3)
            let text = screen.difference(from: previous, abilities: able)
            emulator.feed(text)
            #expect(emulator.problems == [], "seed \(seed)")
            #expect(emulator.showsCursor == (screen.cursor != nil), "seed \(seed)")
            if screen.cursor != nil { #expect([emulator.row, emulator.column] == [2, 3], "seed \(seed)") }
            if able.isUnicode {
                let isSame = zip(emulator.screen.cells, screen.cells).allSatisfy { shown, cell in
                    var cell = cell
                    if !able.hasColors { (cell.style.color, cell.style.isDim) = (nil, false) }
                    return shown == cell
                }
                #expect(isSame, "seed \(seed)")
            } else {
                #expect(text.utf8.allSatisfy { $0 < 0x80 }, "seed \(seed)")
            }
            if !able.hasColors { #expect(!text.contains(/;3[0-9]m/), "seed \(seed)") }
            // Sometimes the terminal is not known any more.
            previous = Int.random(in: 0..<5, using: &generator) == 0 ? nil : screen
        }
    }

    @Test("The variables of a process say what its terminal can show")
    func abilities() {
        #expect(TerminalAbilities(environment: [:]) == TerminalAbilities())
        #expect(!TerminalAbilities(environment: ["NO_COLOR": "1"]).hasColors)
        #expect(TerminalAbilities(environment: ["NO_COLOR": ""]).hasColors)
        #expect(TerminalAbilities(environment: ["LANG": "de_DE.UTF-8"]).isUnicode)
        #expect(TerminalAbilities(environment: ["LANG": "C", "LC_ALL": "C.utf8"]).isUnicode)
        #expect(!TerminalAbilities(environment: ["LANG": "C"]).isUnicode)
        #expect(!TerminalAbilities(environment: ["LANG": "en_US.UTF-8", "LC_CTYPE": "en_US.ISO-8859-1"]).isUnicode)
    }
}
