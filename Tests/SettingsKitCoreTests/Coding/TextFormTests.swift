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

    private func read<T: Codable & Sendable>(_ type: T.Type, _ text: String) -> T? { TextForm<T>.standard.read(text) }
    private func write<T: Codable & Sendable>(_ value: T) -> String? { TextForm<T>.standard.write(value) }

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
        for text in ["", " true", "2", "y", "t", "truex", "00", "ｔｒｕｅ"] { #expect(read(Bool.self, text) == nil) }
        #expect(write(true) == "true" && write(false) == "false")
        #expect(TextForm<Bool>.standard.isFlag && TextForm<Bool?>.standard.isFlag && !TextForm<Int>.standard.isFlag)
        #expect(TextForm<Bool>.standard.expected == "true or false")
    }

    @Test("An integer is decimal, and within its type")
    func integers() {
        #expect(read(Int.self, "9000") == 9000)
        #expect(read(Int.self, "-5") == -5)
        for text in ["", " 1", "1 ", "0x10", "1.0", "1e3", "1_000", "eighty", "９"] {
            #expect(read(Int.self, text) == nil)
        }
        #expect(read(UInt8.self, "255") == 255 && read(UInt8.self, "256") == nil && read(UInt8.self, "-1") == nil)
        #expect(read(Int.self, "9223372036854775808") == nil)
        roundTrip(Int.min, .max, 0, -1)
        roundTrip(UInt64.max, 0)
        roundTrip(Int8.min, .max)
        #expect(TextForm<Int>.standard.expected == "an integer")
        #expect(TextForm<UInt16>.standard.expected == "an integer from 0 to 65535")
        #expect(TextForm<UInt>.standard.expected == "an integer of at least 0")
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

    @Test("A string is the text itself")
    func strings() {
        for text in ["", "123", "null", "\"a\"", " a\n", "true", "é🎉\u{0}"] {
            #expect(read(String.self, text) == text && write(text) == text)
        }
    }

    @Test("An enumeration is its raw value, and its cases are named")
    func enumerations() {
        #expect(read(Theme.self, "dark") == .dark && read(Theme.self, "Dark") == nil)
        #expect(TextForm<Theme>.standard.expected == "one of light, dark")
        #expect(read(Level.self, "10") == .high && read(Level.self, "2") == nil && write(Level.high) == "10")
        #expect(TextForm<Level>.standard.expected == "one of 1, 10")
        #expect(TextForm<Open>.standard.expected == "a raw value of Open")
        roundTrip(Theme.light, .dark)
        roundTrip(Options(rawValue: 5), [])
        roundTrip(Open.one, .null)
        roundTrip(Empty.none)
    }

    @Test("The nil of an optional is null, and no value is mistaken for it")
    func optionals() {
        #expect(read(Int?.self, "null") == .some(nil) && read(Int?.self, "5") == .some(5) && read(Int?.self, "") == nil)
        #expect(write(Int?.none) == "null" && write(Int?.some(3)) == "3")
        #expect(read(String?.self, "") == "" && read(String?.self, "null") == .some(nil))
        #expect(write(String?.some("null")) == "\"null\"")
        roundTrip(String?.none, "", "null", "\"null\"", "\"\"null\"\"", "\"a\"", "\"", "\"\"", "null\"")
        roundTrip(Open?.none, .null, .one)
        roundTrip(Bool?.none, true)
        roundTrip(Date?.none, Date(timeIntervalSinceReferenceDate: 0.25))
        roundTrip([String]?.none, [], ["null"])
        roundTrip(Point?.none, Point(x: 1, y: nil))
        roundTrip(Int??.none, .some(1))
        roundTrip(Data?.none, Data())
        #expect(TextForm<Int?>.standard.expected == "an integer")
        #expect(TextForm<Theme?>.standard.expected == "one of light, dark")
    }

    @Test("Dictionaries and structures are JSON, and lists are written as JSON")
    func json() {
        #expect(write(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
        #expect(write(Set(["b", "a", "c"])) == #"["a","b","c"]"#)
        roundTrip([[1], []])
        roundTrip(["a/b": true])
        roundTrip(Point(x: 1, y: 0.5), Point(x: -1, y: nil, name: "\"\n"))
        roundTrip(Shape.circle(radius: 3), .none)
        #expect(write([Double.nan]) == nil)
        let nested = String(repeating: "[", count: 100_000)
        #expect(read([[Int]].self, nested) == nil)
    }

    @Test("A setting with a transformer takes JSON whatever its type is")
    func transformers() {
        #expect(TextForm<String>.transformed.read("\"a\"") == "a" && TextForm<String>.transformed.read("a") == nil)
        #expect(
            TextForm<Int?>.transformed.read("null") == .some(nil) && TextForm<Int?>.transformed.write(nil) == "null")
        #expect(
            TextForm<String>.transformed.write("a") == "\"a\""
                && TextForm<String>.transformed.expected == "a value in JSON")
        #expect(!TextForm<Bool>.transformed.isFlag)
        let bytes = TextForm<String>.storedBytes(StoredForm(JSONTransformer<String>()))
        #expect(bytes.write("a") == "ImEi" && bytes.read("ImEi") == "a" && bytes.read("?") == nil)
        #expect(bytes.read("YQ==") == nil)
    }

    @Test("Data is base 64; URLs and UUIDs are as usual")
    func othersFromFoundation() {
        #expect(
            read(Data.self, "AAEC") == Data([0, 1, 2]) && read(Data.self, "A") == nil && read(Data.self, "AA EC") == nil
        )
        roundTrip(Data(), Data([255]), Data(0...255))
        roundTrip(URL(string: "https://example.com/a?b=%20c#d") ?? URL(filePath: "/"), URL(filePath: "/tmp/a b"))
        #expect(read(URL.self, "") == nil)
        roundTrip(UUID())
        #expect(read(UUID.self, "no") == nil)
    }

    @Test(
        "A date is in ISO 8601",
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01 00:00:01z", 1),
            ("2001-01-01T02:00:00+02:00", 0),
            ("2000-12-31T19:30-0430", 0), ("2001-01-01T01:00:00.25+01", 0.25), ("2001-01-01T00:00:00,125Z", 0.125),
            ("2026-11-22T18:07:34Z", 817_063_654), ("1970-01-01T00:00Z", -978_307_200), ("2000-02-29", -26_524_800),
            ("0001-01-01T00:00:00Z", -63_113_904_000), ("2001-01-01T00:00:00.12345678901234567890Z", 0.123456789012345),
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
    func noDates(text: String) {
        #expect(read(Date.self, text) == nil)
    }

    @Test("A date is written with as many digits as it needs")
    func datesWritten() {
        #expect(write(Date(timeIntervalSinceReferenceDate: 817_063_654)) == "2026-11-22T18:07:34Z")
        #expect(write(Date(timeIntervalSinceReferenceDate: -0.5)) == "2000-12-31T23:59:59.5Z")
        #expect(write(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
        #expect(write(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
        roundTrip(Date.distantPast, .distantFuture, Date(), Date(timeIntervalSince1970: 0.001))
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let time = Double.random(in: -6e10...2e11, using: &generator)
            let date = Date(timeIntervalSinceReferenceDate: time)
            guard let text = write(date), read(Date.self, text) == date else {
                Issue.record("\(time) does not come back, seed \(seed)")
                return
            }
            // Foundation's calendar is the Julian one before 1582.
            if time < -1.3e10 { continue }
            let whole = Date(timeIntervalSinceReferenceDate: time.rounded())
            let foundation = Date.ISO8601FormatStyle().format(whole)
            guard write(whole) == foundation, read(Date.self, foundation) == whole else {
                Issue.record("\(time) differs from Foundation's text \(foundation), seed \(seed)")
                return
            }
        }
    }

    @Test("The text of a value becomes JSON, and comes back")
    func jsonOfTexts() throws {
        func json<T: Codable & Sendable>(_ value: T) -> String? {
            TextForm<T>.standard.write(value).map(TextForm<T>.standard.type.json)
        }
        #expect(json(5) == "5" && json(true) == "true" && json(0.5) == "0.5" && json("a\"\u{1B}") == #""a\"\u001b""#)
        #expect(json([1]) == "[1]" && json(String?.none) == "null" && json(String?.some("null")) == "\"null\"")
        #expect(json(Theme.dark) == "\"dark\"" && json(Int?.none) == "null" && json(Data([1])) == "\"AQ==\"")

        func text<T: Codable & Sendable>(_ type: T.Type, _ json: JSONValue) -> String? {
            TextForm<T>.standard.type.text(of: json)
        }
        #expect(text(Int.self, .integer(5)) == "5" && text(Int.self, .string("5")) == "5")
        #expect(text(String.self, .string("5")) == "5" && text(String.self, .integer(5)) == nil)
        #expect(text(String?.self, .null) == "null" && text(String?.self, .string("null")) == "\"null\"")
        #expect(text([Int].self, .array([.integer(1)])) == "[1]" && text(Bool.self, .bool(true)) == "true")
        #expect(text(Shape.self, .object(["none": .object([:])])) == #"{"none":{}}"#)
        #expect(text(Bool.self, .null) == "null")
    }

    @Test(
        "Each text in the guide's table is a value of its row's type",
        arguments: [
            ("`Bool`", 8, isText(of: Bool.self)), ("integers", 1, isText(of: Int.self)),
            ("`Double`, `Float`, `Decimal`", 2, isText(of: Double.self)), ("`String`", 1, isText(of: String.self)),
            ("`Date`", 2, isText(of: Date.self)), ("`Duration`", 3, isText(of: Duration.self)),
            ("`Data`", 2, isText(of: Data.self)), ("an optional", 2, isText(of: String?.self)),
            ("arrays and sets of the types above", 3, isText(of: [String].self)),
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
