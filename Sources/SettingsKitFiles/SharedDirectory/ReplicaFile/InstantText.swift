import SettingsKitPlatform

/// Times as text, `2026-11-21T15:04:05.123Z`: ISO 8601, UTC, always 24 characters.
enum InstantText {
    static let size = 24
    /// The seconds from 1970 to 2001.
    private static let referenceSeconds = 978_307_200.0

    /// Appends the text for a time in milliseconds since 1970. A time without a text becomes the nearest one with a text, because
    /// a clock can show any time.
    static func append(_ milliseconds: Int64, to output: inout [UInt8]) {
        let milliseconds = min(max(milliseconds, 0), Instant.latestMilliseconds)
        GregorianDate.append(Double(milliseconds / 1_000) - referenceSeconds, to: &output)
        output.removeLast()
        output.append(UInt8(ascii: "."))
        NumberText.append(UInt64(milliseconds % 1_000), width: 3, to: &output)
        output.append(UInt8(ascii: "Z"))
    }

    /// Returns the text for a time in milliseconds since 1970.
    static func text(_ milliseconds: Int64) -> String {
        var output: [UInt8] = []
        append(milliseconds, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the milliseconds since 1970 for a text. Nil for other texts and for times before 1970.
    static func milliseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count == size, text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z") else { return nil }
        var fraction: Int64 = 0
        for index in 20..<23 {
            guard let digit = text[index].digit(radix: 10) else { return nil }
            fraction = fraction * 10 + Int64(digit)
        }
        let whole = text[..<19] + [UInt8(ascii: "Z")]
        let date = XMLText(bytes: Array(whole), range: 0..<20, isASCII: true)
        guard let seconds = GregorianDate.seconds(date).flatMap({ Int64(exactly: $0 + referenceSeconds) }),
            let milliseconds = seconds.multiplied(byChecked: 1_000)?.adding(checked: fraction)
        else { return nil }
        return Int64(checked: milliseconds, in: 0...Instant.latestMilliseconds)
    }
}
