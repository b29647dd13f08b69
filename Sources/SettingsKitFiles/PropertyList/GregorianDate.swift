import SettingsKitCore

/// Converts dates of XML property lists, `YYYY-MM-DDThh:mm:ssZ`, to seconds since 2001-01-01T00:00:00Z and back.
///
/// There is no locale and no time zone: the dates are in UTC.
enum GregorianDate {
    /// The seconds of the years 1 to 9999, whose form every reader understands.
    static let writableSeconds: Range<Double> = -63_113_904_000..<252_423_993_600

    /// Converts `text` to seconds; returns nil if it is not a date.
    ///
    /// Years may have a sign, and up to nine digits. A leap second, `:60`, is the first second of the next minute.
    ///
    /// - Parameter carries: Whether to read dates that do not exist as `PropertyListSerialization` does: excess days, hours,
    ///   minutes and seconds are carried over, day 0 is the day before the first one, month 13 is the next January, and other
    ///   months are January. Otherwise they are not dates.
    static func seconds(_ text: XMLText, carries: Bool = false) -> Double? {
        var scanner = TimeScanner(text.bytes[text.range])
        let isNegative = scanner.skip("-")
        if !isNegative { _ = scanner.skip("+") }
        guard var time = scanner.time(years: (isNegative ? 0 : 1)...9), scanner.skip("Z"), scanner.isAtEnd else {
            return nil
        }
        if isNegative { time.year.negate() }
        if carries, !(1...13).contains(time.month) { time.month = 1 }
        guard carries || time.isValid else { return nil }
        return Double(time.secondsSince1970 - CivilTime.secondsToReferenceDate)
    }

    /// Appends the whole second of `seconds`, which must be among the ``writableSeconds``.
    static func append(_ seconds: Double, to output: inout [UInt8]) {
        let time = CivilTime(secondsSince1970: Int64(seconds.rounded(.down)) + CivilTime.secondsToReferenceDate)
        time.append(to: &output)
        output.append(UInt8(ascii: "Z"))
    }
}
