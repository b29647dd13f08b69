import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

@Suite("The terminal view")
struct BrowserStateTests {
    // MARK: The list

    @Test("The picture has the settings, what is said of the selected one, and the keys")
    func picture() {
        let browser = TestBrowser(TestBrowser.Settings(["port": "8080"], names: ["port", "retries"], group: "Server"))
        #expect(browser.rows[0] == " Test                                                                2 settings")
        #expect(browser.rows[1] == " Server")
        #expect(browser.rows[2] == "   port     8080                                            store")
        #expect(browser.rows[3] == "   retries  0                                               default")
        #expect(browser.rows[15] == String(repeating: "─", count: 80))
        #expect(browser.rows[16...18] == [" port", " A number.", " store  8080  in force"])
        #expect(browser.rows[23].hasPrefix(" q quit  Enter edit  / search"))
    }

    @Test("Keys select settings, and the list scrolls with the selection")
    func moving() {
        var browser = TestBrowser(.init((0..<100).map { ("s\(100 + $0)", "\($0)") }, uniquingKeysWith: { $1 }))
        #expect(browser.selected == "s100")
        browser.press(.down, .down, .up, .scalar("j"))
        #expect(browser.selected == "s102")
        browser.press(.end)
        #expect(browser.selected == "s199")
        #expect(browser.rows[14].hasPrefix(" s199"))
        browser.press(.pageUp)
        #expect(browser.selected == "s186")
        browser.press(.home, .up)
        #expect(browser.selected == "s100")
        #expect(browser.rows[1].hasPrefix(" s100"))
        browser.press(.pageDown, .scalar("q"))
        #expect(browser.hasQuit)
    }

    @Test("A search shows the settings that contain all words, until Esc")
    func searching() {
        var browser = TestBrowser(["server.port": "1", "server.host": "2", "Volume": "12"])
        browser.press(.scalar("/"))
        browser.type("port SER")
        #expect(browser.state.list.shownCount == 1)
        #expect(browser.selected == "server.port")
        #expect(browser.rows[0].hasSuffix("1 of 3 settings"))
        browser.press(.enter)
        #expect(browser.text.contains("Search: port SER"))
        browser.press(.scalar("/"), .control("u"))
        browser.type("volUME")
        #expect(browser.selected == "Volume")
        browser.type("zzz")
        #expect(browser.selected == nil)
        #expect(browser.text.contains("No setting matches the search."))
        browser.press(.enter, .enter, .scalar("d"), .scalar(" "))
        #expect(browser.edited == nil && browser.question == nil)
        browser.press(.escape)
        #expect(browser.state.list.shownCount == 3)
        // Values are searched, too.
        browser.press(.scalar("/"), .pasted("12\n"))
        #expect(browser.selected == "Volume")
    }

    @Test("Without settings, every key is harmless")
    func empty() {
        var browser = TestBrowser([:])
        for key: Key in [.enter, .scalar(" "), .scalar("d"), .scalar("u"), .scalar("v"), .down, .end, .pageUp] {
            browser.press(key)
        }
        #expect(browser.text.contains("No settings are stored."))
        browser.change("new", to: "1")
        #expect(browser.selected == "new")
    }

    // MARK: Editing

    @Test("A value is edited in its place, and stored with Enter")
    func editing() {
        var browser = TestBrowser(["port": "8080", "zoom": "1"])
        browser.press(.enter, .backspace, .scalar("1"))
        #expect(browser.rows[1] == " port  8081")
        #expect(browser.state.screen().cursor == Screen.Position(row: 1, column: 11))
        browser.press(.enter)
        #expect(browser["port"] == "8081")
        #expect(browser.edited == nil)
        #expect(browser.message == "port: stored. u undoes it.")
        #expect(browser.rows[0].hasSuffix("1 to undo, 2 settings"))
    }

    @Test("Esc leaves a value unchanged")
    func cancelling() {
        var browser = TestBrowser(["port": "8080"])
        browser.press(.enter, .scalar("1"), .escape)
        #expect(browser["port"] == "8080")
        #expect(browser.state.changes == [])
        browser.press(.enter, .enter)
        #expect(browser.state.changes == [])
        #expect(browser.message == "port: nothing to change.")
    }

    @Test("A value that is refused stays in the line, with the reason")
    func refusing() {
        var browser = TestBrowser(["port": "8080"])
        browser.press(.enter, .scalar("x"), .enter)
        #expect(browser.edited == "8080x")
        #expect(browser.rows[22] == " port: Not stored. Expected a number.")
        browser.press(.backspace)
        #expect(browser.message == "")
        browser.press(.scalar("1"), .enter)
        #expect(browser["port"] == "80801")
    }

    @Test("A locked setting cannot be changed, and the message names the layer")
    func locked() {
        var browser = TestBrowser(["locked": "1"])
        for key: Key in [.enter, .scalar(" "), .scalar("d")] {
            browser.press(key)
            #expect(browser.edited == nil && browser.question == nil)
            #expect(browser.message == "locked is locked by the layer managed.")
        }
        #expect(browser["locked"] == "1")
    }

