import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Values as text")
struct TextFormTests {
    private enum Theme: String, Codable, CaseIterable { case light, dark }
    private enum Level: Int, Codable, CaseIterable { case low = 1, high = 10 }
    private enum Open: String, Codable { case one, null }
    private enum Empty: String, Codable, CaseIterable { case none = "" }
    private struct Options: OptionSet, Codable { let rawValue: UInt8 }
    private struct Point: Codable, Equatable { var x: Int, y: Double?, name = "a" }
    private enum Shape: Codable, Equatable { case circle(radius: Int), none }

    private static let seed = UInt64.random(in: .min ... .max)

    private func read<T: Codable & Sendable>(_ type: T.Type, _ text: String) -> T? { TextForm<T>.standard.read(text) }
    private func write<T: Codable & Sendable>(_ value: T) -> String? { TextForm<T>.standard.write(value) }
    private func expected<T: Codable & Sendable>(_ type: T.Type) -> String { TextForm<T>.standard.expected }

    private func roundTrip<T: Codable & Sendable & Equatable>(
        _ values: T..., at location: SourceLocation = #_sourceLocation
    ) {
        let form = TextForm<T>.standard
        for value in values {
            let text = form.write(value)
            let back = text.map { form.read($0) }
            #expect(back == .some(.some(value)), "\(value) is \(text ?? "nothing")", sourceLocation: location)
        }
    }

