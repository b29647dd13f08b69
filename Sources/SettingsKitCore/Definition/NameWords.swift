/// The words of an identifier: `launchCount` has two.
package enum NameWords {
    /// Splits a name before each word that begins with a capital, and at each separator.
    ///
    /// A capital begins a word unless a capital precedes it. The last of several capitals begins a word if a small letter follows
    /// it: `apiURL` is `api URL`, and `URLScheme` is `URL Scheme`. The `s` of a plural belongs to its abbreviation: `openURLsInTab`
    /// is `open URLs In Tab`. A digit begins no word. Two separators in a row have an empty word between them.
    package static func split(_ name: String, separator isSeparator: (Character) -> Bool) -> [String] {
        let characters = Array(name)
        let ranges = ranges(
            in: characters, small: "s", isSeparator: isSeparator, isCapital: \.isUppercase, isSmall: \.isLowercase)
        return ranges.map { String(characters[$0]) }
    }

    /// Splits a name in the same way at everything that is neither a letter nor a digit. Most names are ASCII, which takes a tenth
    /// of the time.
    static func split(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) else { return split(name) { !$0.isLetter && !$0.isNumber } }
        func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
        func isSmall(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
        let ranges = ranges(
            in: bytes, small: UInt8(ascii: "s"),
            isSeparator: { !isCapital($0) && !isSmall($0) && $0 &- UInt8(ascii: "0") >= 10 }, isCapital: isCapital,
            isSmall: isSmall)
        return ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    private static func ranges<Unit: Equatable>(
        in units: [Unit], small: Unit, isSeparator: (Unit) -> Bool, isCapital: (Unit) -> Bool,
        isSmall: (Unit) -> Bool
    ) -> [Range<Int>] {
        // Whether the units after a capital begin with the `s` of a plural.
        func isPlural(_ index: Int) -> Bool {
            units[index] == small && (index + 1 == units.count || !isSmall(units[index + 1]))
        }
        var ranges: [Range<Int>] = []
        var start = 0
        for (index, unit) in units.enumerated() {
            if isSeparator(unit) {
                ranges.append(start..<index)
                start = index + 1
            } else if index > start, isCapital(unit) {
                let isBeforeSmall = index + 1 < units.count && isSmall(units[index + 1]) && !isPlural(index + 1)
                guard !isCapital(units[index - 1]) || isBeforeSmall else { continue }
                ranges.append(start..<index)
                start = index
            }
        }
        return ranges + [start..<units.count]
    }
}
