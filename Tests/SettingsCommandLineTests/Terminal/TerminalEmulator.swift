import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

/// What a terminal shows, by the escape sequences that the view uses. Any other sequence is a failure.
struct TerminalEmulator {
    var screen: Screen
    var isAlternate = false
    var isWrapping = true
    var marksPastes = false
    var showsCursor = true
    var style: [Int] = []
    var row = 0
    var column = 0
    /// Everything outside of the alternate screen, as text.
    var normalText = ""
    /// Whether a sequence appeared that the view must not send.
    var problems: [String] = []
    private var pending: [Unicode.Scalar] = []
    private var cluster = ""

    init(columns: Int = 80, rows: Int = 24) { screen = Screen(columns: columns, rows: rows) }

    var rows: [String] { (0..<screen.rows).map { screen.text(ofRow: $0) } }
    var text: String { rows.joined(separator: "\n") }

    mutating func feed(_ text: String) {
        for scalar in text.unicodeScalars { take(scalar) }
        flush()
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if scalar == "\u{18}" {
            pending = []
        } else if !pending.isEmpty || scalar == "\u{1B}" {
            if pending.isEmpty { flush() }
            pending.append(scalar)
            if pending.count > 2, (0x40...0x7E).contains(scalar.value) { finish() }
        } else if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            flush()
            if isAlternate {
                problems.append("control character \(scalar.value)")
            } else {
                normalText.unicodeScalars.append(scalar)
            }
        } else if isAlternate {
            let longer = cluster + String(scalar)
            if longer.count > 1 { flush() }
            cluster.unicodeScalars.append(scalar)
        } else {
            normalText.unicodeScalars.append(scalar)
        }
    }

    private mutating func flush() {
        guard let character = cluster.first else { return }
        cluster = ""
        let width = Screen.shown(character).columns
        if width > 2 { problems.append("an invisible character") }
        if column + width > screen.columns, isWrapping { problems.append("a line that is too long") }
        if column + width <= screen.columns {
            screen.put(String(character), row: row, column: column, style: textStyle)
        }
        column += width
    }

    private var textStyle: TextStyle {
        var result = TextStyle.plain
        for code in style {
            switch code {
            case 1: result.isBold = true
            case 2: result.isDim = true
            case 4: result.isUnderlined = true
            case 7: result.isReversed = true
            default: result.color = TextStyle.Color(rawValue: code)
            }
        }
        return result
    }

    private mutating func finish() {
        let text = String(String.UnicodeScalarView(pending.dropFirst()))
        pending = []
        let final = text.last ?? " "
        let body = text.dropFirst().dropLast()
        let numbers = body.split(separator: ";").compactMap { Int($0) }
        switch (text.first, final) {
        case ("[", "m"):
            for code in numbers { if code == 0 { style = [] } else { style.append(code) } }
        case ("[", "H"): (row, column) = ((numbers.first ?? 1) - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
        case ("[", "C"): column += numbers.first ?? 1
        case ("[", "K"):
            screen.put(String(repeating: " ", count: max(0, screen.columns - column)), row: row, column: column)
        case ("[", "J") where body == "2": screen = Screen(columns: screen.columns, rows: screen.rows)
        case ("[", "h"), ("[", "l"):
            let isOn = final == "h"
            switch body {
            case "?1049":
                isAlternate = isOn
                if isOn { screen = Screen(columns: screen.columns, rows: screen.rows) }
            case "?25": showsCursor = isOn
            case "?7": isWrapping = isOn
            case "?2004": marksPastes = isOn
            default: problems.append("ESC \(text)")
            }
        // A shell or a stopped view has other sequences, outside of the view.
        case _ where !isAlternate: break
        default: problems.append("ESC \(text)")
        }
        if row >= screen.rows || column > screen.columns { problems.append("a cursor outside of the screen") }
    }
}
