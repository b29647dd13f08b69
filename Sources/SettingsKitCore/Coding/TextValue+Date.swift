#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A date in ISO 8601: `2026-11-22T18:00:00Z`, with a fraction of any length, with an offset such as `+02:00`, or a plain date,
/// which is midnight in UTC. It is written in UTC, with as many digits as its seconds need.
extension Date: TextValue {
    static func value(_ text: String) -> Date? {
        var scanner = TimeScanner(Array(text.utf8)[...])
        guard let date = scanner.date(), scanner.isAtEnd else { return nil }
        return date
    }

    var text: String? {
        let time = timeIntervalSinceReferenceDate
        // Years from 0 to 9999, so that a year has four digits.
        guard time.isFinite, abs(time) < 1e12 else { return nil }
        let seconds = time.rounded(.down)
        let civil = CivilTime(secondsSince1970: Int64(seconds) + CivilTime.secondsToReferenceDate)
        guard let text = civil.text, let fraction = Self.fraction(of: time, seconds: seconds) else { return nil }
        return text + fraction + "Z"
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
        for _ in 1...15 {
            scale *= 10
            let digits = ((time - seconds) * scale).rounded()
            if digits < scale, seconds + digits / scale == time {
                // The first digit keeps the zeros after it.
                return ".\(String(Int64(scale + digits)).dropFirst())"
            }
        }
        return nil
    }
}

extension TimeScanner {
    fileprivate mutating func date() -> Date? {
        guard var time = day(), time.isValid else { return nil }
        if isAtEnd { return Self.date(time) }
        guard skip("T") || skip("t") || skip(" "), let hour = number(2...2), skip(":"), let minute = number(2...2)
        else { return nil }
        (time.hour, time.minute) = (hour, minute)
        var fraction = 0.0
        if skip(":") {
            guard let number = number(2...2) else { return nil }
            time.second = number
            if skip(".") || skip(",") {
                guard let number = self.fraction() else { return nil }
                fraction = number
            }
        }
        guard time.isValid, time.second < 60, let offset = offset() else { return nil }
        time.second -= offset
        return Self.date(time, fraction)
    }

    private static func date(_ time: CivilTime, _ fraction: Double = 0) -> Date {
        Date(
            timeIntervalSinceReferenceDate: Double(time.secondsSince1970 - CivilTime.secondsToReferenceDate) + fraction)
    }

    /// Reads an offset from UTC in seconds: `Z`, `+02:00`, `+0200` or `+02`.
    private mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hour = number(2...2), hour < 24 else { return nil }
        var minute: Int64 = 0
        if skip(":") || !isAtEnd {
            guard let number = number(2...2), number < 60 else { return nil }
            minute = number
        }
        return (hour * 3600 + minute * 60) * (isNegative ? -1 : 1)
    }

    /// Reads a fraction of a second. Digits after the fifteenth are beyond the precision of a date, and are ignored.
    private mutating func fraction() -> Double? {
        let count = rest.count
        guard let number = number(1...15) else { return nil }
        let scale = (0..<count - rest.count).reduce(1.0) { scale, _ in scale * 10 }
        while self.number(1...15) != nil {}
        return Double(number) / scale
    }
}
