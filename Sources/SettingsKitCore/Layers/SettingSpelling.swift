/// A setting's name with its spellings, which are found once for all layers.
package struct SpelledName: Sendable {
    package let name: String
    /// The names of the option, the usual one first.
    let options: [String]
    /// The name of the variable, without a prefix.
    let variable: String
    /// All of them, in the order in which they count in a file.
    var spellings: [String] { [name] + (options + [variable]).filter { $0 != name } }

    package init(_ name: String) {
        let words = NameWords.split(name)
        self.name = name
        options = SettingSpelling.options(for: name, words)
        variable = SettingSpelling.variable(words)
    }
}

/// The spelling of a setting's name in arguments and environment variables.
package enum SettingSpelling {
    /// Returns the name of the environment variable: `sound.launchCount` is `SOUND_LAUNCH_COUNT`, after the prefix.
    package static func variable(for name: String, prefix: String = "") -> String {
        prefix + variable(NameWords.split(name))
    }

    fileprivate static func variable(_ words: [String]) -> String {
        words.map { $0.uppercased() }.joined(separator: "_")
    }

    /// Returns the names of the option, without the hyphens, the usual one first: `launch-count` and `launchCount`, and the name
    /// itself.
    package static func options(for name: String) -> [String] { options(for: name, NameWords.split(name)) }

    fileprivate static func options(for name: String, _ words: [String]) -> [String] {
        let hyphenated = words.map { $0.lowercased() }.joined(separator: "-")
        let parts = hyphenated.split(separator: "-")
        let joined = (parts.first.map(String.init) ?? "") + parts.dropFirst().map(capitalized).joined()
        var options = [hyphenated]
        for option in [joined, name] where !option.isEmpty && !options.contains(option) { options.append(option) }
        return options
    }

    private static func capitalized(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }
}
