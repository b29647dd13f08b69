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

    @Test("A String that is set is a string there")
    func string() throws {
        try withService { service, defaults in
            try service.save(Setting<String?>("bar", in: .defaults), to: "new-value")
            #expect(defaults.object(forKey: "bar") as? String == "new-value")
            #expect(defaults.string(forKey: "bar") == "new-value")
        }
    }

    @Test("Numbers, Booleans, arrays and dictionaries that are set are what they are there")
    func others() throws {
        try withService { service, defaults in
            try service.save(Setting<Bool>("flag", in: .defaults, default: false), to: true)
            try service.save(Setting<Int>("int", in: .defaults, default: 0), to: (1 << 53) + 1)
            try service.save(Setting<Double>("real", in: .defaults, default: 0), to: 0.25)
            try service.save(Setting<[String]>("list", in: .defaults, default: []), to: ["a", "b"])
            try service.save(Setting<[String: Int]>("map", in: .defaults, default: [:]), to: ["x": 1])
            try service.save(Setting<Data?>("data", in: .defaults), to: Data([0, 255]))
            #expect(defaults.object(forKey: "flag") as? Bool == true)
            #expect(defaults.object(forKey: "int") as? Int == (1 << 53) + 1)
            #expect(defaults.object(forKey: "real") as? Double == 0.25)
            #expect(defaults.stringArray(forKey: "list") == ["a", "b"])
            #expect(defaults.dictionary(forKey: "map") as? [String: Int] == ["x": 1])
            #expect(defaults.data(forKey: "data") == Data([0, 255]))
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
            defaults.set(1, forKey: "one")
            let flag = try service.load(Setting<Bool>("flag", in: .defaults, default: false))
            #expect(flag)
            #expect(try service.load(Setting<Int>("int", in: .defaults, default: 0)) == -7)
            #expect(try service.load(Setting<Double>("real", in: .defaults, default: 0)) == 2.5)
            #expect(try service.load(Setting<Double>("whole", in: .defaults, default: 0)) == 3)
            #expect(try service.load(Setting<String>("text", in: .defaults, default: "")) == "text")
            #expect(try service.load(Setting<Date?>("date", in: .defaults)) == Self.date)
            #expect(try service.load(Setting<Data?>("data", in: .defaults)) == Data([1, 2]))
            #expect(try service.load(Setting<[Int]>("list", in: .defaults, default: [])) == [1, 2, 3])
            #expect(
                try service.load(Setting<[String: [String: Bool]]>("map", in: .defaults, default: [:]))
                    == ["a": ["b": true]])
            #expect(try service.load(Setting<Int>("one", in: .defaults, default: 0)) == 1)
        }
    }

    @Test("A native date stays a date when a whole second is written back")
    func date() throws {
        try withService { service, defaults in
            defaults.set(Self.date, forKey: "date")
            let setting = Setting<Date?>("date", in: .defaults)
            try service.save(setting, to: Self.date.addingTimeInterval(5))
            #expect(defaults.object(forKey: "date") as? Date == Self.date.addingTimeInterval(5))
            #expect(try service.load(setting) == Self.date.addingTimeInterval(5))
        }
    }

    @Test("A fraction of a second is not rounded away")
    func fractionalDate() throws {
        try withService { service, defaults in
            defaults.set(Self.date, forKey: "date")
            let setting = Setting<Date?>("date", in: .defaults)
            try service.save(setting, to: Self.date.addingTimeInterval(0.125))
            #expect(try service.load(setting) == Self.date.addingTimeInterval(0.125))
        }
    }

    @Test(
        "Any bytes come back, before and after a synchronize",
        arguments: [
            Data(), Data([0]), Data("null".utf8), Data("1".utf8), Data("1.0".utf8), Data("true".utf8),
            Data(#""x""#.utf8),
            Data("{}".utf8), Data(#"{"a":null}"#.utf8), Data("[1, 2]".utf8), Data("0.1".utf8), Data("-0".utf8),
            Data("18446744073709551615".utf8), Data("9223372036854775808".utf8), Data("1e400".utf8),
            Data("[1.5,true,0]".utf8),
            Data([0xFF, 0xFE]), Data(#""a\u0000b""#.utf8),
        ])
    func anyBytes(data: Data) throws {
        try withSuite { name in
            let store = UserDefaultsStore(suite: name)
            store.set(key("k"), to: data)
            #expect(store.get(key("k")) == data)
            try store.synchronize()
            #expect(store.get(key("k")) == data)
            #expect(UserDefaultsStore(suite: name).get(key("k")) == data)
        }
    }

    @Test("The extremes of Int come back", arguments: [Int.max, .min, 0, -1])
    func extremes(number: Int) throws {
        try withSuite { name in
            let setting = Setting<Int>("n", in: .defaults, default: 3)
            let store = UserDefaultsStore(suite: name)
            let service = SettingsService(defaults: store)
            try service.save(setting, to: number)
            #expect(try service.load(setting) == number)
            try store.synchronize()
            #expect(try SettingsService(defaults: UserDefaultsStore(suite: name)).load(setting) == number)
        }
    }

    @Test("nil removes the key")
    func removal() throws {
        try withService { service, defaults in
            defaults.set("x", forKey: "nickname")
            let setting = Setting<String?>("nickname", in: .defaults)
            #expect(service.get(setting) == "x")
            service.set(setting, to: nil)
            #expect(defaults.object(forKey: "nickname") == nil)
            #expect(!service.isSet(setting))
        }
    }
}