    @Test("A Boolean is one of eight words in any case, and nothing else")
    func booleans() {
        for text in ["true", "YES", "On", "1", "tRuE"] { #expect(read(Bool.self, text) == true) }
        for text in ["false", "no", "OFF", "0"] { #expect(read(Bool.self, text) == false) }
        for text in ["", " true", "2", "y", "truex", "00", "ｔｒｕｅ"] { #expect(read(Bool.self, text) == nil) }
        #expect(write(true) == "true" && write(false) == "false" && expected(Bool.self) == "true or false")
        #expect(TextForm<Bool>.standard.isFlag && TextForm<Bool?>.standard.isFlag && !TextForm<Int>.standard.isFlag)
    }

    @Test("An integer is decimal, and within its type")
    func integers() {
        #expect(read(Int.self, "9000") == 9000 && read(Int.self, "-5") == -5)
        for text in ["", " 1", "1 ", "0x10", "1.0", "1e3", "1_000", "eighty", "９", "9223372036854775808"] {
            #expect(read(Int.self, text) == nil)
        }
        #expect(read(UInt8.self, "255") == 255 && read(UInt8.self, "256") == nil && read(UInt8.self, "-1") == nil)
        roundTrip(Int.min, .max, 0, -1)
        roundTrip(UInt64.max, 0)
        #expect(expected(Int.self) == "an integer" && expected(UInt.self) == "an integer of at least 0")
        #expect(expected(UInt16.self) == "an integer from 0 to 65535")
    }

    @Test("A number is decimal, finite, and written in the fewest digits")
    func numbers() {
        #expect(read(Double.self, "0.8") == 0.8 && read(Double.self, "1e3") == 1000 && read(Double.self, "-.5") == -0.5)
        for text in ["", "nan", "inf", "-infinity", "0x1p3", "1e999", "1,5", " 1", "١"] {
            #expect(read(Double.self, text) == nil)
        }
        #expect(write(1.0) == "1" && write(0.1) == "0.1" && write(Double.nan) == nil && write(-Double.infinity) == nil)
        roundTrip(0.1, -0.0, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, 1 / 3)
        roundTrip(Float.greatestFiniteMagnitude, 0.1, -7)
        roundTrip(Decimal(string: "123456789012345678901234567.89") ?? 0, Decimal(-0.5))
        #expect(read(Decimal.self, "12abc") == nil && read(Decimal.self, "1.5") == Decimal(1.5))
    }

    @Test("A string is the text itself, and an enumeration is its raw value, with its cases named")
    func stringsAndCases() {
        for text in ["", "123", "null", "\"a\"", " a\n", "true", "é🎉\u{0}"] {
            #expect(read(String.self, text) == text && write(text) == text)
        }
        #expect(read(Theme.self, "dark") == .dark && read(Theme.self, "Dark") == nil)
        #expect(read(Level.self, "10") == .high && read(Level.self, "2") == nil && write(Level.high) == "10")
        #expect(expected(Theme.self) == "one of light, dark" && expected(Level.self) == "one of 1, 10")
        #expect(expected(Open.self) == "a raw value of Open")
        roundTrip(Options(rawValue: 5), [])
        roundTrip(Open.one, .null)
        roundTrip(Empty.none)
    }

    @Test("The nil of an optional is null, also that of an optional text")
    func optionals() {
        #expect(read(Int?.self, "null") == .some(nil) && read(Int?.self, "5") == .some(5) && read(Int?.self, "") == nil)
        #expect(write(Int?.none) == "null" && write(Int?.some(3)) == "3" && write(String?.some("null")) == "null")
        #expect(read(String?.self, "") == "" && read(String?.self, "null") == .some(nil))
        roundTrip(String?.none, "", "\"null\"", "\"a\"", "\"", "\"\"", "null\"")
        roundTrip(Open?.none, .one)
        roundTrip(Date?.none, Date(timeIntervalSinceReferenceDate: 0.25))
        roundTrip([String]?.none, [], ["null"])
        roundTrip(Point?.none, Point(x: 1, y: nil))
        roundTrip(Int??.none, .some(1))
        roundTrip(Data?.none, Data())
        #expect(expected(Int?.self) == "an integer" && expected(Theme?.self) == "one of light, dark")
    }

    @Test("Dictionaries and structures are JSON, and lists are written as JSON")
    func json() {
        #expect(write(["b": 1, "a": 2]) == #"{"a":2,"b":1}"# && write(Set(["b", "a", "c"])) == #"["a","b","c"]"#)
        roundTrip([[1], []])
        roundTrip(Point(x: 1, y: 0.5), Point(x: -1, y: nil, name: "\"\n"))
        roundTrip(Shape.circle(radius: 3), .none)
        #expect(write([Double.nan]) == nil)
        #expect(read([[Int]].self, String(repeating: "[", count: 100_000)) == nil)
    }

    @Test("A setting with a transformer takes JSON whatever its type is")
    func transformers() {
        let (text, number) = (TextForm<String>.transformed, TextForm<Int?>.transformed)
        #expect(text.read("\"a\"") == "a" && text.read("a") == nil && text.write("a") == "\"a\"")
        #expect(number.read("null") == .some(nil) && number.write(nil) == "null")
        #expect(text.expected == "a value in JSON" && !TextForm<Bool>.transformed.isFlag)
        let bytes = TextForm<String>.storedBytes(StoredForm(JSONTransformer<String>()))
        #expect(bytes.write("a") == "ImEi" && bytes.read("ImEi") == "a" && bytes.read("?") == nil)
        #expect(bytes.read("YQ==") == nil)
    }

    @Test("Data is base 64, or digits after hex:, and URLs and UUIDs are as usual")
    func othersFromFoundation() {
        #expect(read(Data.self, "hex:00ffAb") == Data([0x00, 0xFF, 0xAB]) && read(Data.self, "hex:") == Data())
        #expect(read(Data.self, "AP+r") == Data([0x00, 0xFF, 0xAB]) && write(Data([0x00, 0xFF, 0xAB])) == "AP+r")
        for text in ["A", "AA EC", "hex:0", "hex:0g", "hex: 00", "HEX:00", "hex:００"] {
            #expect(read(Data.self, text) == nil)
        }
        roundTrip(URL(string: "https://example.com/a?b=%20c#d") ?? URL(filePath: "/"), URL(filePath: "/tmp/a b"))
        roundTrip(UUID())
        #expect(read(URL.self, "") == nil && read(UUID.self, "no") == nil)
    }

    // MARK: Dates

    @Test(
        "A date is in ISO 8601",
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01 00:00:01z", 1),
            ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T19:30-0430", 0), ("2001-01-01T01:00:00.25+01", 0.25),
            ("2001-01-01T00:00:00,125Z", 0.125), ("2026-11-22T18:07:34Z", 817_063_654),
            ("1970-01-01T00:00Z", -978_307_200), ("2000-02-29", -26_524_800), ("0001-01-01T00:00:00Z", -63_114_076_800),
            ("2001-01-01T00:00:00.12345678901234567890Z", 0.123456789012345678),
        ])
    func dates(text: String, time: Double) {
        #expect(read(Date.self, text)?.timeIntervalSinceReferenceDate == time)
    }

    @Test(
        "A text that is no date is refused",
        arguments: [
            "", "now", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-00-10", "2026-01-32", "2026-11-22T18:00:00",
            "2026-11-22T25:00Z", "2026-11-22T18:60Z", "2026-11-22T18:00:00.Z", "2026-11-22T18Z", "2026-11-22T18:00Zz",
            "2026-11-22T18:00+24:00", "2026-11-22T18:00+1", " 2026-11-22", "2026-11-22Z", "20261122", "１234-01-01",
        ])
    func noDates(text: String) { #expect(read(Date.self, text) == nil) }

    @Test("A date is written with as many digits as it needs, a whole one as Foundation writes it")
    func datesWritten() {
        #expect(write(Date(timeIntervalSinceReferenceDate: -0.5)) == "2000-12-31T23:59:59.5Z")
        #expect(write(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
        #expect(write(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
        roundTrip(Date.distantPast, .distantFuture, Date(), Date(timeIntervalSince1970: 0.001))
        var generator = SeededGenerator(seed: Self.seed)
        for _ in 0..<5_000 {
            let time = Double.random(in: -6e10...2e11, using: &generator)
            let date = Date(timeIntervalSinceReferenceDate: time)
            let whole = Date(timeIntervalSinceReferenceDate: time.rounded())
            let foundation = Date.ISO8601FormatStyle().format(whole)
            guard write(date).flatMap({ read(Date.self, $0) }) == date, write(whole) == foundation,
                read(Date.self, foundation) == whole
            else {
                Issue.record("\(time) does not come back, or differs from \(foundation), seed \(Self.seed)")
                return
            }
        }
    }

    // MARK: Durations

    @Test(
        "A duration is numbers with units, the largest unit first",
        arguments: [
            ("0s", .zero), ("1h30m", .seconds(5_400)), ("1.5s", .milliseconds(1_500)), ("250ms", .milliseconds(250)),
            ("2d", .seconds(172_800)), ("0.5d", .seconds(43_200)), ("-1m", .seconds(-60)), ("10us", .microseconds(10)),
            ("10µs", .microseconds(10)), ("10μs", .microseconds(10)), ("7ns", .nanoseconds(7)),
            ("1m1ms", .milliseconds(60_001)), ("0.000000000000000001s", Duration(attoseconds: 1)),
            ("1.50m", .seconds(90)), ("90m", .seconds(5_400)),
        ] as [(String, Duration)])
    func durations(text: String, expected: Duration) { #expect(read(Duration.self, text) == expected) }

    @Test(
        "Other texts are no durations",
        arguments: [
            "", "-", "1", "s", "1 s", "1S", "1m1h", "1s1s", "1.s", ".5s", "1..5s", "1e3s", "+1s", "--1s", "1h-1m", "1x",
            "1ms5", "0.0000000000000000001s", "0.1ns0.00000000001ns", "999999999999999999999999d", "PT1H", "１s",
            "9223372036854775808000000000000000000s",
        ])
    func noDurations(text: String) { #expect(read(Duration.self, text) == nil) }

    @Test(
        "A duration is written in hours, minutes and seconds, or in one smaller unit",
        arguments: [
            (.zero, "0s"), (.seconds(5_400), "1h30m"), (.seconds(3_601), "1h1s"), (.milliseconds(1_500), "1.5s"),
            (.milliseconds(250), "250ms"), (.microseconds(1_500), "1500us"), (.nanoseconds(-7), "-7ns"),
            (.seconds(86_400), "24h"), (Duration(attoseconds: 1), "0.000000000000000001s"),
            (.milliseconds(61_001), "1m1.001s"),
        ] as [(Duration, String)])
    func durationsWritten(duration: Duration, expected: String) { #expect(write(duration) == expected) }

    @Test("Every duration reads as itself, except the least one, which has no text")
    func everyDuration() {
        var generator = SeededGenerator(seed: Self.seed)
        for round in 0..<2_000 {
            let wide = Int128(truncatingIfNeeded: generator.next()) << 64 | Int128(generator.next())
            let value = Duration(attoseconds: wide >> (round % 127))
            #expect(write(value).flatMap { read(Duration.self, $0) } == value, "seed \(Self.seed)")
        }
        roundTrip(Duration(attoseconds: .max))
        #expect(write(Duration(attoseconds: .min)) == nil)
    }

    // MARK: JSON and the guide

    @Test(
        "Each text in the guide's table is a value of its row's type",
        arguments: [
            ("`Bool`", 8, isText(of: Bool.self)), ("integers", 1, isText(of: Int.self)),
            ("`Double`, `Float`, `Decimal`", 2, isText(of: Double.self)), ("`String`", 1, isText(of: String.self)),
            ("`Date`", 2, isText(of: Date.self)), ("`Duration`", 3, isText(of: Duration.self)),
            ("`Data`", 2, isText(of: Data.self)), ("an optional", 1, isText(of: String?.self)),
            ("arrays and sets of the types above", 2, isText(of: [String].self)),
        ])
    func guide(row: String, count: Int, isText: @Sendable (String) -> Bool) throws {
        let guide = try Guide("ValidatingValues").text
        let table = try #require(guide.firstRange(of: "\n## Text\n").map { guide[$0.upperBound...] })
        let line = try #require(table.split(separator: "\n").first { $0.hasPrefix("| \(row) |") })
        let texts = line.dropFirst("| \(row) |".count).split(separator: "`", omittingEmptySubsequences: false)
        // The texts are between the marks, and after them the names of units, which are none.
        for (place, text) in texts.enumerated() where !place.isMultiple(of: 2) && place < 2 * count {
            #expect(isText(String(text)), "\(text)")
        }
        #expect(texts.count > 2 * count)
    }

    private static func isText<T: Codable & Sendable>(of type: T.Type) -> @Sendable (String) -> Bool {
        { TextForm<T>.standard.read($0) != nil }
    }
}
