/// The style of a text on a terminal.
struct TextStyle: Hashable, Sendable {
    /// A color of the terminal's palette, so that it fits the person's theme.
    enum Color: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    var isBold = false
    var isDim = false
    var isUnderlined = false
    var isReversed = false
    var color: Color?

    static let plain = TextStyle()
    static let bold = TextStyle(isBold: true)
    static let dim = TextStyle(isDim: true)
    static let reversed = TextStyle(isReversed: true)
    static let underlined = TextStyle(isUnderlined: true)
    static func colored(_ color: Color) -> TextStyle { TextStyle(color: color) }

    /// The escape sequence that selects the style, independent of the style before.
    ///
    /// - Parameter hasColors: Whether to use colors; otherwise, only the other attributes.
    func sequence(hasColors: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        // Some terminals lack it; with NO_COLOR, low contrast must not be added.
        if isDim, hasColors { codes += ";2" }
        if isUnderlined { codes += ";4" }
        if isReversed { codes += ";7" }
        if hasColors, let color { codes += ";\(color.rawValue)" }
        return "\u{1B}[\(codes)m"
    }
}

/// The abilities of the terminal.
struct TerminalAbilities: Equatable, Sendable {
    /// Whether to show colors: the default unless the variable `NO_COLOR` has a value.
    var hasColors = true
    /// Whether to send UTF-8; otherwise, only ASCII.
    var isUnicode = true

    init() {}

    /// Determines the abilities from the process's environment.
    init(environment: [String: String]) {
        hasColors = (environment["NO_COLOR"] ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        // Without a locale, terminals of today show UTF-8.
        isUnicode = locale.map { $0.lowercased().replacing("-", with: "").contains("utf8") } ?? true
    }
}
