/// A duration: numbers with units, the largest unit first, such as `1h30m`, `1.5s` or `250ms`.
///
/// The units are `d`, `h`, `m`, `s`, `ms`, `us` or `µs`, and `ns`. A day has 24 hours. It is written in hours, minutes and seconds, or
/// in the largest smaller unit of which it is a multiple.
extension Duration: TextValue {
    private static let second: UInt128 = 1_000_000_000_000_000_000
    private static let units: [(name: String, attoseconds: UInt128)] = [
        ("d", 86_400 * second), ("h", 3_600 * second), ("m", 60 * second), ("s", second), ("ms", second / 1_000),
        ("us", second / 1_000_000), ("ns", second / 1_000_000_000),
    ]

    static func value(_ text: String) -> Duration? {
        var rest = text.replacing("\u{B5}", with: "u").replacing("\u{3BC}", with: "u").utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        if rest.isEmpty { return nil }
        var (sum, units) = (UInt128(0), units[...])
        while !rest.isEmpty {
            let number = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest.dropFirst(number.count)
            let name = Substring(rest.prefix { !isDigit($0) })
            rest = rest.dropFirst(name.utf8.count)
            guard let place = units.firstIndex(where: { $0.name == name }),
                let part = attoseconds(number, units[place].attoseconds)
            else { return nil }
            units = units[(place + 1)...]
            let (next, isTooLarge) = sum.addingReportingOverflow(part)
            if isTooLarge { return nil }
            sum = next
        }
        guard let magnitude = Int128(exactly: sum) else { return nil }
        return Duration(attoseconds: isNegative ? -magnitude : magnitude)
    }

    /// Returns a decimal number of units; nil if it is no number, too large, or no multiple of an attosecond.
    private static func attoseconds(_ number: Substring.UTF8View, _ unit: UInt128) -> UInt128? {
        let parts = number.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let whole = UInt128(Substring(parts[0])) else {
            return nil
        }
        let (product, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
        if isTooLarge { return nil }
        guard parts.count == 2 else { return product }
        var (fraction, unit) = (UInt128(0), unit)
        for digit in parts[1] {
            if digit == UInt8(ascii: "0"), unit % 10 != 0 { continue }
            guard unit % 10 == 0 else { return nil }
            unit /= 10
            fraction += UInt128(digit - UInt8(ascii: "0")) * unit
        }
        let (sum, isSumTooLarge) = product.addingReportingOverflow(fraction)
        return isSumTooLarge ? nil : sum
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    var text: String? {
        let magnitude = attoseconds.magnitude
        // The least duration has no positive counterpart, so its text could not be read.
        if magnitude > UInt128(Int128.max) { return nil }
        return (attoseconds < 0 ? "-" : "") + Self.text(magnitude)
    }

    private static func text(_ attoseconds: UInt128) -> String {
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
