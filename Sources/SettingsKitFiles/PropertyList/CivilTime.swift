/// A time of the Gregorian calendar in UTC. The calendar is extended in both directions, with a year 0 before year 1, as in
/// ISO 8601.
///
/// It has 64 bits even where `Int` has 32, because these end with the seconds of the year 2038.
struct CivilTime: Equatable {
    var year: Int64
    var month: Int64
    var day: Int64
    var hour: Int64
    var minute: Int64
    var second: Int64

    /// The seconds from 1970-01-01 to 2001-01-01, the reference date of Foundation's `Date`.
    static let secondsToReferenceDate: Int64 = 978_307_200
}

extension CivilTime {
    // The year begins with March, so that the leap day is its last. 400 years have 146,097 days.

    init(secondsSince1970 seconds: Int64) {
        let (days, time) = seconds.quotientAndModulus(by: 86_400)
        let (era, dayOfEra) = (days + 719_468).quotientAndModulus(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
    }

    /// The seconds since 1970. Carries over excess days, hours, minutes and seconds.
    var secondsSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndModulus(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Whether the calendar has this time.
    var isValid: Bool { CivilTime(secondsSince1970: secondsSince1970) == self }

    /// Appends the text, `2026-11-22T18:00:00`. The year must be from 0 to 9999.
    func append(to output: inout [UInt8]) {
        let fields: [(Int64, Int64, String)] = [
            (year, 10_000, "-"), (month, 100, "-"), (day, 100, "T"), (hour, 100, ":"), (minute, 100, ":"),
            (second, 100, ""),
        ]
        for (number, scale, separator) in fields {
            // The first digit keeps the zeros after it.
            output.append(contentsOf: String(scale + number).utf8.dropFirst())
            output.append(contentsOf: separator.utf8)
        }
    }
}

extension Int64 {
    /// Returns the quotient rounded down, and the remainder, which is not negative.
    fileprivate func quotientAndModulus(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the parts of a time's text from the left. Each function returns nil, or false, if other text is there.
struct TimeScanner {
    private(set) var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads as many digits as there are, up to the greatest count.
    mutating func number(_ counts: ClosedRange<Int>) -> Int64? {
        let digits = rest.prefix(counts.upperBound).prefix { (0x30...0x39).contains($0) }
        guard digits.count >= counts.lowerBound else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Reads a day and a time of day, `2026-11-22T18:00:00`, which need not exist.
    mutating func time(years: ClosedRange<Int> = 4...4) -> CivilTime? {
        guard let year = number(years), skip("-"), let month = number(2...2), skip("-"), let day = number(2...2),
            skip("T"), let hour = number(2...2), skip(":"), let minute = number(2...2), skip(":"),
            let second = number(2...2)
        else { return nil }
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}
