import SettingsKitCore
import SettingsKitPlatform

/// Times as text, `2026-11-21T15:04:05.123Z`: ISO 8601, UTC, always 24 characters.
enum InstantText {
    /// The last millisecond of the year 9999, since 1970: a later time would have a longer text.
    private static let latest: Int64 = 253_402_300_799_999

    /// Appends the text for a time in milliseconds since 1970. A time without a text becomes the nearest one with a text, because
    /// a clock can show any time.
    static func append(_ milliseconds: Int64, to output: inout [UInt8]) {
        let milliseconds = min(max(milliseconds, 0), latest)
        CivilTime(secondsSince1970: milliseconds / 1_000).append(to: &output)
        output.append(UInt8(ascii: "."))
        NumberText.append(UInt64(milliseconds % 1_000), width: 3, to: &output)
        output.append(UInt8(ascii: "Z"))
    }

    /// Returns the milliseconds since 1970 for a text. Nil for other texts and for times before 1970.
    static func milliseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count == 24 else { return nil }
        var scanner = TimeScanner(Array(text)[...])
        guard let time = scanner.time(), time.isValid, scanner.skip("."), let fraction = scanner.number(3...3),
            scanner.skip("Z")
        else { return nil }
        return Int64(checked: time.secondsSince1970 * 1_000 + fraction, in: 0...latest)
    }
}
