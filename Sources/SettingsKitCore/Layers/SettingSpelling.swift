/// A setting's name with its spellings, which are found once for all layers.
package struct SpelledName: Sendable {
    package let name: String
    /// The names of the option, the usual one first.
    let options: [String]
    /// The name of the variable, without a prefix.
    let variable: String

    package init(_ name: String) {
        self.name = name
        options = SettingSpelling.options(for: name)
        variable = SettingSpelling.variable(for: name)
    }
}

/// The spelling of a setting's name in arguments and environment variables.
package enum SettingSpelling {
    /// Returns the name of the environment variable: `sound.launchCount` is `SOUND_LAUNCH_COUNT`, after the prefix.
    package static func variable(for name: String, prefix: String = "") -> String {
        prefix + separated(name, by: "_") { $0.uppercased() }
    }

    /// Returns the names of the option, without the hyphens, the usual one first: `launch-count` and `launchCount`, and the name
    /// itself.
    package static func options(for name: String) -> [String] {
        let hyphenated = separated(name, by: "-") { $0.lowercased() }
        let words = hyphenated.split(separator: "-")
        let joined = (words.first.map(String.init) ?? "") + words.dropFirst().map(capitalized).joined()
        var options = [hyphenated]
        for option in [joined, name] where !option.isEmpty && !options.contains(option) { options.append(option) }
        return options
    }

    private static func capitalized(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// Puts a separator between the words of a name, and in place of every character that is neither a letter nor a digit.
    private static func separated(
        _ name: String, by separator: String, _ convert: (String) -> String
    ) -> String {
        NameWords.split(name) { !$0.isLetter && !$0.isNumber }.map(convert).joined(separator: separator)
    }
}