    @Test("Space and Tab go through the values of a setting that has a few")
    func choices() {
        var browser = TestBrowser(["choice": "2"])
        browser.press(.scalar(" "))
        #expect(browser["choice"] == "3")
        browser.press(.scalar(" "))
        #expect(browser["choice"] == "1")
        browser.press(.enter, .backTab)
        #expect(browser.edited == "3")
        browser.press(.tab, .tab)
        #expect(browser.edited == "2")
        browser.press(.escape, .scalar("u"), .scalar("u"))
        #expect(browser["choice"] == "2")
        var other = TestBrowser(["port": "1"])
        other.press(.scalar(" "))
        #expect(other["port"] == "1")
    }

    @Test("A secret is typed as dots and never shown")
    func secrets() {
        var browser = TestBrowser(["secret": "1"])
        browser.press(.enter)
        #expect(browser.edited == "")
        browser.type("987")
        #expect(browser.rows[1] == " secret  •••")
        browser.press(.enter)
        #expect(browser["secret"] == "987")
    }

    @Test("What is pasted is never a command, and text that is too long is refused")
    func pasting() {
        var browser = TestBrowser(["port": "1"])
        browser.press(.pasted("dyq"))
        #expect(browser["port"] == "1" && !browser.hasQuit && browser.question == nil)
        browser.press(.enter, .pasted("q\nd"))
        #expect(browser.edited == "1q\nd")
        #expect(browser.rows[1] == " port  1q\\nd")
        browser.press(.pasted(String(repeating: "x", count: TerminalLimits.editedText)))
        #expect(browser.edited == "1q\nd")
        #expect(browser.message.contains("too long"))
        var long = TestBrowser(["port": String(repeating: "1", count: TerminalLimits.editedText + 1)])
        long.press(.enter)
        #expect(long.edited == nil && long.message.contains("too long"))
    }

    @Test("Bytes that are not UTF-8 enter nothing, and a message says so")
    func unreadable() {
        var browser = TestBrowser(["port": "1"])
        browser.press(.enter, .unreadable)
        #expect(browser.edited == "1")
        #expect(browser.message.contains("not UTF-8"))
    }

    // MARK: Deleting and undoing

    @Test("A stored value is deleted after a question")
    func deleting() {
        var browser = TestBrowser(["port": "1"], names: ["port"])
        browser.press(.scalar("d"))
        #expect(browser.rows[22] == " Delete the stored value of port? (y/n)")
        browser.press(.scalar("x"), .enter, .scalar("n"))
        #expect(browser["port"] == "1")
        browser.press(.delete, .scalar("y"))
        #expect(browser["port"] == nil)
        #expect(browser.rows[1].hasSuffix("default"))
        browser.press(.scalar("d"))
        #expect(browser.question == nil)
    }

    @Test("Undo goes back change by change, to what was stored and to nothing")
    func undoing() {
        var browser = TestBrowser(["a": "1"], names: ["a", "b"])
        browser.press(.enter, .scalar("5"), .enter, .down, .enter, .scalar("7"), .enter)
        browser.press(.home, .scalar("d"), .scalar("y"))
        #expect(browser["a"] == nil && browser["b"] == "07")
        browser.press(.scalar("u"))
        #expect(browser["a"] == "15" && browser.selected == "a")
        browser.press(.scalar("u"))
        #expect(browser["b"] == nil && browser.selected == "b")
        #expect(browser.message == "b: undone. Nothing is stored now.")
        browser.press(.scalar("u"))
        #expect(browser["a"] == "1")
        browser.press(.scalar("u"))
        #expect(browser.message == "Nothing to undo.")
        #expect(browser.state.changes == [])
    }

    @Test("Undo brings back a setting that the list does not have any more, and one that a search hides")
    func undoingGone() {
        var browser = TestBrowser(["a": "1", "b": "2"])
        browser.press(.scalar("d"), .scalar("y"))
        #expect(browser.state.list.items.map(\.name) == ["b"])
        browser.press(.scalar("/"))
        browser.type("b")
        browser.press(.enter, .scalar("u"))
        #expect(browser["a"] == "1")
        #expect(browser.state.list.items.map(\.name) == ["a", "b"])
        browser.press(.scalar("u"))
    }

    // MARK: Live changes

    @Test("A change of another process is shown and marked until the next key")
    func live() {
        var browser = TestBrowser(["a": "1", "b": "2"])
        browser.change("b", to: "3")
        #expect(browser.rows[2].hasPrefix("*b  3"))
        #expect(browser.rows[22] == " b: changed outside of this view.")
        browser.press(.down)
        #expect(browser.rows[2].hasPrefix(" b  3"))
        #expect(browser.text.contains("store  3  in force"))
        browser.change("b", to: nil)
        #expect(browser.selected == "a")
    }

