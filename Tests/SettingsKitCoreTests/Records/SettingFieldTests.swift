import Foundation
import SettingsKitCore
import Testing

@Suite("The fields of a record with attributes")
struct SettingFieldTests {
    enum Level: String, Codable, CaseIterable { case debug, info, error }

    struct Log: SettingsRecord, Equatable {
        @SettingField(help: "The least important messages to log.") var level = Level.info
        @SettingField(validation: .range(1...9)) var files = 3
        static let empty = Log()
    }

    struct Server: SettingsRecord, Equatable {
        @SettingField(validation: .range(1...65_535), help: "The port to listen on.") var port = 8080
        @SettingField(help: "Addresses to serve.") var hosts = ["localhost"]
        @SettingField(isSecret: true) var token = ""
        @SettingField("message-of-the-day", validation: .init("must not be empty") { $0 != "" }) var motto: String? =
            nil
        var isDetailed = false
        var limit: Int?
        var log = Log()
        static let empty = Server()
    }

    private let store = MemoryStore()

    private func text(_ name: String) throws -> String? { try store.text(name) }

    @Test("Fields are stored under the names of their properties, or of their attributes, each as plain JSON")
    func names() throws {
        let server = try SettingsStorage<Server>(in: store)
        server.port = 9000
        server.motto = "On y va"
        server.limit = 5
        server.log.level = .debug
        #expect(try text("port") == "9000" && text("message-of-the-day") == #""On y va""# && text("limit") == "5")
        #expect(try text("log.level") == #""debug""# && store.keys().count == 4)
        var expected = Server(port: 9000, motto: "On y va", limit: 5)
        expected.log.level = .debug
        #expect(server.get() == expected)
        #expect(try SettingsStorage<Server>(in: store).get() == expected)
        server.motto = nil
        server.log = .empty
        #expect(try server.get() == Server(port: 9000, limit: 5) && text("message-of-the-day") == nil)
        server.reset()
        #expect(server.get() == .empty && store.keys().isEmpty)
    }

