/// Converts numbers to text and back, without any locale: reads the forms of XML property lists, and writes the forms
/// that property lists and JSON share.
enum NumberText {
    /// Reads a whole number: an optional sign, then decimal digits, or hexadecimal ones after `0x`.
    ///
    /// Returns nil for anything else, and for numbers less than `Int64.min` or greater than `UInt64.max`.
    static func integer(_ text: Substring) -> PropertyListValue? {
        let sign = text.prefix { $0 == "-" || $0 == "+" }
        let digits = text.dropFirst(sign.count)
        guard digits.hasPrefix("0x") || digits.hasPrefix("0X") else { return Int128(text).flatMap { .wholeNumber($0) } }
        return Int128(sign + digits.dropFirst(2), radix: 16).flatMap { .wholeNumber($0) }
    }

    /// The shortest text that reads as the same number, without a trailing `.0`; `nan`, `inf` or `-inf` if it is not
    /// finite. Foundation's `JSONEncoder` writes finite numbers in this way.
    static func shortest(_ number: Double) -> String {
        guard !number.isNaN else { return "nan" }
        let text = number.description
        return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
    }

    /// The shortest text that reads as the same number, also where it is read as a decimal number: 2^63 - 1024 has all digits, because
    /// `9.223372036854775e+18` is another integer.
    static func json(_ number: Double) -> String {
        let text = shortest(number)
        guard number.magnitude >= 0x1p53, let whole = Int128(exactly: number) else { return text }
        func significant(_ digits: some StringProtocol) -> Substring {
            var digits = Substring(digits.filter { $0 != "." })
            while digits.hasSuffix("0") { digits.removeLast() }
            return digits
        }
        return significant(text.prefix { $0 != "e" }) == significant(String(whole)) ? text : String(whole)
    }
}
