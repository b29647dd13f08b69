import SettingsKitCore

/// Converts names in code to titles for people.
enum FormTitle {
    /// Returns "Launch count" for `launchCount`, `launch-count`, `launch_count` and `app:launchCount`.
    static func title(ofName name: String) -> String {
        title(ofWords: name.split(whereSeparator: { $0 == ":" || $0 == "." }).last.map(String.init) ?? name)
    }

    /// Returns "Dark mode" for `darkMode`. An abbreviation keeps its capitals: `openURLsInTab` is "Open URLs in tab".
    static func title(ofWords name: String) -> String {
        let words = NameWords.split(name) { $0 == "-" || $0 == "_" || $0 == " " }.filter { !$0.isEmpty }
        guard let first = words.first else { return name }
        let others = words.dropFirst().map { isAbbreviation($0) ? $0 : $0.lowercased() }
        return ([first.prefix(1).uppercased() + first.dropFirst()] + others).joined(separator: " ")
    }

    private static func isAbbreviation(_ word: String) -> Bool {
        word.allSatisfy(\.isUppercase) || word.count(where: \.isUppercase) > 1
    }
}
