/// The native values of the text of a JSON number.
enum JSONNumber {
    /// Returns the value of `text`: of the kind of `old` if its text is the same, otherwise a whole number if the text
    /// is one, otherwise a real. Returns nil if it is not a finite number.
    ///
    /// Except for the kind of `old`, the caller checks that the value has the same text.
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
        // Minus zero is a real: a whole number, and a written date, would lose its sign.
        if let number = NumberText.integer(text), !isMinusZero(text) { return number }
        return NumberText.decimal(text.bytes[text.range]).flatMap { $0.isFinite ? .real($0) : nil }
    }

    /// Returns the real of `text`, if its text is the same.
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
