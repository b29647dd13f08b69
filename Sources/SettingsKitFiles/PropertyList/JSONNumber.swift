/// The native values that the text of a JSON number can stand for.
enum JSONNumber {
    /// The value for `text`, of the kind of `old` where that gives the same text back, else a whole number where the
    /// text is one, else a real; `nil` where it is not a finite number.
    ///
    /// Except for the kind of `old`, it is left to the caller to check that the value gives the same text back.
    static func value(_ text: XMLText, resembling old: PropertyListValue?) -> PropertyListValue? {
        switch old {
        case .date:
            if let number = exactReal(text), GregorianDate.writableSeconds.contains(number),
                number == number.rounded(.down), !isMinusZero(text)
            {
                return .date(number)
            }
        case .real:
            if let number = exactReal(text) { return .real(number) }
        default:
            break
        }
        // Minus zero is a real: as a whole number, and as a date once written, it would lose its sign.
        if let number = NumberText.integer(text), !isMinusZero(text) { return number }
        return NumberText.decimal(text.bytes[text.range]).flatMap { $0.isFinite ? .real($0) : nil }
    }

    /// The real that `text` stands for, if it gives the same text back.
    private static func exactReal(_ text: XMLText) -> Double? {
        let bytes = text.bytes[text.range]
        guard let number = NumberText.decimal(bytes), number.isFinite,
            NumberText.shortest(number).utf8.elementsEqual(bytes)
        else { return nil }
        return number
    }

    private static func isMinusZero(_ text: XMLText) -> Bool {
        text.bytes[text.range].elementsEqual("-0".utf8)
    }
}
