import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

@Suite("The terminal view under random events", .ownThreads)
struct BrowserRandomTests {
    private static let keys: [Key] = [
        .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .enter, .escape, .tab, .backTab, .backspace,
        .delete,
        .lineBreak, .deleteWord, .wordLeft, .unreadable, .control("l"), .control("u"), .control("z"), .pasted("4\n2"),
        .scalar("1"), .scalar("7"), .scalar("."), .scalar("x"), .scalar("u"), .scalar("u"), .scalar("d"), .scalar("y"),
        .scalar("y"), .scalar("n"), .scalar("s"), .scalar("/"), .scalar(" "), .scalar("v"), .scalar("?"), .scalar("é"),
        .scalar("\u{301}"), .scalar("中"),
    ]

    private func browser(_ generator: inout SeededGenerator) -> TestBrowser {
        let names = ["a", "b", "choice", "locked.x", "name with spaces", "n\u{1B}[31m", "secret", "中文.設定", "zz"]
        var values: [String: String] = [:]
        for name in names where Bool.random(using: &generator) {
            values[name] = "\(Int.random(in: 0..<100, using: &generator))"
        }
        for index in 0..<Int.random(in: 0..<40, using: &generator) { values["item.\(index)"] = "\(index)" }
        let isFixed = Bool.random(using: &generator)
        return TestBrowser(
            TestBrowser.Settings(values, names: isFixed ? names + values.keys : [], group: isFixed ? "Group" : nil))
    }

    private func check(_ browser: TestBrowser, _ comment: Comment) {
        let (state, screen) = (browser.state, browser.state.screen())
        let list = state.list
        #expect(screen.columns == state.columns && screen.rows == state.rows, comment)
        #expect(screen.cells.count == screen.columns * screen.rows, comment)
        #expect(!screen.cells.contains { $0.text.unicodeScalars.contains { $0.disturbsOutput } }, comment)
        if let cursor = screen.cursor {
            #expect((0..<screen.rows).contains(cursor.row) && (0..<screen.columns).contains(cursor.column), comment)
        }
        // Nothing is selected only if nothing is shown.
        #expect((list.selected == nil) == list.rows.isEmpty, comment)
        #expect(list.shownCount == list.rows.filter { if case .item = $0 { true } else { false } }.count, comment)
        if let row = list.selectedRow {
            #expect((list.top..<list.top + state.layout.list.count).contains(row), comment)
        }
        // What is edited is the selected line, and it is seen.
        // A question may also be about a setting that is gone.
        switch state.mode {
        case .editing(let edit): #expect(list.selected?.name == edit.name, comment)
        case .confirming(let confirmation):
            if let edit = confirmation.edit { #expect(list.selected?.name == edit.name, comment) }
        case .list, .searching, .reading: break
        }
        #expect(Set(list.items.map(\.name)).count == list.items.count, comment)
        #expect(state.detail == nil || state.detail?.name == list.selected?.name, comment)
    }

    private func step(_ browser: inout TestBrowser, _ generator: inout SeededGenerator, isAlone: Bool) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            let size = (Int.random(in: 0..<100, using: &generator), Int.random(in: 0..<30, using: &generator))
            browser.send(.resized(columns: size.0, rows: size.1))
        case 1 where !isAlone:
            let names = browser.settings.items().filter { !$0.isLocked }.map(\.name) + ["b", "new"]
            let value = Int.random(in: 0..<3, using: &generator)
            browser.change(names.randomElement(using: &generator) ?? "a", to: value == 0 ? nil : "\(value)")
        case 2: browser.send(.reported("Something \u{1B}[31m went wrong."))
        default: browser.press(Self.keys.randomElement(using: &generator) ?? .enter)
        }
    }

    @Test(
        "The view stays consistent after any events in any order", arguments: Rounds.seeds(0..<1_000, part: 25))
    func consistency(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var browser = browser(&generator)
        check(browser, "seed \(seed), at the start")
        for number in 0..<150 {
            step(&browser, &generator, isAlone: false)
            check(browser, "seed \(seed), event \(number)")
        }
    }

    @Test("Undoing everything leads back to the start", arguments: Rounds.seeds(0..<1_000, part: 25))
    func undo(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var browser = browser(&generator)
        let start = browser.settings.state.value.stored
        for _ in 0..<150 { step(&browser, &generator, isAlone: true) }
        // Back to the list, from wherever it is.
        browser.press(.escape, .escape, .escape)
        #expect(browser.state.mode == .list, "seed \(seed)")
        for _ in 0..<browser.state.changes.count { browser.press(.scalar("u")) }
        #expect(browser.state.changes == [], "seed \(seed)")
        #expect(browser.settings.state.value.stored == start, "seed \(seed)")
    }
}
