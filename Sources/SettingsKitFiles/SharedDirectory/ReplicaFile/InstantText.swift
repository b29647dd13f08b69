import SettingsKitCore
import SettingsKitPlatform

/// Times as text, `2026-11-21T15:04:05.123Z`: ISO 8601, UTC, always 24 characters.
enum InstantText {
    static let size = 24

    /// Appends the text for a time in milliseconds since 1970. A time without a text becomes the nearest one with a text, because
    /// a clock can show any time.
    static func append(_ milliseconds: Int64, to output: inout [UInt8]) {
        let milliseconds = min(max(milliseconds, 0), Instant.latestMilliseconds)
        CivilTime(secondsSince1970: milliseconds / 1_000).append(to: &output)
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
        guard text.count == size else { return nil }
        var scanner = TimeScanner(Array(text)[...])
        guard let time = scanner.time(), time.isValid, scanner.skip("."), let fraction = scanner.number(3...3),
            scanner.skip("Z")
        else { return nil }
        return Int64(checked: time.secondsSince1970 * 1_000 + fraction, in: 0...Instant.latestMilliseconds)
    }
}
