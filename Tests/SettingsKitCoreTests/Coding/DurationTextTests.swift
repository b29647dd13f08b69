import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Durations and data as text")
struct DurationTextTests {
    private let form = TextForm<Duration>.standard

    @Test(
        "A duration is numbers with units, the largest unit first",
        arguments: [
            ("0s", .zero), ("1h30m", .seconds(5_400)), ("1.5s", .milliseconds(1_500)), ("250ms", .milliseconds(250)),
            ("2d", .seconds(172_800)), ("0.5d", .seconds(43_200)), ("-1m", .seconds(-60)), ("10us", .microseconds(10)),
            ("10µs", .microseconds(10)), ("10μs", .microseconds(10)), ("7ns", .nanoseconds(7)),
            ("1m1ms", .milliseconds(60_001)),
            ("0.000000000000000001s", Duration(attoseconds: 1)), ("1.50m", .seconds(90)), ("90m", .seconds(5_400)),
        ] as [(String, Duration)])
    func durations(text: String, expected: Duration) { #expect(form.read(text) == expected) }

    @Test(
        "Other texts are no durations",
        arguments: [
            "", "-", "1", "s", "1 s", "1S", "1m1h", "1s1s", "1.s", ".5s", "1..5s", "1e3s", "+1s", "--1s", "1h-1m", "1x",
            "1ms5",
            "0.0000000000000000001s", "0.1ns0.00000000001ns", "999999999999999999999999d", "PT1H", "１s",
            "9223372036854775808000000000000000000s",
        ])
    func noDurations(text: String) { #expect(form.read(text) == nil) }

    @Test(
        "A duration is written in hours, minutes and seconds, or in one smaller unit",
        arguments: [
            (.zero, "0s"), (.seconds(5_400), "1h30m"), (.seconds(3_601), "1h1s"), (.milliseconds(1_500), "1.5s"),
            (.milliseconds(250), "250ms"), (.microseconds(1_500), "1500us"), (.nanoseconds(-7), "-7ns"),
            (.seconds(86_400), "24h"), (Duration(attoseconds: 1), "0.000000000000000001s"),
            (.milliseconds(61_001), "1m1.001s"),
        ] as [(Duration, String)])
    func written(duration: Duration, expected: String) { #expect(form.write(duration) == expected) }

    @Test("Every duration reads as itself, except the least one, which has no text")
    func roundTrip() {
        let seed = UInt64.random(in: .min ... .max)
        print("durations: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            let wide = Int128(truncatingIfNeeded: generator.next()) << 64 | Int128(generator.next())
            let value = Duration(attoseconds: wide >> (round % 127))
            #expect(form.write(value).flatMap(form.read) == value, "seed \(seed)")
        }
        #expect(form.write(Duration(attoseconds: .max)).flatMap(form.read) == Duration(attoseconds: .max))
        #expect(form.write(Duration(attoseconds: .min)) == nil)
    }

    @Test("A setting of a duration takes text from a variable, and stores it")
    func setting() throws {
        let timeout = Setting<Duration>("timeout", in: .defaults, default: .seconds(30))
        let store = MemoryStore()
        let layered = try LayeredStore([.environment(prefix: "P_", ["P_TIMEOUT": "2m"]), .writable(store)])
        #expect(SettingsService(stores: [.defaults: layered], diagnosticSink: .none).get(timeout) == .seconds(120))
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        try settings.set(timeout, fromText: "1.5s")
        #expect(settings.text(of: timeout) == "1.5s")
        #expect(store.get(timeout.key) == Data("\"1.5s\"".utf8))
    }

    @Test("Data is base 64, or digits after hex:")
    func data() {
        let form = TextForm<Data>.standard
        #expect(form.read("hex:00ffAb") == Data([0x00, 0xFF, 0xAB]) && form.read("hex:") == Data())
        #expect(form.read("AP+r") == Data([0x00, 0xFF, 0xAB]) && form.write(Data([0x00, 0xFF, 0xAB])) == "AP+r")
        for text in ["hex:0", "hex:0g", "hex: 00", "HEX:00", "hex:００"] { #expect(form.read(text) == nil) }
    }
}
