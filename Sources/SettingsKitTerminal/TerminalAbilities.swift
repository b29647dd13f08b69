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
