/// Converts dates of XML property lists, `YYYY-MM-DDThh:mm:ssZ`, to seconds since 2001-01-01T00:00:00Z and back.
///
/// There is no locale and no time zone: the dates are in UTC.
enum GregorianDate {
    /// The seconds of the years 1 to 9999, whose form every reader understands.
    static let writableSeconds: Range<Double> = -63_113_904_000..<252_423_993_600

    /// Converts `text` to seconds; returns nil if it is not a date.
    ///
    /// Years may have a sign, and up to nine digits.
    static func seconds(_ text: Substring) -> Double? {
        var scanner = TimeScanner(Array(text.utf8)[...])
        let isNegative = scanner.skip("-")
        guard var time = scanner.time(years: 1...9), scanner.skip("Z"), scanner.isAtEnd else { return nil }
        if isNegative { time.year.negate() }
        return time.isValid ? Double(time.secondsSince1970 - CivilTime.secondsToReferenceDate) : nil
    }

    /// Returns the whole second of `seconds`, which must be among the ``writableSeconds``.
    static func text(_ seconds: Double) -> String {
        let time = CivilTime(secondsSince1970: Int64(seconds.rounded(.down)) + CivilTime.secondsToReferenceDate)
        var output: [UInt8] = []
        time.append(to: &output)
        return String(decoding: output, as: UTF8.self) + "Z"
    }
}
