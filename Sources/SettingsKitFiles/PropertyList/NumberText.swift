import SettingsKitPlatform

/// Converts numbers to text and back, without any locale: reads the forms of XML property lists, and writes the forms
/// that property lists and JSON share.
enum NumberText {
    /// Reads a whole number: an optional sign, then decimal digits, or hexadecimal ones after `0x`. White space may follow
    /// the sign.
    ///
    /// Returns nil for anything else, and for numbers less than `Int64.min` or greater than `UInt64.max`.
    static func integer(_ text: XMLText) -> PropertyListValue? {
        let bytes = text.bytes
        var index = text.range.lowerBound
        let end = text.range.upperBound
        var isNegative = false
        if index < end, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
            while index < end, case let length = text.spaceLength(at: index), length > 0 { index += length }
        }
        var radix: UInt32 = 10
        if end - index > 2, bytes[index] == UInt8(ascii: "0"), bytes[index + 1] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            index += 2
        }
        guard index < end else { return nil }
        var magnitude: UInt64 = 0
        while index < end {
            guard let digit = bytes[index].digit(radix: radix),
                let sum = magnitude.multiplied(byChecked: radix)?.adding(checked: digit)
            else { return nil }
            magnitude = sum
            index += 1
        }
        return .wholeNumber(magnitude: magnitude, isNegative: isNegative)
    }

    /// Reads a decimal number, or `nan`, `inf` or `infinity` in any case and with an optional sign.
    static func real(_ text: XMLText) -> Double? {
        let bytes = text.bytes[text.range]
        if let number = decimal(bytes) { return number }
        let isNegative = bytes.first == UInt8(ascii: "-")
        let hasSign = isNegative || bytes.first == UInt8(ascii: "+")
        switch String(decoding: bytes.dropFirst(hasSign ? 1 : 0), as: UTF8.self).lowercased() {
        case "nan": return .nan
        case "inf", "infinity": return isNegative ? -.infinity : .infinity
        default: return nil
        }
    }

    /// The number nearest to the decimal number in `bytes`; infinity if it is too large.
    private static func decimal(_ bytes: ArraySlice<UInt8>) -> Double? {
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: continue
            default: return nil
            }
        }
        return Double(String(decoding: bytes, as: UTF8.self))
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

    /// Appends `number` in decimal.
    static func append(_ number: Int64, to output: inout [UInt8]) {
        if number < 0 { output.append(UInt8(ascii: "-")) }
        append(number.magnitude, to: &output)
    }

    /// Appends `number` in decimal, with leading zeros up to a width.
    static func append(_ number: UInt64, width: Int = 1, to output: inout [UInt8]) {
        let start = output.count
        var rest = number
        while rest > 0 || output.count - start < width {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder))
            rest = quotient
        }
        output[start...].reverse()
    }
}
