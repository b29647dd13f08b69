import Foundation
import SettingsKit
import SettingsKitUserDefaults
import Testing

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

    @Test("Values that are set are native ones of their types, and nil removes the key")
    func writing() throws {
        try withService { service, defaults in
            let bar = Setting<String?>("bar", in: .defaults)
            try service.save(bar, to: "new-value")
            try service.save(Setting<Bool>("flag", in: .defaults, default: false), to: true)
            try service.save(Setting<Int>("int", in: .defaults, default: 0), to: (1 << 53) + 1)
            try service.save(Setting<Double>("real", in: .defaults, default: 0), to: 0.25)
            try service.save(Setting<[String]>("list", in: .defaults, default: []), to: ["a", "b"])
            try service.save(Setting<[String: Int]>("map", in: .defaults, default: [:]), to: ["x": 1])
            try service.save(Setting<Data?>("data", in: .defaults), to: Data([0, 255]))
            #expect(defaults.object(forKey: "bar") as? String == "new-value")
            #expect(defaults.object(forKey: "flag") as? Bool == true)
            #expect(defaults.object(forKey: "int") as? Int == (1 << 53) + 1)
            #expect(defaults.object(forKey: "real") as? Double == 0.25)
            #expect(defaults.stringArray(forKey: "list") == ["a", "b"])
            #expect(defaults.dictionary(forKey: "map") as? [String: Int] == ["x": 1])
            #expect(defaults.data(forKey: "data") == Data([0, 255]))
            try service.save(bar, to: nil)
            #expect(defaults.object(forKey: "bar") == nil)
        }
    }

    @Test("What an app has stored reads as settings of the matching types")
    func reading() throws {
        try withService { service, defaults in
            defaults.set(true, forKey: "flag")
            defaults.set(-7, forKey: "int")
            defaults.set(2.5, forKey: "real")
            defaults.set(3.0, forKey: "whole")
            defaults.set("text", forKey: "text")
            defaults.set(Self.date, forKey: "date")
            defaults.set(Data([1, 2]), forKey: "data")
            defaults.set([1, 2, 3], forKey: "list")
            defaults.set(["a": ["b": true]], forKey: "map")
            func check<T: Codable & Equatable & Sendable>(_ name: String, _ expected: T, default initial: T) throws {
                let value = try service.load(Setting<T>(name, in: .defaults, default: initial))
                #expect(value == expected)
            }
            try check("flag", true, default: false)
            try check("int", -7, default: 0)
            try check("real", 2.5, default: 0)
            try check("whole", 3.0, default: 0)
            try check("text", "text", default: "")
            try check("date", Self.date, default: .distantPast)
            try check("data", Data([1, 2]), default: Data())
            try check("list", [1, 2, 3], default: [])
            try check("map", ["a": ["b": true]], default: [:])
        }
    }

    @Test("A native date stays a date when a whole second is written back, and no fraction is rounded away")
    func date() throws {
        try withService { service, defaults in
            defaults.set(Self.date, forKey: "date")
            let setting = Setting<Date?>("date", in: .defaults)
            try service.save(setting, to: Self.date.addingTimeInterval(5))
            #expect(defaults.object(forKey: "date") as? Date == Self.date.addingTimeInterval(5))
            #expect(try service.load(setting) == Self.date.addingTimeInterval(5))
            try service.save(setting, to: Self.date.addingTimeInterval(0.125))
            #expect(try service.load(setting) == Self.date.addingTimeInterval(0.125))
            #if canImport(Darwin)
                #expect(defaults.object(forKey: "date") as? Date == Self.date.addingTimeInterval(0.125))
            #else
                // The file has no fractions of seconds.
                #expect(defaults.string(forKey: "date") == "2023-03-08T20:26:40.125Z")
            #endif
        }
    }

    @Test("A new date and a new duration are text")
    func newDate() throws {
        try withService { service, defaults in
            try service.save(Setting<Date?>("date", in: .defaults), to: Self.date)
            try service.save(Setting<Duration>("pause", in: .defaults, default: .zero), to: .seconds(120))
            #expect(defaults.object(forKey: "date") as? String == "2023-03-08T20:26:40Z")
            #expect(defaults.object(forKey: "pause") as? String == "2m")
        }
    }

    @Test("JSON that another library has stored as data is read, and replaced by a native value")
    func storedJSON() throws {
        try withService { service, defaults in
            let number = Setting<Int>("number", in: .defaults, default: 1)
            let url = try #require(URL(string: "https://example.com/a"))
            let encoder = JSONEncoder()
            defaults.set(try encoder.encode(7), forKey: "number")
            defaults.set(try encoder.encode(Date?.none), forKey: "date")
            defaults.set(try encoder.encode(url), forKey: "url")
            #expect(try service.load(number) == 7)
            #expect(try service.load(Setting<Date?>("date", in: .defaults, default: .distantPast)) == nil)
            #expect(try service.load(Setting<URL?>("url", in: .defaults)) == url)
            try service.save(number, to: 8)
            #expect(defaults.data(forKey: "number") == nil && defaults.integer(forKey: "number") == 8)
        }
    }
}
