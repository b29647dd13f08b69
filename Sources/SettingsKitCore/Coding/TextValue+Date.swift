#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Parses the text of a setting; nil if it is no date.
    package init?(settingText text: String) {
        guard let date = Date.value(text) else { return nil }
        self = date
    }

    /// The text of the date in a setting; nil if it has none.
    package var settingText: String? { text }
}

/// A date in ISO 8601: `2026-11-22T18:00:00Z`, with a fraction of any length, with an offset such as `+02:00`, or a plain date,
/// which is midnight in UTC. It is written in UTC, with as many digits as its seconds need.
extension Date: TextValue {
    static func value(_ text: String) -> Date? {
        var scanner = DateScanner(text)
        guard let date = scanner.date(), scanner.isAtEnd else { return nil }
        return date
    }

    var text: String? {
        let time = timeIntervalSinceReferenceDate
        // Years from 0 to 9999, so that a year has four digits.
        guard time.isFinite, abs(time) < 1e12 else { return nil }
        let seconds = time.rounded(.down)
        let (day, second) = (Int64(seconds) + DateScanner.secondsToReferenceDate).quotientAndModulus(by: 86_400)
        let civil = CivilDate(dayNumber: day)
        guard (0...9999).contains(civil.year) else { return nil }
        let date = "\(Self.digits(civil.year, 4))-\(Self.digits(civil.month, 2))-\(Self.digits(civil.day, 2))"
        let clock =
            "\(Self.digits(second / 3600, 2)):\(Self.digits(second / 60 % 60, 2)):\(Self.digits(second % 60, 2))"
        return Self.fraction(of: time, seconds: seconds).map { "\(date)T\(clock)\($0)Z" }
    }

    static var textType: ValueDescription {
        ValueDescription(
            "a date in ISO 8601, such as 2026-11-22T18:00:00Z", json: "string",
            format: "date-time")
    }

    /// Parses a text in ISO 8601; nil if it is no date.
    package init?(iso8601 text: String) {
        guard let date = Date.value(text) else { return nil }
        self = date
    }

    /// The text in ISO 8601, in UTC; nil for a time outside of the years 0 to 9999.
    package var iso8601: String? { text }

    /// Returns the shortest fraction that reads as the same time; nil if it has more than 15 digits.
    private static func fraction(of time: Double, seconds: Double) -> String? {
        if time == seconds { return "" }
        var scale = 1.0
        for count in 1...15 {
            scale *= 10
            let digits = ((time - seconds) * scale).rounded()
            if digits < scale, seconds + digits / scale == time { return ".\(Self.digits(Int64(digits), count))" }
        }
        return nil
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// A day of the Gregorian calendar, also before that calendar was in use.
///
/// It has 64 bits even where `Int` has 32, because these end with the seconds of the year 2038.
struct CivilDate: Equatable {
    var year: Int64
    var month: Int64
    var day: Int64
}

extension CivilDate {
    // The year begins with March, so that the leap day is its last. 400 years have 146,097 days.

    /// The date of a day, counted from 1970-01-01.
    init(dayNumber: Int64) {
        let (era, dayOfEra) = (dayNumber + 719_468).quotientAndModulus(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of the day, counted from 1970-01-01.
    var dayNumber: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndModulus(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether the calendar has this day.
    var isValid: Bool {
        (0...9999).contains(year) && (1...12).contains(month) && (1...31).contains(day)
            && CivilDate(dayNumber: dayNumber) == self
    }
}

extension Int64 {
    /// Returns the quotient rounded down, and the remainder, which is not negative.
    fileprivate func quotientAndModulus(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads a date in ISO 8601. Each function returns nil if other text is there.
private struct DateScanner {
    /// From 1970-01-01 to 2001-01-01.
    static let secondsToReferenceDate: Int64 = 978_307_200

    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() -> Date? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        let civil = CivilDate(year: year, month: month, day: day)
        guard civil.isValid else { return nil }
        let midnight = civil.dayNumber * 86_400 - Self.secondsToReferenceDate
        if isAtEnd { return Date(timeIntervalSinceReferenceDate: Double(midnight)) }
        guard skip("T") || skip("t") || skip(" "), let hour = number(2), skip(":"), let minute = number(2) else {
            return nil
        }
        var second: Int64 = 0
        var fraction = 0.0
        if skip(":") {
            guard let number = number(2) else { return nil }
            second = number
            if skip(".") || skip(",") {
                guard let number = self.fraction() else { return nil }
                fraction = number
            }
        }
        guard hour < 24, minute < 60, second < 60, let offset = offset() else { return nil }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    /// Reads an offset from UTC in seconds: `Z`, `+02:00`, `+0200` or `+02`.
    private mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hour = number(2), hour < 24 else { return nil }
        var minute: Int64 = 0
        if skip(":") || !isAtEnd {
            guard let number = number(2), number < 60 else { return nil }
            minute = number
        }
        return (hour * 3600 + minute * 60) * (isNegative ? -1 : 1)
    }

    /// Reads a fraction of a second. Digits after the fifteenth are beyond the precision of a date, and are ignored.
    private mutating func fraction() -> Double? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        guard let number = Int64(String(Substring(digits.prefix(15)))) else { return nil }
        return Double(number) / digits.prefix(15).reduce(1.0) { scale, _ in scale * 10 }
    }

    private mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        rest = rest.dropFirst(count)
        return Int64(String(Substring(digits)))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
