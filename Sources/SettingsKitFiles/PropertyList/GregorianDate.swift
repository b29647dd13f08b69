/// Converts dates of XML property lists, `YYYY-MM-DDThh:mm:ssZ`, to seconds since 2001-01-01T00:00:00Z and back.
///
/// The calendar is Gregorian, extended in both directions, with a year 0 before year 1, as in ISO 8601 and in Apple's
/// writer. There is no locale and no time zone: the dates are in UTC.
enum GregorianDate {
    /// The days from 0001-01-01 to 2001-01-01.
    private static let referenceDay: Int64 = 730_485
    private static let secondsInDay: Int64 = 86_400

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
        var fields = Fields(bytes: text.bytes, position: text.range.lowerBound, end: text.range.upperBound)
        let isNegative = fields.skip("-")
        if !isNegative { _ = fields.skip("+") }
        guard let digits = fields.number(digits: (isNegative ? 0 : 1)...9), fields.skip("-"),
            let month = fields.number(digits: 2...2), fields.skip("-"),
            let day = fields.number(digits: 2...2), fields.skip("T"),
            let hour = fields.number(digits: 2...2), fields.skip(":"),
            let minute = fields.number(digits: 2...2), fields.skip(":"),
            let second = fields.number(digits: 2...2), fields.skip("Z"), fields.isAtEnd
        else { return nil }
        let year = isNegative ? -digits : digits
        let daysOfMonths = daysBefore(month: (1...13).contains(month) ? month : 1, of: year)
        if !carries {
            guard (1...12).contains(month), day >= 1, hour < 24, minute < 60, second <= 60,
                day <= daysBefore(month: month + 1, of: year) - daysOfMonths
            else { return nil }
        }
        let days = daysBefore(year: year) + daysOfMonths + day - 1 - referenceDay
        return Double(days * secondsInDay + hour * 3600 + minute * 60 + second)
    }

    /// Appends the whole second of `seconds`, which must be among the ``writableSeconds``.
    static func append(_ seconds: Double, to output: inout [UInt8]) {
        let whole = Int64(seconds.rounded(.down)) + referenceDay * secondsInDay
        let (days, time) = whole.quotientAndRemainder(dividingBy: secondsInDay)
        // The average year leads to the correct one or its neighbor.
        var year = Int64(Double(days) / 365.2425) + 1
        while daysBefore(year: year) > days { year -= 1 }
        while daysBefore(year: year + 1) <= days { year += 1 }
        let dayOfYear = days - daysBefore(year: year)
        var month: Int64 = 1
        while daysBefore(month: month + 1, of: year) <= dayOfYear { month += 1 }
        let day = dayOfYear - daysBefore(month: month, of: year) + 1
        let fields: [(Int64, Int, String)] = [
            (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (time / 3600, 2, ":"), (time / 60 % 60, 2, ":"),
            (time % 60, 2, "Z"),
        ]
        for (number, width, separator) in fields {
            NumberText.append(UInt64(number), width: width, to: &output)
            output.append(contentsOf: separator.utf8)
        }
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// The days from 0001-01-01 to the first of January of `year`; negative for earlier years.
    private static func daysBefore(year: Int64) -> Int64 {
        let years = year - 1
        func whole(_ divisor: Int64) -> Int64 { (years >= 0 ? years : years - divisor + 1) / divisor }
        return years * 365 + whole(4) - whole(100) + whole(400)
    }

    /// The days from the first of January to the first of `month`, from 1 to 13, where 13 is the next January.
    private static func daysBefore(month: Int64, of year: Int64) -> Int64 {
        let days: Int64 = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365][Int(clamping: month) - 1]
        return month > 2 && isLeap(year) ? days + 1 : days
    }

    /// Reads the parts of a date's text from the left.
    private struct Fields {
        let bytes: [UInt8]
        var position: Int
        let end: Int

        var isAtEnd: Bool { position == end }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(digits: ClosedRange<Int>) -> Int64? {
            var number: Int64 = 0
            let start = position
            while position < end, position - start < digits.upperBound,
                let digit = bytes[position].digit(radix: 10)
            {
                number = number * 10 + Int64(digit)
                position += 1
            }
            return position - start >= digits.lowerBound ? number : nil
        }
    }
}
