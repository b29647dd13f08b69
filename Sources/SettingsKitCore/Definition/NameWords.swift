/// The words of an identifier: `launchCount` has two.
package enum NameWords {
    /// Splits a name before each word that begins with a capital, and at each separator.
    ///
    /// A capital begins a word unless a capital precedes it. The last of several capitals begins a word if a small letter follows
    /// it: `apiURL` is `api URL`, and `URLScheme` is `URL Scheme`. The `s` of a plural belongs to its abbreviation: `openURLsInTab`
    /// is `open URLs In Tab`. A digit begins no word. Two separators in a row have an empty word between them.
    package static func split(_ name: String, separator isSeparator: (Character) -> Bool) -> [String] {
        let characters = Array(name)
        var words = [""]
        for (index, character) in characters.enumerated() {
            if isSeparator(character) {
                words.append("")
                continue
            }
            if let previous = words[words.count - 1].last, character.isUppercase {
                let isBeforeSmall =
                    index + 1 < characters.count && characters[index + 1].isLowercase
                    && !isPlural(characters[(index + 1)...])
                if !previous.isUppercase || isBeforeSmall { words.append("") }
            }
            words[words.count - 1].append(character)
        }
        return words
    }

    /// Returns whether the characters after a capital begin with the `s` of a plural.
    private static func isPlural(_ rest: ArraySlice<Character>) -> Bool {
        rest.first == "s" && !(rest.dropFirst().first?.isLowercase ?? false)
    }
}
