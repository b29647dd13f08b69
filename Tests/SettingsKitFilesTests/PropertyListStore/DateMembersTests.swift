import Foundation
import SettingsKitCore
import SettingsTestSupport
import Testing

@testable import SettingsKitFiles

@Suite("Dates and durations in a property list")
struct DateMembersTests {
    private struct Span: Codable, Equatable { var from = Date.distantPast }

    private let date = Setting<Date>("a", in: .defaults, default: .distantPast)
    private let span = Setting<Span>("a", in: .defaults, default: Span())
    private let pause = Setting<Duration>("a", in: .defaults, default: .zero)

    /// Passes a service over a file with one value, and the path.
    private func withFile<R>(_ element: String, _ body: (SettingsService, String) throws -> R) throws -> R {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/a.plist"
            try write(xml("<key>a</key>\(element)"), to: path)
            return try body(SettingsService.over(PropertyListStore(url: URL(fileURLWithPath: path))).service, path)
        }
    }

    private func load<Value>(_ setting: Setting<Value>, from element: String) throws -> Value {
        try withFile(element) { settings, _ in try settings.load(setting) }
    }

    /// Returns the element in a file after a setting's value was set.
    private func element<Value>(of setting: Setting<Value>, setTo value: Value, over old: String) throws -> String {
        try withFile(old) { settings, path in
            try settings.save(setting, to: value)
            try settings.bringUpToDate()
            let text = String(decoding: try bytes(of: path), as: UTF8.self).filter { $0 != "\n" && $0 != "\t" }
            let start = try #require(text.firstRange(of: "<key>a</key>")).upperBound
            return String(text[start..<(try #require(text.firstRange(of: "</dict></plist>")).lowerBound)])
        }
    }

    @Test(
        "A date is read from each of its forms",
        arguments: [
            ("<date>2001-01-01T00:00:05Z</date>", 5.0), ("<real>5.5</real>", 5.5), ("<integer>5</integer>", 5),
            ("<string>2001-01-01T00:00:05.25Z</string>", 5.25), ("<string>2001-01-01T01:00+01:00</string>", 0),
            ("<string>2001-01-02</string>", 86_400),
        ])
    func dates(element: String, seconds: Double) throws {
        let expected = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try load(date, from: element) == expected)
        #expect(try load(span, from: "<dict><key>from</key>\(element)</dict>").from == expected)
    }

    @Test(
        "A duration is read from each of its forms",
        arguments: [
            ("<string>1m30s</string>", 90_000), ("<string>1.50m</string>", 90_000),
            ("<array><integer>0</integer><integer>1500000000000000000</integer></array>", 1_500),
        ])
    func durations(element: String, milliseconds: Int64) throws {
        #expect(try load(pause, from: element) == .milliseconds(milliseconds))
    }

    @Test(
        "A date that is set stays a date in the file if it has whole seconds, and is text otherwise",
        arguments: [
            ("<date>2001-01-01T00:00:05Z</date>", 60, "<date>2001-01-01T00:01:00Z</date>"),
            ("<date>2001-01-01T00:00:05Z</date>", 60.5, "<string>2001-01-01T00:01:00.5Z</string>"),
            ("<real>5.5</real>", 60, "<string>2001-01-01T00:01:00Z</string>"),
        ])
    func kept(old: String, seconds: Double, new: String) throws {
        let value = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try element(of: date, setTo: value, over: old) == new)
        #expect(
            try element(of: span, setTo: Span(from: value), over: "<dict><key>from</key>\(old)</dict>")
                == "<dict><key>from</key>\(new)</dict>")
    }

    @Test("A duration that is set is text")
    func durationSet() throws {
        let old = "<array><integer>0</integer><integer>1</integer></array>"
        #expect(try element(of: pause, setTo: .seconds(120), over: old) == "<string>2m</string>")
    }

    @Test("A text that is no date or no duration is reported, and the message does not contain it")
    func noDates() throws {
        func message<Value>(of setting: Setting<Value>) throws -> String {
            let error = #expect(throws: SettingsError.self) { try load(setting, from: "<string>sesame</string>") }
            return "\(try #require(error))"
        }
        for (message, expected) in [
            (try message(of: date), "a date in ISO 8601"), (try message(of: pause), "a duration, such as"),
        ] {
            #expect(message.contains("Expected: \(expected)"))
            #expect(!message.contains("sesame") && !message.contains("Array"), "\(message)")
        }
    }
}
