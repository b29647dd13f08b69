import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

/// A value of a setting, and the object that an app without SettingsKit has for it.
private struct Native: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (SettingsService, UserDefaults) throws -> Void

    init<Value: Codable & Equatable & Sendable>(
        _ value: Value, insteadOf default: Value, _ object: any Sendable & Equatable
    ) {
        testDescription = "\(Value.self) \(value)"
        let setting = Setting<Value>("x", in: .defaults, default: `default`)
        check = { service, defaults in
            defaults.set(object, forKey: "x")
            #expect(try service.load(setting) == value)
            service.reset(setting)
            #expect(defaults.object(forKey: "x") == nil)
            try service.save(setting, to: value)
            #expect((defaults.object(forKey: "x") as? NSObject)?.isEqual(object) == true)
        }
    }
}

private let natives = [
    Native(true, insteadOf: false, true), Native(-7, insteadOf: 0, -7),
    Native((1 << 53) + 1, insteadOf: 0, (1 << 53) + 1), Native(UInt64.max, insteadOf: 0, UInt64.max),
    Native(0.25, insteadOf: 0, 0.25),
    Native("text", insteadOf: "", "text"), Native(Data([0, 255]), insteadOf: Data(), Data([0, 255])),
    Native(["a", "b"], insteadOf: [], ["a", "b"]),
    Native(["a": ["b": true]], insteadOf: [:], ["a": ["b": true]]),
    Native(Date(timeIntervalSince1970: 1), insteadOf: .distantPast, "1970-01-01T00:00:01Z"),
    Native(Duration.seconds(120), insteadOf: .zero, "2m"),
]

@Suite("Settings in UserDefaults are native values")
struct NativeValueTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// A service over a suite, and the suite as an app without SettingsKit has it.
    private func withService(_ body: (SettingsService, UserDefaults) throws -> Void) throws {
        try withSuite { name in
            let problems = Recorder<SettingsError>()
            let service = SettingsService(
                defaults: UserDefaultsStore(suite: name), diagnosticSink: .init { problems.append($0) })
            try body(service, try #require(UserDefaults(suiteName: name)))
            #expect(problems.all.isEmpty)
        }
    }

    @Test(
        "A value that an app has stored reads as a setting of its type, and a setting stores the same",
        arguments: natives)
    private func forms(native: Native) throws { try withService(native.check) }

    @Test("A large real is exactly its number, whichever type the setting has")
    func largeReals() throws {
        try withService { service, defaults throws in
            let number = 9_223_372_036_854_774_784
            defaults.set([Double(number)], forKey: "list")
            #expect(try service.load(Setting<[UInt64]>("list", in: .defaults, default: [])) == [UInt64(number)])
            #expect(try service.load(Setting<[Decimal]>("list", in: .defaults, default: [])) == [Decimal(number)])
        }
    }

    @Test("A native date stays a date when a whole second is written back, and no fraction is rounded away")
    func date() throws {
        try withService { service, defaults in
            defaults.set(Self.date, forKey: "date")
            let setting = Setting<Date?>("date", in: .defaults)
            try service.save(setting, to: Self.date.addingTimeInterval(5))
            #expect(defaults.object(forKey: "date") as? Date == Self.date.addingTimeInterval(5))
            try service.save(setting, to: Self.date.addingTimeInterval(0.125))
            #expect(try service.load(setting) == Self.date.addingTimeInterval(0.125))
        }
    }

    @Test("JSON that another library has stored as data is read, and replaced by a native value")
    func storedJSON() throws {
        try withService { service, defaults in
            let number = Setting<Int>("number", in: .defaults, default: 1)
            defaults.set(Data("7".utf8), forKey: "number")
            #expect(try service.load(number) == 7)
            try service.save(number, to: 8)
            #expect(defaults.data(forKey: "number") == nil && defaults.integer(forKey: "number") == 8)
        }
    }

    // MARK: URLs

    /// No folder of these exists: of one that does, `url(forKey:)` adds a slash.
    private static let files = [
        "file:///tmp/missing%20folder/a%20b.txt", "file:///tmp/m%C3%A4%C3%9Fig/%F0%9F%8E%B5.mp3",
        "file:///tmp/missing/folder/", "file:///tmp/missing%25.txt", "file:///~/missing.txt",
        URL(fileURLWithPath: NSHomeDirectory() + "/missing folder/a.txt").absoluteString,
    ]
    private static let others = [
        "https://example.com/a%20b?q=1#f", "mailto:ann@example.com", "relative/path", "~/path",
        "file://host/path", "file:///path?query",
    ]

    @Test(
        "A URL is read as UserDefaults reads it, comes back, and other code reads that of a file",
        arguments: files + others)
    func urls(text: String) throws {
        try withService { service, defaults in
            let setting = Setting<URL?>("url", in: .defaults)
            let url = try #require(URL(string: text))
            defaults.set(url, forKey: "url")
            #expect(service.get(setting)?.absoluteURL == defaults.url(forKey: "url")?.absoluteURL)
            try service.save(setting, to: url)
            #expect(service.get(setting)?.absoluteString == text)
            if Self.files.contains(text) { #expect(defaults.url(forKey: "url")?.absoluteString == text) }
        }
    }

    @Test(
        "Paths are read as UserDefaults reads them, and a string with a scheme as the URL that it spells",
        arguments: ["/a b", "~/a", "/a/b/", "/a%20b", "relative", "~missing-user/a", "/a:b"])
    func paths(path: String) throws {
        try withService { service, defaults in
            let setting = Setting<URL?>("url", in: .defaults)
            defaults.set(path, forKey: "url")
            // Also a name that was read before as something else.
            #expect(service.get(Setting<String>("url", in: .defaults, default: "")) == path)
            #expect(service.get(setting)?.absoluteURL == defaults.url(forKey: "url")?.absoluteURL)
            defaults.set("https://example.com/a", forKey: "url")
            #expect(service.get(setting)?.absoluteString == "https://example.com/a")
            // A setting of another type, and one with a transformer, keep the text.
            let string = Setting<String>("string", in: .defaults, default: "")
            let json = Setting<URL?>("json", in: .defaults, transformer: JSONTransformer())
            service.set(string, to: "file:///a")
            service.set(json, to: URL(string: "file:///a"))
            #expect(defaults.string(forKey: "string") == "file:///a" && defaults.string(forKey: "json") == "file:///a")
        }
    }
}
