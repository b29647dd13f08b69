import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The text of a moment", .ownThreads)
struct InstantTextTests {
    private func milliseconds(_ text: String) -> Int64? { milliseconds(Array(text.utf8)) }

    private func milliseconds(_ text: [UInt8]) -> Int64? { text.withUnsafeBufferPointer(InstantText.milliseconds) }

    @Test(
        "The text of a moment is ISO 8601 with milliseconds, and is read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (999, "1970-01-01T00:00:00.999Z"),
            (1_000, "1970-01-01T00:00:01.000Z"), (86_399_999, "1970-01-01T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (978_307_199_999, "2000-12-31T23:59:59.999Z"),
            (978_307_200_000, "2001-01-01T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (Device.noon, "2026-11-21T12:00:00.000Z"), (Instant.latestMilliseconds, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func isISO8601With(time: Int64, text: String) {
        #expect(InstantText.text(time) == text)
        #expect(milliseconds(text) == time)
    }

    @Test(
        "The text of a moment that no clock can sensibly show is that of the nearest one that it can",
        arguments: [
            (.min, 0), (-1, 0), (Instant.latestMilliseconds + 1, Instant.latestMilliseconds),
            (.max, Instant.latestMilliseconds),
        ] as [(Int64, Int64)])
    func thatNoClockCan(time: Int64, nearest: Int64) {
        #expect(InstantText.text(time) == InstantText.text(nearest))
    }

    @Test("The text of a moment is read back, keeps the order, and is the one that Foundation has")
    func isReadBackKeeps() throws {
        for seed in Rounds.seeds(0..<10) {
            var generator = SeededGenerator(seed: seed)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
            var times = (0..<500).map { _ in Int64.random(in: 0...Instant.latestMilliseconds, using: &generator) }
            times.sort()
            var last = ""
            for time in times {
                let text = InstantText.text(time)
                if milliseconds(text) != time || text < last { Issue.record("seed \(seed), \(time)") }
                let seconds = Date(timeIntervalSince1970: Double(time / 1_000)).formatted(style).dropLast()
                if text.prefix(19) != seconds { Issue.record("seed \(seed), \(time)") }
                last = text
            }
        }
    }

    @Test(
        "The text of a moment has no other form",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00.00Z", "2026-11-21T12:00:00.0000Z",
            " 2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.000Z ", "2026-11-21T12:00:00.000",
            // Other letters, or others' forms.
            "2026-11-21t12:00:00.000Z", "2026-11-21T12:00:00.000z", "2026-11-21 12:00:00.000Z",
            "2026-11-21T12:00:00,000Z",
            "2026/11/21T12:00:00.000Z", "20261121T120000.00000000Z", "2026-11-21T12:00:00+00:00",
            "2026-W47-6T12:00:00.0000Z",
            // Signs.
            "+026-11-21T12:00:00.000Z", "-026-11-21T12:00:00.000Z", "+2026-11-21T12:00:0.000Z",
            "2026-+1-21T12:00:00.000Z",
            "2026-11-21T12:00:00.-00Z", "2026-11-21T12:00:00.+00Z", "-970-01-01T00:00:00.000Z",
            // What there is not.
            "2026-13-21T12:00:00.000Z", "2026-00-21T12:00:00.000Z", "2026-11-31T12:00:00.000Z",
            "2026-11-00T12:00:00.000Z",
            "2026-02-29T12:00:00.000Z", "2100-02-29T12:00:00.000Z", "2026-11-21T24:00:00.000Z",
            "2026-11-21T12:60:00.000Z",
            "2026-11-21T12:00:61.000Z", "2026-11-21T12:00:00.0a0Z", "2026-11-21T12:00:00. 00Z",
            // What no clock shows.
            "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z",
            "10000-01-01T00:00:00.00Z", "9999-12-31T23:59:60.000Z",
            "２０26-11-21T12:00:0Z", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        ])
    func hasNoOtherForm(text: String) {
        #expect(milliseconds(text) == nil)
    }

    @Test(
        "The text of a moment with any byte changed is refused, or is another moment's text",
        arguments: ["2026-11-21T15:04:05.123Z", "2024-02-29T23:59:59.999Z", "1970-01-01T00:00:00.000Z"])
    func withAnyByteChanged(text: String) {
        var bytes = Array(text.utf8)
        for place in bytes.indices {
            let kept = bytes[place]
            for byte in UInt8.min...UInt8.max {
                bytes[place] = byte
                guard let read = milliseconds(bytes) else { continue }
                // A leap second is the first second of the next minute.
                if Array(InstantText.text(read).utf8) != bytes, !bytes[17...].starts(with: "60".utf8) {
                    Issue.record("byte \(byte) at \(place) of \(text)")
                }
            }
            bytes[place] = kept
        }
    }

    @Test("The text of a moment with a leap second is that of the next minute")
    func withALeapSecond() {
        #expect(milliseconds("2016-12-31T23:59:60.500Z") == milliseconds("2017-01-01T00:00:00.500Z"))
    }
}