    @Test("A value that changes while it is edited is not overwritten without a question")
    func conflict() {
        var browser = TestBrowser(["a": "1"])
        browser.press(.enter, .scalar("0"))
        browser.change("a", to: "5")
        #expect(browser.edited == "10")
        #expect(browser.message.hasPrefix("a: changed outside of this view."))
        browser.press(.enter)
        #expect(browser["a"] == "5")
        #expect(browser.question == "a was changed outside of this view. Overwrite it? (y/n)")
        browser.press(.scalar("n"))
        #expect(browser.edited == "10" && browser["a"] == "5")
        browser.press(.enter)
        // And once more before the answer.
        browser.change("a", to: "6")
        browser.press(.scalar("y"))
        #expect(browser["a"] == "6" && browser.question != nil)
        browser.press(.scalar("y"))
        #expect(browser["a"] == "10")
        browser.press(.scalar("u"))
        #expect(browser["a"] == "6")
    }

    @Test("A setting that disappears while it is edited keeps its line")
    func goneWhileEditing() {
        var browser = TestBrowser(["a": "1", "b": "2"])
        browser.press(.enter, .scalar("0"))
        browser.change("a", to: nil)
        #expect(browser.rows[1].hasSuffix("a  10"))
        browser.press(.enter)
        #expect(browser.question == "a was deleted outside of this view. Overwrite it? (y/n)")
        browser.press(.scalar("n"), .escape)
        #expect(browser.state.list.items.map(\.name) == ["b"])
    }

    @Test("Undo asks where another process has changed the value since, and can skip the change")
    func undoConflict() {
        var browser = TestBrowser(["a": "1", "b": "2"])
        browser.press(.enter, .scalar("0"), .enter, .down, .enter, .scalar("0"), .enter)
        browser.change("b", to: "5")
        browser.press(.scalar("u"))
        #expect(
            browser.question == "b was changed outside of this view. Undo your change all the same? (y/n, s skips it)")
        browser.press(.scalar("n"))
        #expect(browser["b"] == "5" && browser.state.changes.count == 2)
        browser.press(.scalar("u"), .scalar("s"))
        #expect(browser["b"] == "5" && browser.state.changes.count == 1)
        browser.press(.scalar("u"))
        #expect(browser["a"] == "1")
        browser.press(.enter, .scalar("9"), .enter)
        browser.change("a", to: "7")
        browser.press(.scalar("u"), .scalar("y"))
        #expect(browser["a"] == "1" && browser.state.changes == [])
    }

    // MARK: Sizes and pages

    @Test("Names and values that control a terminal are shown as escapes")
    func hostile() {
        let browser = TestBrowser(["a\u{1B}[2J\nb\u{202E}": "\u{1B}]0;x\u{7}\u{9B}"])
        let screen = browser.state.screen()
        #expect(!screen.cells.contains { $0.text.unicodeScalars.contains { $0.disturbsOutput } })
        #expect(browser.rows[1].contains("a\\u{1B}[2J\\nb\\u{202E}"))
        #expect(browser.text.contains("\\u{1B}]0;x\\u{7}\\u{9B}"))
    }

    @Test(
        "Small screens have what matters most",
        arguments: [(20, 5), (20, 6), (30, 12), (10, 3), (5, 2), (1, 1), (40, 15)])
    func small(_ size: (columns: Int, rows: Int)) {
        var browser = TestBrowser(["port": "8080", "zoom": "2"])
        browser.send(.resized(columns: size.columns, rows: size.rows))
        if size.columns >= 20 {
            #expect(browser.text.contains("port") && browser.text.contains("8080"))
            browser.press(.scalar("d"))
            // The whole question can be read.
            let flat = browser.rows.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
            #expect(flat.contains("Delete the stored value of port? (y/n)"))
            browser.press(.scalar("n"), .enter)
            #expect(browser.text.contains("8080"))
            browser.press(.escape)
        }
        for key: Key in [
            .scalar("?"), .end, .home, .escape, .scalar("v"), .pageDown, .escape, .scalar("/"), .scalar("z"),
        ] {
            browser.press(key)
            #expect(browser.rows.count == size.rows)
        }
    }

    @Test("A size of nothing, and one that no screen has, are limited")
    func sizes() {
        var browser = TestBrowser(["port": "8080"])
        browser.send(.resized(columns: 0, rows: -1))
        #expect(browser.rows.count == 1)
        browser.send(.resized(columns: 65_535, rows: 65_535))
        #expect(browser.rows.count == 500)
    }

    @Test("The view of a setting has all of a long value")
    func page() {
        let value = (0..<400).map { "\($0 % 10)" }.joined()
        var browser = TestBrowser(["port": value])
        browser.press(.scalar("v"))
        let text = browser.rows.map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        #expect(text.contains(value))
        browser.send(.resized(columns: 20, rows: 5))
        browser.press(.end, .down, .scalar("q"))
        #expect(!browser.hasQuit && browser.state.mode == .list)
    }

    @Test("The help has every key, and can be read in any size")
    func help() {
        var browser = TestBrowser(["port": "1"])
        browser.press(.scalar("?"))
        for key in ["Enter", "Space", "undo the last change", "Ctrl-L", "locked"] {
            #expect(browser.text.contains(key))
        }
        browser.send(.resized(columns: 20, rows: 5))
        var seen = ""
        for _ in 0..<80 {
            seen += browser.text
            browser.press(.pageDown)
        }
        #expect(seen.contains("quit; all changes"))
    }
}
