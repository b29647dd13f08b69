/// How a text looks on a terminal.
struct TextStyle: Hashable, Sendable {
    /// A color of the terminal's own palette, so that it fits the person's theme.
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

    /// The escape sequence that selects the style, whichever was selected before.
    ///
    /// - Parameter hasColors: Whether colors are used; otherwise, only the other attributes are.
    func sequence(hasColors: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        // Not every terminal has it; with NO_COLOR, some people see little contrast.
        if isDim, hasColors { codes += ";2" }
        if isUnderlined { codes += ";4" }
        if isReversed { codes += ";7" }
        if hasColors, let color { codes += ";\(color.rawValue)" }
        return "\u{1B}[\(codes)m"
    }
}

/// What the terminal can show.
struct TerminalAbilities: Equatable, Sendable {
    /// Whether colors are shown: unless the variable `NO_COLOR` is set to something.
    var hasColors = true
    /// Whether text is in UTF-8; otherwise, only ASCII is sent.
    var isUnicode = true

    init() {}

    /// What the variables of a process say.
    init(environment: [String: String]) {
        hasColors = (environment["NO_COLOR"] ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        // Without any, terminals of today show UTF-8.
        isUnicode = locale.map { $0.lowercased().replacing("-", with: "").contains("utf8") } ?? true
    }
}
