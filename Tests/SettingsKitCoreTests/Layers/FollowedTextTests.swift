import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

/// A text that a test replaces.
private final class ReplacedText: FollowedText {
    private let state: Mutex<(json: String, receive: (@Sendable (LayerTextReading) -> Void)?)>

    private let format: SettingsFileFormat

    init(_ json: String, _ format: SettingsFileFormat = .json) {
        self.format = format
        state = Mutex((json, nil))
    }

    private func reading(_ json: String) -> LayerTextReading {
        do {
            return .text(try format.text(of: Data(json.utf8), path: "/file"))
        } catch {
            return .failed(SettingsError(.unreadableFile, store: "/file", underlying: error))
        }
    }

    func follow(_ receive: @escaping @Sendable (LayerTextReading) -> Void) throws(SettingsError) -> any Sendable {
        let json = state.withLock { state in
            state.receive = receive
            return state.json
        }
        receive(reading(json))
        return Box(0)
    }

    func replace(by json: String) { state.withLock { $0.receive }?(reading(json)) }
}

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

    @Test("A value above the writable layer locks its setting while it is there")
    func locking() throws {
        let text = ReplacedText("{}")
        let settings = try service(text, isLocking: true)
        try settings.save(Self.port, to: 5)
        text.replace(by: #"{"port": 6}"#)
        #expect(settings.get(Self.port) == 6)
        #expect(thrownCode { try settings.save(Self.port, to: 7) } == .locked)
        #expect(settings.lock(of: Self.port)?.location == "/file, line 1, column 10")
        text.replace(by: "{}")
        #expect(settings.get(Self.port) == 5)
        try settings.save(Self.port, to: 7)
        #expect(settings.get(Self.port) == 7)
    }

    @Test("A name that a store has gets the values of texts when it is used, also if they or the store changed before")
    func unused() throws {
        let text = ReplacedText(#"{"port": 1}"#)
        let (own, system) = (MemoryStore(["port": Data("5".utf8)]), MemoryStore(["port": Data("6".utf8)]))
        let store = try LayeredStore([
            .environment(prefix: "P_", ["P_HTTP_HOSTS": "a"]), .followed(text, name: "file"), .writable(own),
            .fallback(system, name: "system"),
        ])
        text.replace(by: #"{"port": 2}"#)
        #expect(try store.keys() == ["port"])
        #expect(try store.summary("port") == "file!=2 store=5 system=6")
        let log = FeedLog(store)
        own.set(key("http.hosts"), to: Data("[]".utf8))
        #expect(log.take() == ["http.hosts: environment!=a -> environment!=a store=[]"])
        system.set(key("new"), to: Data("1".utf8))
        #expect(log.take() == ["new:  -> system=1"])
        text.replace(by: #"{"new": 2}"#)
        #expect(
            log.take().sorted() == [
                "new: system=1 -> file!=2 system=1 external",
                "port: file!=2 store=5 system=6 -> store=5 system=6 external",
            ])
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

    @Test("A text that could never be read locks every setting below it, until it is read")
    func neverRead() throws {
        let text = ReplacedText("{")
        let settings = try service(text, isLocking: true)
        #expect(settings.get(Self.port) == 80)
        #expect(thrownCode { try settings.save(Self.port, to: 7) } == .locked)
        text.replace(by: "{}")
        try settings.save(Self.port, to: 7)
        #expect(settings.get(Self.port) == 7)
    }

    @Test("A rejected value leaves the last good one in force, and the next good one replaces it")
    func rejected() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = try service(text)
        let changes = Recorder<Int>()
        let subscription = settings.observe(Self.port) { changes.append($0.newValue) }
        for bad in ["70000", "\"x\"", "[1]", "null", "1.5", "true"] {
            text.replace(by: #"{"port": \#(bad)}"#)
            #expect(settings.get(Self.port) == 6, "\(bad)")
        }
        text.replace(by: #"{"port": "9"}"#)
        #expect(settings.get(Self.port) == 9)
        #expect(changes.all == [9])
        withExtendedLifetime(subscription) {}
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
        #expect(get("s", "x" as String?) == "null")
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

    @Test("Values of a layer with secrets are hidden in every listing")
    func secrets() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = SettingsService.over(
            try LayeredStore([.writable(MemoryStore()), .followed(text, name: "secrets", isSecret: true)]))
        let catalogue = SettingsCatalogue("Player") {
            SettingsGroup("Server") {
                Self.port; Self.hosts
            }
        }
        let row = catalogue.rows(in: settings)[0]
        #expect(row.text == "•••" && row.isSecret)
        #expect(settings.text(of: Self.port) == "•••")
        #expect(!catalogue.json(in: settings).contains("6,"))
        try settings.save(Self.port, to: 7)
        #expect(settings.text(of: Self.port) == "7")
        #expect(catalogue.rows(in: settings)[0].isSecret == false)
    }

    @Test("Two stores over one layer each follow it, and a store under another reads it")
    func shared() throws {
        struct Server: SettingsRecord { var port = 80; static let empty = Server() }
        let text = ReplacedText(#"{"port": 1}"#)
        let store = try LayeredStore([.followed(text, name: "file")])
        let server = try SettingsStorage<Server>(in: store)
        #expect(server.port == 1)
        #expect(
            thrownCode { try server.save(Server(port: 2)) } == .locked
                || thrownCode { try server.save(Server(port: 2)) } == .readOnly)
        text.replace(by: #"{"port": 3}"#)
        #expect(server.port == 3)
    }

    @Test("Overrides have the values in force, follow them, and hide secrets, also while the file cannot be read")
    func overriding() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = SettingsService.over(
            try LayeredStore([.writable(MemoryStore()), .followed(text, name: "secrets", isSecret: true)]))
        text.replace(by: "{")
        let preview = settings.overriding { $0[Self.hosts] = ["x"] }
        #expect(preview.get(Self.port) == 6 && preview.text(of: Self.port) == "•••")
        text.replace(by: #"{"port": 7}"#)
        #expect(preview.get(Self.port) == 7 && settings.get(Self.port) == 7)
        #expect(preview.get(Self.hosts) == ["x"])
    }

    @Test("A program that watches settings receives no secret, also if its layer has lost it meanwhile")
    func watchedSecret() throws {
        let text = ReplacedText(#"{"port": 6}"#)
        let settings = SettingsService.over(
            try LayeredStore([.writable(MemoryStore()), .followed(text, name: "secrets", isSecret: true)]))
        let texts = Recorder<String?>()
        let subscription = Self.port.catalogued.observeText(in: settings) { text, _, _ in texts.append(text) }
        text.replace(by: #"{"port": 7}"#)
        text.replace(by: "{}")
        #expect(texts.all == ["•••", "•••"])
        withExtendedLifetime(subscription) {}
    }

    @Test("Text and JSON of a program's format take each other's place, and a rejected one leaves the last good one")
    func mixedForms() throws {
        let format = SettingsFileFormat { data in
            let text = String(decoding: data, as: UTF8.self)
            return [.init("name", text.hasPrefix("=") ? .json(String(text.dropFirst())) : .text(text))]
        }
        let name = SettingsService.Setting<String>("name", in: .defaults, default: "none")
        let text = ReplacedText("hello", format)
        let settings = try service(text)
        #expect(settings.get(name) == "hello")
        text.replace(by: "=5")
        #expect(settings.get(name) == "hello")
        text.replace(by: #"="there""#)
        #expect(settings.get(name) == "there")
    }
}
