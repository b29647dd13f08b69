import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Native values and their JSON text", .ownThreads)
struct NativeValueTests {
    private func text(_ value: PropertyListValue) -> String {
        String(decoding: NativeValue.bytes(of: value), as: UTF8.self)
    }

    private func value(_ text: String, resembling old: PropertyListValue? = nil) -> PropertyListValue {
        let value = NativeValue.value(for: Data(text.utf8), resembling: old)
        #expect(NativeValue.bytes(of: value) == Data(text.utf8))
        do {
            let file = try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: value)])
            let read = try PropertyListReader.readDictionary(file)
            #expect(read.map { NativeValue.bytes(of: $0.value) } == [Data(text.utf8)], "after XML")
        } catch {
            Issue.record(error)
        }
        return value
    }

    @Test(
        "Native values and their JSON text: canonical JSON becomes a native value",
        arguments: [
            ("true", PropertyListValue.boolean(true)), ("false", .boolean(false)), ("0", .integer(0)),
            ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
            ("1.5", .real(1.5)), ("-0", .real(-0.0)), ("1e+20", .real(1e20)), ("1e-05", .real(1e-5)),
            ("5e-324", .real(.leastNonzeroMagnitude)),
            ("\"\"", .string("")), ("\"a/b\"", .string("a/b")), ("\"\\\"\\\\\\n\\r\\t\"", .string("\"\\\n\r\t")),
            ("\"é漢😀\u{2028}\u{7F}\"", .string("é漢😀\u{2028}\u{7F}")),
            ("[]", .array([])), ("{}", .dictionary([])),
            ("[1,\"a\",[true]]", .array([.integer(1), .string("a"), .array([.boolean(true)])])),
            (
                "{\"b\":1,\"a\":{\"\":0.5}}",
                .dictionary([
                    PropertyListMember(key: "b", value: .integer(1)),
                    PropertyListMember(key: "a", value: .dictionary([PropertyListMember(key: "", value: .real(0.5))])),
                ])
            ),
            ("{\"\\u0001\":1}", .dictionary([PropertyListMember(key: "\u{1}", value: .integer(1))])),
        ])
    func canonicalJSONBecomesA(text: String, expected: PropertyListValue) {
        #expect(value(text) == expected)
        #expect(self.text(expected) == text)
    }

    @Test(
        "Native values and their JSON text: everything else stays data",
        arguments: [
            "", " ", "null", "[null]", "{\"a\":null}", "1 ", " 1", "[1, 2]", "{\"a\": 1}", "[1,]", "[,1]", "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "\"a\\/b\"", "\"\\u00e9\"", "\"\\u0041\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\u0000\"",
            "\"\\u0001\"",
            "\"\\b\"", "\"\\x\"", "\"\\", "\"\\u12", "\"", "\"a", "\"a\nb\"", "\"\u{1}\"", "\"\u{FFFE}\"", "1.0",
            "1.50",
            "+1", "01", "-", "-00", ".5",
            "1.", "1e5", "1E+20", "1e400", "-1e400", "100000000000000000000", "0.30000000000000000001", "0x10", "1,2",
            "[1",
            "{\"a\":1",
            "{\"a\":1,\"a\":2}", "nan", "inf", "-inf", "Infinity", "True", "tru",
            "truex",
            "hello", "{a:1}",
            "[1]]", "<plist/>", "\u{FEFF}1", "1\n", "[\"a\"\"b\"]", "9007199254740993.0",
        ])
    func everythingElseStaysData(text: String) {
        #expect(value(text) == .data(Data(text.utf8)))
    }

    @Test("Native values and their JSON text: bytes that are not valid UTF-8 stay data")
    func bytesThatAreNot() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0xFF], [0], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(NativeValue.value(for: Data(bytes)) == .data(Data(bytes)))
        }
    }

    @Test("Native values and their JSON text: data stands for itself, and for base 64 inside others")
    func dataStandsForItself() {
        #expect(NativeValue.bytes(of: .data(Data([0xFF, 0x00]))) == Data([0xFF, 0x00]))
        #expect(text(.array([.data(Data([0xFB, 0xFF]))])) == "[\"+/8=\"]")
        #expect(text(.date(0.5)) == "\"2001-01-01T00:00:00.5Z\"")
        #expect(text(.date(700_000_000)) == "\"2023-03-08T20:26:40Z\"")
        #expect(text(.date(252_455_616_000)) == "252455616000")
        #expect(text(.array([.real(.nan), .real(.infinity), .real(-.infinity)])) == "[nan,inf,-inf]")
    }

    @Test(
        "Native values and their JSON text: keeps the kind of the value it replaces",
        arguments: [
            (
                "\"2023-03-08T20:26:41Z\"", PropertyListValue.date(0), PropertyListValue.date(700_000_001)
            ),
            ("\"2023-03-08T20:26:41.5Z\"", .date(0), .string("2023-03-08T20:26:41.5Z")),
            ("\"2023-03-08T20:26:41.0Z\"", .date(0), .string("2023-03-08T20:26:41.0Z")),
            ("\"2023-03-08T21:26:41+01:00\"", .date(0), .string("2023-03-08T21:26:41+01:00")),
            ("\"0000-03-08T20:26:41Z\"", .date(0), .string("0000-03-08T20:26:41Z")),
            ("\"2023-03-08T20:26:41Z\"", .string("x"), .string("2023-03-08T20:26:41Z")),
            ("700000001", .date(0), .integer(700_000_001)),
            ("-0", .date(0), .real(-0.0)),
            ("\"x\"", .date(0), .string("x")),
            ("1", .real(2.5), .real(1)),
            ("1.5", .real(2), .real(1.5)),
            ("9007199254740993", .real(1), .integer(9_007_199_254_740_993)),
            ("10000000000000000", .real(1), .integer(10_000_000_000_000_000)),
            ("18446744073709551615", .real(1), .unsigned(.max)),
            ("1", .integer(2), .integer(1)),
            ("true", .real(1), .boolean(true)),
            ("\"AAE=\"", .data(Data()), .string("AAE=")),
            ("[\"AAE=\"]", .array([.data(Data())]), .array([.data(Data([0, 1]))])),
            ("[\"\"]", .array([.data(Data([1]))]), .array([.data(Data())])),
            (
                "[\"AAF=\",\"AAE\",\"no\"]", .array([.data(Data()), .data(Data()), .data(Data())]),
                .array([.string("AAF="), .string("AAE"), .string("no")])
            ),
            ("[\"AA E=\"]", .array([.data(Data())]), .array([.string("AA E=")])),
            ("[1,1]", .array([.real(0)]), .array([.real(1), .integer(1)])),
            ("-inf", .real(-.infinity), .real(-.infinity)),
            ("inf", .real(1), .data(Data("inf".utf8))),
        ])
    func keepsTheKindOf(text: String, old: PropertyListValue, expected: PropertyListValue) {
        #expect(value(text, resembling: old) == expected)
    }

    @Test("A date keeps its fraction of a second where the property list can hold it")
    func fractions() {
        let text = Data("[\"2023-03-08T20:26:41.5Z\"]".utf8)
        let value = NativeValue.value(for: text, resembling: .array([.date(0)]), allowsFractions: true)
        #expect(value == .array([.date(700_000_001.5)]))
        #expect(NativeValue.bytes(of: value) == text)
    }

    @Test("Native values and their JSON text: keeps kinds by key, in whatever order the keys come")
    func keepsKindsByKey() {
        let old = PropertyListValue.dictionary([
            PropertyListMember(key: "a", value: .real(1)), PropertyListMember(key: "b", value: .date(1)),
            PropertyListMember(
                key: "c", value: .array([.dictionary([PropertyListMember(key: "d", value: .data(Data()))])])),
            PropertyListMember(key: "e", value: .real(1)),
        ])
        let new = value(
            #"{"e":5,"x":6,"c":[{"d":"AQ=="}],"a":7,"b":"2001-01-01T00:00:08Z"}"#, resembling: old)
        let expected = PropertyListValue.dictionary([
            PropertyListMember(key: "e", value: .real(5)), PropertyListMember(key: "x", value: .integer(6)),
            PropertyListMember(
                key: "c", value: .array([.dictionary([PropertyListMember(key: "d", value: .data(Data([1])))])])),
            PropertyListMember(key: "a", value: .real(7)), PropertyListMember(key: "b", value: .date(8)),
        ])
        #expect(new == expected)
    }

    @Test("Native values and their JSON text: a value read from a file and stored unchanged stays as it is")
    func aValueReadFrom() {
        for seed in Rounds.seeds(0..<200) {
            var random = RandomPropertyList(seed: seed)
            for member in random.members(depth: 5) {
                let again = NativeValue.value(for: NativeValue.bytes(of: member.value), resembling: member.value)
                if case .data(let data) = member.value {
                    #expect(NativeValue.bytes(of: again) == data, "seed \(seed)")
                } else {
                    #expect(again == member.value, "seed \(seed)")
                }
            }
        }
    }
}