    @Test("A field takes no more memory than its value, and is encoded like it")
    func layout() throws {
        struct Plain: Codable { var port = 1, motto: String?, level = Level.info }
        struct Wrapped: Codable {
            @SettingField(validation: .range(1...2), help: "A port.") var port = 1
            @SettingField var motto: String?
            @SettingField(isSecret: true) var level = Level.info
        }
        #expect(MemoryLayout<Wrapped>.size == MemoryLayout<Plain>.size)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for motto in [nil, "a"] {
            let plain = try encoder.encode(Plain(port: 7, motto: motto))
            var wrapped = Wrapped(port: 7)
            wrapped.motto = motto
            #expect(try encoder.encode(wrapped) == plain)
            #expect(try JSONDecoder().decode(Wrapped.self, from: plain).motto == motto)
        }
        #expect(try encoder.encode([SettingField(wrappedValue: 1)]) == Data("[1]".utf8))
        #expect(try JSONDecoder().decode([SettingField<Int>].self, from: Data("[1]".utf8)) == [.init(wrappedValue: 1)])
        #expect(
            SettingField(wrappedValue: 1, help: "A").hashValue == SettingField(wrappedValue: 1, help: "B").hashValue)
    }

    @Test("A stored value that the validation rejects reads as the default, and stays until the field is set")
    func invalidStored() throws {
        try store.put("port", "0")
        try store.put("log.files", "10")
        try store.put("message-of-the-day", #""""#)
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) })
        let server = try SettingsStorage<Server>(in: settings)
        #expect(server.get() == .empty && server.get() == .empty)
        #expect(problems.all.map(\.code) == [.invalidValue, .invalidValue, .invalidValue])
        #expect(problems.all.contains { $0.key?.name == "port" && $0.expected == "an integer from 1 to 65535" })
        #expect(try text("port") == "0")
        server.port = 1
        #expect(try text("port") == "1" && server.port == 1)
    }

    @Test("A value that the validation rejects is not written, and nothing else of the record either")
    func invalidSet() throws {
        let problems = Recorder<SettingsError>()
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .init { problems.append($0) })
        let server = try SettingsStorage<Server>(in: settings)
        server.port = 0
        server.log.files = 0
        #expect(problems.all.map(\.code) == [.invalidValue, .invalidValue])
        #expect(problems.all.map(\.key?.name) == ["port", "log.files"])
        var record = Server(isDetailed: true)
        record.motto = ""
        #expect(thrownCode { try server.save(record) } == .invalidValue)
        let result: Void? = server.update {
            $0.isDetailed = true
            $0.port = -1
        }
        #expect(result == nil && problems.all.count == 3)
        #expect(server.get() == .empty && store.keys().isEmpty)
    }

    @Test("In layers, a rejected value gives way to the next layer's")
    func layers() throws {
        try store.put("port", "9000")
        let layered = try LayeredStore([
            .arguments(["--port", "0", "--log-level", "error", "--message-of-the-day", ""]),
            .environment(prefix: "S_", ["S_HOSTS": "a,b", "S_LOG_FILES": "12"]), .writable(store),
        ])
        let server = try SettingsStorage<Server>(in: layered)
        var expected = Server(port: 9000, hosts: ["a", "b"])
        expected.log.level = .error
        #expect(server.get() == expected)
        server.port = 9001
        #expect(server.port == 9001)
        server.log.level = .debug
        #expect(server.log.level == .error)
    }

    @Test(
        "An edit that a field rejects leaves its last good value in force, in each layer, and updates calculate from it"
    )
    func lastGood() throws {
        let (user, system) = (FeedStore(), FeedStore())
        user.changeFromOutside([("port", "9000")])
        system.changeFromOutside([("log.files", "5")])
        let problems = Recorder<SettingsError>()
        let layered = try LayeredStore([.writable(user), .fallback(system, name: "system")])
        let settings = SettingsService(
            stores: [.defaults: layered], diagnosticSink: .init { problems.append($0) })
        let server = try SettingsStorage<Server>(in: settings)
        let ports = Recorder<Int>()
        let subscription = server.observe(\.port) { ports.append($0) }
        for bad in 0..<20 { user.changeFromOutside([("port", "\(-bad)")]) }
        system.changeFromOutside([("log.files", "\"x\"")])
        #expect(server.port == 9000 && server.log.files == 5 && ports.all.isEmpty)
        #expect(problems.all.count == 21)
        // A storage that begins now has the same value.
        #expect(try SettingsStorage<Server>(in: settings).port == 9000)
        #expect(settings.get(Setting<Int>("port", in: .defaults, default: 1, validation: .range(1...9_999))) == 9000)
        server.update(\.port) { $0 += 1 }
        #expect(server.port == 9001 && ports.all == [9001])
        user.changeFromOutside([("port", "70000")])
        #expect(server.port == 9001)
        user.changeFromOutside([("port", nil)])
        #expect(server.port == 8080 && ports.all == [9001, 8080])
        user.changeFromOutside([("port", "70000")])
        #expect(server.port == 8080)
        withExtendedLifetime(subscription) {}
    }

    @Test("An array of records, an optional one and other structures are one value each")
    func oneValue() throws {
        struct Point: Codable, Equatable { var x = 0, y = 0 }
        struct Outer: SettingsRecord, Equatable {
            var log: Log?
            var logs = [Log()]
            var point = Point()
            static let empty = Outer()
        }
        let outer = try SettingsStorage<Outer>(name: "outer", in: store)
        outer.log = Log(files: 4)
        outer.logs = []
        outer.point.x = 1
        #expect(store.keys().sorted() == ["outer:log", "outer:logs", "outer:point"])
        #expect(outer.get() == Outer(log: Log(files: 4), logs: [], point: Point(x: 1)))
        outer.log = nil
        #expect(outer.get() == Outer(logs: [], point: Point(x: 1)))
    }

    @Test("Records are nested in records, also under the name of an attribute, each with defaults of the outer one")
    func nested() throws {
        struct Inner: SettingsRecord, Equatable {
            @SettingField("n", validation: .range(0...9)) var number = 1
            var text: String?
            static let empty = Inner()
        }
        struct Middle: SettingsRecord, Equatable {
            var inner = Inner(number: 5)
            static let empty = Middle()
        }
        struct Outer: SettingsRecord, Equatable {
            @SettingField("m") var middle = Middle()
            static let empty = Outer()
        }
        let outer = try SettingsStorage<Outer>(name: "o", in: store)
        #expect(outer.middle.inner.number == 5)
        outer.middle.inner.text = "a"
        #expect(store.keys() == ["o:m.inner.text"])
        outer.update(\.middle.inner.number) { $0 += 1 }
        #expect(try text("o:m.inner.n") == "6" && outer.get().middle == Middle(inner: Inner(number: 6, text: "a")))
        outer.middle.inner.number = 10
        #expect(outer.middle.inner.number == 6)
        let names = SettingsGroup("O", describing: Outer.self, name: "o", in: .shared).settings.map(\.key)
        #expect(names == [.init("o:m.inner.n", scope: .shared), .init("o:m.inner.text", scope: .shared)])
    }

    @Test("A catalogue has a setting for each field, with the type, default, help and secrecy of its declaration")
    func catalogue() throws {
        let catalogue = SettingsCatalogue("Player", describing: Server.self)
        #expect(catalogue.groups.map(\.title) == ["Player", "log"])
        #expect(
            catalogue.settings.map(\.key.name)
                == ["port", "hosts", "token", "message-of-the-day", "isDetailed", "limit", "log.level", "log.files"])
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let server = try SettingsStorage<Server>(in: settings)
        server.token = "secret"
        server.limit = 3
        let rows = catalogue.rows(in: settings)
        #expect(
            rows.map(\.type) == [
                "integer from 1 to 65535", "list with commas or in JSON", "text", "text, must not be empty",
                "true or false", "integer", "one of debug, info, error", "integer from 1 to 9",
            ])
        #expect(rows.map(\.defaultText) == ["8080", #"["localhost"]"#, "•••", "null", "false", "null", "info", "3"])
        #expect(rows.map(\.text) == ["8080", #"["localhost"]"#, "•••", "null", "false", "3", "info", "3"])
        #expect(rows[0].help == "The port to listen on." && rows[4].help == nil)
        try store.put("log.files", "0")
        #expect(catalogue.check(in: settings).map(\.name) == ["log.files"])
    }

    @Test("A setting of the catalogue and the field have one value, whichever is set")
    func settings() throws {
        struct All: SettingsRecord, Equatable {
            @SettingField(help: "x") var data = Data([1])
            var plain: Data?
            @SettingField(validation: .range(1...9)) var number: Int? = 3
            var date = Date(timeIntervalSince1970: 0)
            var flag: Bool? = true
            static let empty = All()
        }
        let settings = SettingsService(stores: [.defaults: store], diagnosticSink: .none)
        let all = try SettingsStorage<All>(in: settings)
        let catalogue = SettingsCatalogue("All", describing: All.self)
        let texts = ["data": "hex:0203", "plain": "hex:04", "number": "null", "date": "2026-01-01", "flag": "null"]
        for (name, text) in texts {
            let setting = try #require(catalogue.setting(named: name))
            try settings.set(setting, fromText: text)
        }
        let expected = All(
            data: Data([2, 3]), plain: Data([4]), number: nil,
            date: try Date("2026-01-01T00:00:00Z", strategy: .iso8601),
            flag: nil)
        #expect(all.get() == expected)
        all.set(All(data: Data([7]), plain: Data([8]), number: 4, flag: false))
        let rows = catalogue.rows(in: settings)
        #expect(rows.map(\.text) == ["Bw==", "CA==", "4", "1970-01-01T00:00:00Z", "false"])
        #expect(rows.allSatisfy { $0.problem == nil })
        let number = try #require(catalogue.setting(named: "number"))
        #expect(throws: SettingsError.self) { try settings.set(number, fromText: "10") }
    }

    @Test("A record with a custom mapping has the attributes of the fields that it saves under their names")
    func customMapping() throws {
        struct Custom: SettingsRecord, Equatable {
            @SettingField("api-url", validation: .init("must not be empty") { !$0.isEmpty }) var address = "a"
            @SettingField(help: "B") var b = 1
            static let empty = Custom()
            func save(into row: inout SettingsRow) {
                row["b"] = b
                row["api-url"] = address
            }
            static func load(from row: SettingsRow) -> Custom {
                Custom(address: row["api-url"] ?? empty.address, b: row["b"] ?? empty.b)
            }
        }
        try store.put("api-url", #""""#)
        let custom = try SettingsStorage<Custom>(in: store)
        #expect(custom.get() == .empty)
        custom.address = ""
        #expect(try text("api-url") == #""""#)
        custom.address = "c"
        #expect(try text("api-url") == #""c""#)
        #expect(SettingsCatalogue("C", describing: Custom.self).settings.map(\.help) == ["B", nil])
    }

    @Test("Attributes are found whatever the order of the coding keys, the initializer, and the generic arguments")
    func order() throws {
        struct Ordered<Extra: Codable & Sendable & Equatable>: SettingsRecord {
            @SettingField(help: "A") var a = 1; @SettingField(help: "B") var b = 2
            @SettingField(help: "C") var c: Extra?
            let d: Int
            static var empty: Ordered { Ordered(b: 7) }
            private enum CodingKeys: String, CodingKey { case d = "D", c, b, a }
            init(b: Int) {
                d = 0
                self.b = b
            }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                self.init(b: try container.decode(Int.self, forKey: .b))
                a = try container.decode(Int.self, forKey: .a)
                c = try container.decodeIfPresent(Extra.self, forKey: .c)
            }
        }
        let settings = SettingsCatalogue("O", describing: Ordered<String>.self).settings
        #expect(settings.map(\.key.name) == ["D", "c", "b", "a"] && settings.map(\.help) == [nil, "C", "B", "A"])
        #expect(settings.map(\.defaultText) == ["0", "null", "7", "1"])
        let ordered = try SettingsStorage<Ordered<String>>(in: store)
        ordered.a = 5
        ordered.c = "x"
        #expect(ordered.a == 5 && ordered.b == 7 && ordered.c == "x")
    }

    private struct OtherKey: SettingsRecord {
        @SettingField var port = 1
        static let empty = OtherKey()
        private enum CodingKeys: String, CodingKey { case port = "listen-port" }
    }

    private struct SameName: SettingsRecord {
        @SettingField("b") var a = 1
        @SettingField var b = 1
        static let empty = SameName()
    }

    private struct NestedWithHelp: SettingsRecord {
        @SettingField(help: "A") var log = Log()
        static let empty = NestedWithHelp()
    }

    private struct Hidden: SettingsRecord, CustomReflectable {
        @SettingField(help: "A") var port = 1
        static let empty = Hidden()
        var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    #if os(macOS) || os(Linux)
        @Test("Attributes that cannot be followed end the process, with a message")
        func mistakes() async {
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<OtherKey>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<SameName>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = SettingsCatalogue("N", describing: NestedWithHelp.self) }
            await #expect(processExitsWith: .failure) { _ = SettingsCatalogue("H", describing: Hidden.self) }
        }
    #endif
}
