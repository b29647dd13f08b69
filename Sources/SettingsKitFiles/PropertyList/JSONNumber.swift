import SettingsKitCore

/// The native values of the text of a JSON number.
enum JSONNumber {
    /// Returns the value of the number in `range`: of the kind of `old` if its text is the same, otherwise a whole
    /// number if the text is one, otherwise a real. Returns nil if it is not a finite number.
    ///
    /// Except for the kind of `old`, the caller checks that the value has the same text.
    static func value(
        of scanner: JSONScanner, in range: Range<Int>, resembling old: PropertyListValue?
    ) -> PropertyListValue? {
        if case .real = old, let number = exactReal(scanner, range) { return .real(number) }
        // Minus zero is a real: a whole number would lose its sign.
        if !scanner.bytes[range].elementsEqual("-0".utf8) {
            if let number: Int64 = scanner.integer(in: range) { return .integer(number) }
            if let number: UInt64 = scanner.integer(in: range) { return .unsigned(number) }
        }
        return scanner.double(in: range).flatMap { $0.isFinite ? .real($0) : nil }
    }

    /// Returns the real of a number, if its text is the same.
    private static func exactReal(_ scanner: JSONScanner, _ range: Range<Int>) -> Double? {
        guard let number = scanner.double(in: range), number.isFinite,
            NumberText.shortest(number).utf8.elementsEqual(scanner.bytes[range])
        else { return nil }
        return number
    }
}
