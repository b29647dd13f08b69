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
            "", "null", "[null]", "1 ", "[1, 2]", "{\"a\": 1}", "[1,]", "{\"a\":}", "\"a\\/b\"", "\"\\u00e9\"",
            "\"\\ud83d\"", "\"\\u0000\"", "\"\\b\"", "\"\\", "\"a\nb\"", "\"\u{FFFE}\"", "1.0", "1.50", "+1", "01",
            "-00", ".5",
            "1e5", "1e400", "100000000000000000000", "0.30000000000000000001", "0x10", "{\"a\":1,\"a\":2}", "nan",
            "Infinity", "truex", "{a:1}", "[1]]", "\u{FEFF}1", "9007199254740993.0",
        ])
    func everythingElseStaysData(text: String) {
        #expect(value(text) == .data(Data(text.utf8)))
    }

    @Test(
        "Native values and their JSON text: keeps the kind of the value it replaces",
        arguments: [
            (
                "\"2023-03-08T20:26:41Z\"", PropertyListValue.date(0), PropertyListValue.date(700_000_001)
            ),
            ("\"2023-03-08T20:26:41.5Z\"", .date(0), .string("2023-03-08T20:26:41.5Z")),
            ("\"2023-03-08T21:26:41+01:00\"", .date(0), .string("2023-03-08T21:26:41+01:00")),
            ("\"2023-03-08T20:26:41Z\"", .string("x"), .string("2023-03-08T20:26:41Z")),
            ("700000001", .date(0), .integer(700_000_001)),
            ("1", .real(2.5), .real(1)),
            ("1.5", .real(2), .real(1.5)),
            ("9007199254740993", .real(1), .integer(9_007_199_254_740_993)),
            ("true", .real(1), .boolean(true)),
            ("\"AAE=\"", .data(Data()), .string("AAE=")),
            ("[\"AAE=\"]", .array([.data(Data())]), .array([.data(Data([0, 1]))])),
            ("[\"AA E=\"]", .array([.data(Data())]), .array([.string("AA E=")])),
            ("[1,1]", .array([.real(0)]), .array([.real(1), .integer(1)])),
            ("-inf", .real(-.infinity), .real(-.infinity)),
            ("inf", .real(1), .data(Data("inf".utf8))),
        ])
    func keepsTheKindOf(text: String, old: PropertyListValue, expected: PropertyListValue) {
        #expect(value(text, resembling: old) == expected)
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
