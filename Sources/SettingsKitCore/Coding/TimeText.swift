#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A date in ISO 8601: `2026-11-22T18:00:00Z`, with a fraction of any length, with an offset such as `+02:00`, or a plain date,
/// which is midnight in UTC. It is written in UTC, with as many digits as its seconds need.
extension Date: TextValue {
    static func value(_ text: String) -> Date? { Date(iso8601: text) }

    var text: String? { iso8601 }

    static var textType: ValueDescription {
        ValueDescription(
            "a date in ISO 8601, such as 2026-11-22T18:00:00Z", json: "string",
            format: "date-time")
    }

    /// Parses a text in ISO 8601; nil if it is no date.
    package init?(iso8601 text: String) {
        var (time, fraction, offset) = ("00:00:00", 0.0, 0.0)
        var rest = text.dropFirst(10)
        if let separator = rest.popFirst() {
            guard "Tt ".contains(separator) else { return nil }
            let hasSeconds = rest.dropFirst(5).first == ":"
            time = hasSeconds ? String(rest.prefix(8)) : "\(rest.prefix(5)):00"
            rest = rest.dropFirst(hasSeconds ? 8 : 5)
            if let mark = rest.first, mark == "." || mark == "," {
                let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
                guard let value = Double("0.\(digits)"), !digits.isEmpty else { return nil }
                fraction = value
                rest = rest[digits.endIndex...]
            }
            guard let seconds = Self.offset(rest) else { return nil }
            offset = seconds
        }
        // Foundation also accepts days that do not exist, and text after the end. What it writes is exact.
        let plain = "\(text.prefix(10))T\(time)Z"
        guard let date = optionalResult(of: { try Date($0, strategy: .iso8601) }, plain),
            date.formatted(.iso8601) == plain
        else { return nil }
        self.init(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate - offset + fraction)
    }

    /// Returns the seconds of an offset from UTC: `Z`, `+02:00`, `+0200` or `+02`.
    private static func offset(_ text: Substring) -> Double? {
        if text == "Z" || text == "z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        let minuteDigits = digits.count == 2 ? "00" : digits.dropFirst(2)
        guard let sign = text.first, sign == "+" || sign == "-", minuteDigits.count == 2, text.count <= 6,
            let hours = UInt8(digits.prefix(2)), hours < 24, let minutes = UInt8(minuteDigits), minutes < 60
        else { return nil }
        return (Double(hours) * 3_600 + Double(minutes) * 60) * (sign == "-" ? -1 : 1)
    }

    /// The text in ISO 8601, in UTC; nil for a time outside of the years 1 to 9999.
    package var iso8601: String? {
        let time = timeIntervalSinceReferenceDate
        // So that a year has four digits.
        guard (-63_114_076_800..<252_423_993_600).contains(time) else { return nil }
        let seconds = time.rounded(.down)
        guard let fraction = Self.fraction(of: time, seconds: seconds) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601).dropLast() + fraction + "Z"
    }

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

/// A duration: numbers with units, the largest unit first, such as `1h30m`, `1.5s` or `250ms`.
///
/// The units are `d`, `h`, `m`, `s`, `ms`, `us` or `µs`, and `ns`. A day has 24 hours. It is written in hours, minutes and seconds, or
/// in the largest smaller unit of which it is a multiple.
extension Duration: TextValue {
    private static let second: Int128 = 1_000_000_000_000_000_000
    private static let units: [(name: String, attoseconds: Int128)] = [
        ("d", 86_400 * second), ("h", 3_600 * second), ("m", 60 * second), ("s", second), ("ms", second / 1_000),
        ("us", second / 1_000_000), ("ns", second / 1_000_000_000),
    ]

    static func value(_ text: String) -> Duration? {
        var rest = text.replacing("\u{B5}", with: "u").replacing("\u{3BC}", with: "u")[...]
        let isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        if rest.isEmpty { return nil }
        var (sum, units) = (Int128(0), units[...])
        while !rest.isEmpty {
            let number = rest.prefix { isDigit($0) || $0 == "." }
            rest = rest.dropFirst(number.count)
            let name = rest.prefix { !isDigit($0) }
            rest = rest.dropFirst(name.count)
            guard let place = units.firstIndex(where: { $0.name == name }),
                let part = attoseconds(number, units[place].attoseconds)
            else { return nil }
            units = units[(place + 1)...]
            let (next, isTooLarge) = sum.addingReportingOverflow(part)
            if isTooLarge { return nil }
            sum = next
        }
        return Duration(attoseconds: isNegative ? -sum : sum)
    }

    /// Returns a decimal number of units; nil if it is no number, too large, or no multiple of an attosecond.
    private static func attoseconds(_ number: Substring, _ unit: Int128) -> Int128? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int128(parts[0]) else { return nil }
        var (sum, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
        if isTooLarge || parts.last?.isEmpty != false { return nil }
        var unit = unit
        for digit in parts.count == 2 ? parts[1] : "" {
            guard let digit = digit.wholeNumberValue, unit.isMultiple(of: 10) || digit == 0 else { return nil }
            if digit == 0, !unit.isMultiple(of: 10) { continue }
            unit /= 10
            (sum, isTooLarge) = sum.addingReportingOverflow(Int128(digit) * unit)
            if isTooLarge { return nil }
        }
        return sum
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    var text: String? {
        // The least duration has no positive counterpart, so its text could not be read.
        if attoseconds == .min { return nil }
        return (attoseconds < 0 ? "-" : "") + Self.text(abs(attoseconds))
    }

    private static func text(_ attoseconds: Int128) -> String {
        if attoseconds > 0, attoseconds < second,
            let unit = units.first(where: { $0.attoseconds < second && attoseconds.isMultiple(of: $0.attoseconds) })
        {
            return "\(attoseconds / unit.attoseconds)\(unit.name)"
        }
        let (minutes, rest) = attoseconds.quotientAndRemainder(dividingBy: 60 * second)
        let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        let text = (hours > 0 ? "\(hours)h" : "") + (minute > 0 ? "\(minute)m" : "")
        if rest == 0, !text.isEmpty { return text }
        var fraction = String(String(second + rest % second).dropFirst())
        while fraction.last == "0" { fraction.removeLast() }
        return text + "\(rest / second)" + (fraction.isEmpty ? "" : ".\(fraction)") + "s"
    }

    static var textType: ValueDescription {
        ValueDescription("a duration, such as 1h30m, 1.5s or 250ms", json: "string")
    }
}
