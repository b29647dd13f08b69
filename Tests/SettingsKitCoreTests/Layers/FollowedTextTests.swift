import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Layers of text that others change")
struct FollowedTextTests {
    private static let port = SettingsService.Setting<Int>(
        "port", in: .defaults, default: 80, validation: .range(1...65_535))
    private static let hosts = SettingsService.Setting<[String]>("http.hosts", in: .defaults, default: [])

    private func service(_ text: ReplacedText, isLocking: Bool = false, _ problems: Recorder<SettingsError>? = nil)
        throws -> SettingsService
    {
        let own = MemoryStore()
        let layer = LayeredStore.Layer.followed(text, name: "file")
        let layers: [LayeredStore.Layer] = isLocking ? [layer, .writable(own)] : [.writable(own), layer]
        return SettingsService.over(try LayeredStore(layers), problems)
    }

    @Test("A replaced text is in force at once, and listeners receive only the values that differ")
    func replaced() throws {
        let text = ReplacedText(#"{"port": 1, "http": {"hosts": ["a"]}}"#)
        let settings = try service(text)
        let (ports, hosts) = (Recorder<Int>(), Recorder<[String]>())
        let subscriptions = [
            settings.observe(Self.port) { change in
                #expect(change.origin == .external)
                ports.append(change.newValue)
            },
            settings.observe(Self.hosts) { hosts.append($0.newValue) },
        ]
        #expect(settings.get(Self.port) == 1)
        #expect(settings.get(Self.hosts) == ["a"])
        text.replace(by: "{\n\"port\": 2,\n\"http\": {\"hosts\": [\"a\"]}}")
        #expect(settings.get(Self.port) == 2)
        text.replace(by: #"{"http.hosts": ["a", "b"]}"#)
        #expect(settings.get(Self.port) == 80)
        #expect(settings.get(Self.hosts) == ["a", "b"])
        text.replace(by: #"{"port": 3}"#)
        #expect(settings.source(of: Self.port) == .layer("file"))
        #expect(settings.get(Self.hosts) == [])
        #expect(ports.all == [2, 80, 3])
        #expect(hosts.all == [["a", "b"], []])
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A listener to several settings is notified of those that were never read")
    func several() throws {
        let (text, other) = (ReplacedText(#"{"port": 1}"#), ReplacedText(#"{"port": 2}"#))
        let settings = try service(text)
        let sets = Recorder<Set<String>>()
        let subscription = settings.observe(Self.port, Self.hosts) { sets.append(Set($0.keys.map(\.name))) }
        text.replace(by: #"{"port": 2}"#)
        #expect(settings.get(Self.port) == 2)
        let layered = try LayeredStore([.writable(MemoryStore()), .followed(other, name: "file")])
        settings.register(layered, for: .defaults)
        other.replace(by: #"{"port": 3, "other": 4}"#)
        #expect(sets.all == [["port"], ["port"]] && settings.get(Self.port) == 3)
        subscription.cancel()
    }

    @Test("A moved value is no change, and an update still sees it")
    func moved() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = try service(text)
        #expect(settings.get(Self.port) == 6)
        let changes = Recorder<Int>()
        let subscription = settings.observe(Self.port) { changes.append($0.newValue) }
        text.replace(by: "\n\n{\"port\": 6}")
        settings.update(Self.port) { $0 += 1 }
        #expect(settings.get(Self.port) == 7)
        #expect(changes.all == [7])
        settings.reset(Self.port)
        #expect(settings.get(Self.port) == 6)
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "A text that cannot be read leaves the last one in force, and is reported with its place",
        arguments: [false, true])
    func unreadable(isLocking: Bool) throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let problems = Recorder<SettingsError>()
        let settings = try service(text, isLocking: isLocking, problems)
        #expect(settings.get(Self.port) == 6)
        #expect(settings.lock(of: Self.port)?.location == (isLocking ? "/file, line 1, column 10" : nil))
        text.replace(by: "{\"port\":")
        #expect(settings.get(Self.port) == 6)
        #expect(problems.codes == [.readFailed])
        #expect(
            problems.all.first.map { "\($0)".contains("line 1, column 9") && "\($0)".contains("Layer: file") } == true)
        // What it held is known, so that it locks nothing else.
        try settings.save(Self.hosts, to: ["x"])
        let catalogue = SettingsCatalogue("Player") {
            SettingsGroup("Server") {
                Self.port; Self.hosts
            }
        }
        #expect(catalogue.check(in: settings).map(\.kind) == [.store])
        text.replace(by: #"{"port": 8}"#)
        #expect(settings.get(Self.port) == 8)
        #expect(catalogue.check(in: settings).isEmpty)
    }

    @Test("JSON has the meaning that import gives it")
    func meaning() throws {
        struct Point: Codable, Sendable, Equatable { var x = 0, y = 0 }
        let text = ReplacedText(
            #"""
            {"i": 12345678901234567, "d": 0.1, "e": 1e2, "s": "null", "n": null, "p": {"x": 1, "y": 2}, "t": "5", "data": "AQI=",
             "list": ["a,b", "c"], "comma": "a,b", "date": "2026-01-02T03:04:05Z", "wait": "1h", "u": "https://a.b", "number": 5}
            """#)
        let settings = try service(text)
        func get<T: Codable & Sendable & Equatable>(_ name: String, _ value: T) -> T {
            settings.get(SettingsService.Setting<T>(name, in: .defaults, default: value))
        }
        #expect(get("i", 0) == 12_345_678_901_234_567)
        #expect(get("d", 0.0) == 0.1)
        #expect(get("e", 0) == 100)
        #expect(get("s", "") == "null")
        #expect(get("s", "x" as String?) == nil)
        #expect(get("n", "x" as String?) == nil)
        #expect(get("p", Point()) == Point(x: 1, y: 2))
        #expect(get("t", 0) == 5)
        #expect(get("data", Data()) == Data([1, 2]))
        #expect(get("list", [String]()) == ["a,b", "c"])
        #expect(get("comma", [String]()) == ["a", "b"])
        #expect(get("date", Date.distantPast) == Date(timeIntervalSince1970: 1_767_323_045))
        #expect(get("wait", Duration.zero) == .seconds(3_600))
        #expect(get("u", URL(fileURLWithPath: "/")) == URL(string: "https://a.b"))
        #expect(get("number", "") == "")
    }

    @Test("Values of a layer with secrets are hidden in every listing and in overrides, also while it cannot be read")
    func secrets() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = SettingsService.over(
            try LayeredStore([.writable(MemoryStore()), .followed(text, name: "secrets", isSecret: true)]))
        let catalogue = SettingsCatalogue("Player") {
            SettingsGroup("Server") {
                Self.port; Self.hosts
            }
        }
        let preview = settings.overriding { $0[Self.hosts] = ["x"] }
        #expect(preview.get(Self.port) == 6 && preview.text(of: Self.port) == "•••")
        let row = catalogue.rows(in: settings)[0]
        #expect(row.text == "•••" && row.isSecret)
        #expect(settings.text(of: Self.port) == "•••")
        #expect(!catalogue.json(in: settings).contains("6,"))
        try settings.save(Self.port, to: 7)
        #expect(settings.text(of: Self.port) == "7")
        #expect(catalogue.rows(in: settings)[0].isSecret == false)
        settings.reset(Self.port)
        text.replace(by: "{")
        #expect(settings.text(of: Self.port) == "•••" && preview.text(of: Self.port) == "•••")
    }
}
