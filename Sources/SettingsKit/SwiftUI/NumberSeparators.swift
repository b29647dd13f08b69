#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The separators in a region's numbers, and the conversion to the text of a setting, which has a point in every locale.
struct NumberSeparators: Equatable, Sendable {
    let decimal: Character
    /// The separator between groups of digits; nil if there is none.
    let grouping: Character?

    init(decimal: Character, grouping: Character?) {
        self.decimal = decimal
        self.grouping = grouping
    }

    init(of locale: Locale) {
        decimal = locale.decimalSeparator?.first ?? "."
        grouping = locale.groupingSeparator?.first
    }

    /// Returns a number in the region's format: `0,5` for `0.5`. Any other text is unchanged.
    func shown(_ text: String) -> String {
        guard Self.isNumber(text) else { return text }
        return String(text.map { $0 == "." ? decimal : $0 })
    }

    /// Parses a number that a person has typed: `0.5` for `0,5`, and `1000` for `1,000` where a comma separates groups.
    ///
    /// It does not guess: a text with a separator in a place where people of the region do not write it is no number.
    ///
    /// - Returns: nil if the text is no number.
    func number(_ typed: String) -> String? {
        // Marks for the direction of the text accompany signs in some languages.
        var rest = typed.filter { !Self.directionMarks.contains($0) }[...]
        rest = rest.trimmingSpaces()
        var number = ""
        if let sign = rest.first.flatMap(Self.sign) {
            number.append(sign)
            rest.removeFirst()
        }
        let whole = rest.prefix { $0 != decimal && $0 != "e" && $0 != "E" }
        guard let digits = wholeDigits(whole) else { return nil }
        number += digits
        rest = rest.dropFirst(whole.count)
        if rest.first == decimal {
            number.append(".")
            rest.removeFirst()
        }
        for character in rest {
            guard let plain = Self.digit(character) ?? Self.sign(character) ?? (character.isExponent ? character : nil)
            else { return nil }
            number.append(plain)
        }
        return Self.isNumber(number) ? number : nil
    }

    /// Returns the digits before the decimal separator. Groups have three digits, or two before the last three, as in India.
    private func wholeDigits(_ text: Substring) -> String? {
        let groups = text.split(omittingEmptySubsequences: false, whereSeparator: isGrouping)
        let lengths = groups.map(\.count)
        if groups.count > 1 {
            guard lengths.last == 3, (1...3).contains(lengths[0]), lengths[1...].allSatisfy({ $0 == 2 || $0 == 3 }),
                groups[0].first.flatMap(Self.digit) != "0"
            else { return nil }
        }
        let digits = groups.joined().map(Self.digit)
        return digits.contains(nil) ? nil : String(digits.compactMap { $0 })
    }

    private func isGrouping(_ character: Character) -> Bool {
        guard let grouping else { return false }
        if character == grouping { return true }
        // A keyboard has one space and one apostrophe.
        return grouping.isWhitespace && character.isWhitespace
            || Self.apostrophes.contains(grouping) && Self.apostrophes.contains(character)
    }

    private static let apostrophes: Set<Character> = ["'", "’"]
    private static let directionMarks: Set<Character> = ["\u{200E}", "\u{200F}", "\u{061C}"]

    private static func sign(_ character: Character) -> Character? {
        switch character {
        case "+": "+"
        case "-", "−": "-"
        default: nil
        }
    }

    /// Returns the digit of any script, as people of some regions type them.
    private static func digit(_ character: Character) -> Character? {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1,
            scalar.properties.numericType == .decimal, let value = character.wholeNumberValue
        else { return nil }
        return Character(String(value))
    }

    /// Returns whether a text is a decimal number that a setting reads.
    private static func isNumber(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "+" || $0 == "-" || $0.isExponent) }
            && Double(text) != nil
    }
}

extension Character {
    fileprivate var isExponent: Bool { self == "e" || self == "E" }
}

extension StringProtocol {
    /// Returns the text without leading and trailing spaces and line breaks.
    func trimmingSpaces() -> SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
