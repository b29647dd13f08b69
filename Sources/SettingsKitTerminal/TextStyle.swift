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
