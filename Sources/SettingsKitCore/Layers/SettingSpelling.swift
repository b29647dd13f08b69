/// How the name of a setting is spelled in arguments and environment variables.
package enum SettingSpelling {
    /// The name of the environment variable: `sound.launchCount` is `SOUND_LAUNCH_COUNT`, after the prefix.
    package static func variable(for name: String, prefix: String = "") -> String {
        prefix + separated(name, by: "_") { $0.uppercased() }
    }

    /// The names of the option, without the hyphens, the usual one first: `launch-count` and `launchCount`, and the name
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

    /// Puts a separator before each word that begins with a capital, and in the place of every character that is neither a
    /// letter nor a digit.
    ///
    /// A capital begins a word unless a capital stands before it; the last one of several begins a word if a small letter
    /// follows it: `apiURL` is `api URL`, and `URLScheme` is `URL Scheme`. A digit begins no word.
    private static func separated(
        _ name: String, by separator: Character, _ convert: (Character) -> String
    ) -> String {
        let characters = Array(name)
        var result = ""
        for (index, character) in characters.enumerated() {
            guard isPartOfWord(character) else {
                result.append(separator)
                continue
            }
            if index > 0, character.isUppercase, isPartOfWord(characters[index - 1]) {
                let isBeforeSmall = index + 1 < characters.count && characters[index + 1].isLowercase
                if !characters[index - 1].isUppercase || isBeforeSmall { result.append(separator) }
            }
            result += convert(character)
        }
        return result
    }

    private static func isPartOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
