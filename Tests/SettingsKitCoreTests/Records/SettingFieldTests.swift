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
    private let problems = Recorder<SettingsError>()

    @Test("Fields are stored under the names of their properties, or of their attributes, each as plain JSON")
    func names() throws {
        let server = try SettingsStorage<Server>(in: store)
        server.port = 9000
        server.motto = "On y va"
        server.log.level = .debug
        #expect(try store.text("port") == "9000" && store.text("message-of-the-day") == #""On y va""#)
        #expect(try store.text("log.level") == #""debug""# && store.keys().count == 3)
        var expected = Server(port: 9000, motto: "On y va")
        expected.log.level = .debug
        #expect(try server.get() == expected && SettingsStorage<Server>(in: .over(store)).get() == expected)
        server.motto = nil
        server.log = .empty
        #expect(try server.get() == Server(port: 9000) && store.text("message-of-the-day") == nil)
    }

    @Test("A field is encoded, compared and printed like its value, and a secret one is not printed")
    func likeItsValue() throws {
        struct Plain: Codable { var port = 1, motto: String?, level = Level.info }
        struct Wrapped: Codable {
            @SettingField(validation: .range(1...2), help: "A port.") var port = 1
            @SettingField var motto: String?
            @SettingField(isSecret: true) var level = Level.info
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for motto in [nil, "a"] {
            let plain = try encoder.encode(Plain(port: 7, motto: motto))
            var wrapped = Wrapped(port: 7)
            wrapped.motto = motto
            #expect(try encoder.encode(wrapped) == plain)
            #expect(try JSONDecoder().decode(Wrapped.self, from: plain).motto == motto)
        }
        let (one, other) = (SettingField(wrappedValue: 1, help: "A"), SettingField(wrappedValue: 1, help: "B"))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect("\(Wrapped(port: 7))".contains("_port: 7, _motto: nil, _level: •••"))
    }

    @Test("A stored value that the validation rejects reads as the default, and stays until the field is set")
    func invalidStored() throws {
        for (name, text) in ["port": "0", "log.files": "10"] { try store.put(name, text) }
        let server = try SettingsStorage<Server>(in: SettingsService.over(store, problems))
        #expect(server.get() == .empty && server.get() == .empty)
        #expect(problems.codes == [.invalidValue, .invalidValue])
        #expect(problems.all.contains { $0.key?.name == "port" && $0.expected == "an integer from 1 to 65535" })
        #expect(try store.text("port") == "0")
        server.port = 1
        #expect(try store.text("port") == "1" && server.port == 1)
    }

    @Test("A value that the validation rejects is not written, and nothing else of the record either")
    func invalidSet() throws {
        let server = try SettingsStorage<Server>(in: SettingsService.over(store, problems))
        server.port = 0
        server.log.files = 0
        var record = Server(isDetailed: true)
        record.motto = ""
        #expect(thrownCode { try server.save(record) } == .invalidValue)
        let result: Void? = server.update {
            $0.isDetailed = true
            $0.port = -1
        }
        #expect(problems.all.map(\.key?.name) == ["port", "log.files", "port"])
        #expect(problems.codes == [.invalidValue, .invalidValue, .invalidValue])
        #expect(result == nil && server.get() == .empty && store.keys().isEmpty)
    }

    @Test("A default that the validation rejects keeps no record from being saved")
    func invalidDefault() throws {
        struct Required: SettingsRecord, Equatable {
            @SettingField(validation: .notEmpty) var token = ""
            var port = 1
            static let empty = Required()
        }
        let required = try SettingsStorage<Required>(in: store)
        required.set(Required(port: 9))
        #expect(store.keys() == ["port"] && required.get() == Required(port: 9))
        try required.save(Required(token: "x", port: 2))
        #expect(required.get() == Required(token: "x", port: 2))
        required.set(.empty)
        #expect(required.get() == .empty && store.keys() == ["port"])
    }

    @Test("In layers, a rejected value gives way to the next layer's, and the last good one stays in force")
    func layers() throws {
        let (user, system) = (FeedStore(["port": Data("9000".utf8)]), FeedStore(["log.files": Data("5".utf8)]))
        let layered = try LayeredStore([
            .arguments(["--port", "0", "--log-level", "error", "--message-of-the-day", ""]),
            .environment(prefix: "S_", ["S_HOSTS": "a,b"]), .writable(user), .fallback(system, name: "system"),
        ])
        let settings = SettingsService.over(layered, problems)
        let server = try SettingsStorage<Server>(in: settings)
        let ports = Recorder<Int>()
        let subscription = server.observe(\.port) { ports.append($0) }
        var expected = Server(port: 9000, hosts: ["a", "b"])
        expected.log = Log(level: .error, files: 5)
        #expect(server.get() == expected)
        for bad in 1...20 { user.changeFromOutside([("port", "\(-bad)")]) }
        system.changeFromOutside([("log.files", "\"x\"")])
        #expect(server.get() == expected && ports.all.isEmpty)
        // A service that begins now has the default.
        #expect(try SettingsStorage<Server>(in: .over(layered)).port == 8080)
        server.update(\.port) { $0 += 1 }
        #expect(server.port == 9001 && ports.all == [9001])
        server.log.level = .debug
        #expect(server.log.level == .error && problems.codes.last == .locked)
        subscription.cancel()
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
        #expect(try store.text("o:m.inner.n") == "6")
        outer.middle.inner.number = 10
        #expect(outer.get().middle == Middle(inner: Inner(number: 6, text: "a")))
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
        let settings = SettingsService.over(store)
        let server = try SettingsStorage<Server>(in: settings)
        server.token = "secret"
        server.limit = 3
        let rows = catalogue.rows(in: settings)
        #expect(
            rows.map(\.type) == [
                "integer from 1 to 65535", "list with commas or in JSON", "text", "text, must not be empty",
                "true or false", "integer", "one of debug, info, error", "integer from 1 to 9",
            ])
        #expect(rows.map(\.text) == ["8080", #"["localhost"]"#, "•••", "null", "false", "3", "info", "3"])
        #expect(rows[1].defaultText == #"["localhost"]"# && rows[2].defaultText == "•••")
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
        let settings = SettingsService.over(store)
        let all = try SettingsStorage<All>(in: settings)
        let catalogue = SettingsCatalogue("All", describing: All.self)
        let texts = ["data": "hex:0203", "plain": "hex:04", "number": "null", "date": "2001-01-01", "flag": "null"]
        for (name, text) in texts {
            try settings.set(#require(catalogue.setting(named: name)), fromText: text)
        }
        let date = Date(timeIntervalSinceReferenceDate: 0)
        #expect(all.get() == All(data: Data([2, 3]), plain: Data([4]), number: nil, date: date, flag: nil))
        all.set(All(data: Data([7]), plain: Data([8]), number: 4, flag: false))
        let rows = catalogue.rows(in: settings)
        #expect(rows.map(\.text) == ["Bw==", "CA==", "4", "1970-01-01T00:00:00Z", "false"])
        let number = try #require(catalogue.setting(named: "number"))
        #expect(throws: SettingsError.self) { try settings.set(number, fromText: "10") }
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

    #if os(macOS) || os(Linux)
        private struct OtherKey: SettingsRecord {
            @SettingField var port = 1
            static let empty = OtherKey()
            private enum CodingKeys: String, CodingKey { case port = "listen-port" }
        }

        private struct SameName: SettingsRecord {
            @SettingField("b") var a = 1
            var b = 1
            static let empty = SameName()
        }

        private struct EmptyName: SettingsRecord {
            @SettingField("") var a = Log()
            static let empty = EmptyName()
        }

        private struct NestedWithHelp: SettingsRecord {
            @SettingField(help: "A") var log = Log()
            static let empty = NestedWithHelp()
        }

        final class Object: SettingsRecord, @unchecked Sendable {
            var port = 1
            static let empty = Object()
        }

        struct Computed: SettingsRecord {
            @SettingField(help: "A") var low = 1
            @SettingField(help: "B") var high = 2
            @SettingField(help: "C") var title = ""
            var both: Int {
                get { low }
                set { (low, high) = (newValue, newValue) }
            }
            var lowAndTitle: Int {
                get { low }
                set { (low, title) = (newValue, "") }
            }
            static let empty = Computed()
        }

        enum Mistake: String, Codable, CaseIterable {
            case otherKey, sameName, emptyName, nestedWithHelp, part, computed, computedOverTypes, object

            func make() throws {
                func open<Record: SettingsRecord>(_ type: Record.Type) throws -> SettingsStorage<Record> {
                    try SettingsStorage(in: MemoryStore())
                }
                switch self {
                case .otherKey: _ = try open(OtherKey.self)
                case .sameName: _ = try open(SameName.self)
                case .emptyName: _ = try open(EmptyName.self)
                case .nestedWithHelp: _ = SettingsCatalogue("N", describing: NestedWithHelp.self)
                case .part: try open(Server.self).reset(\.hosts[0])
                case .computed: try open(Computed.self).reset(\.both)
                case .computedOverTypes: try open(Computed.self).reset(\.lowAndTitle)
                case .object: _ = try open(Object.self)
                }
            }
        }

        @Test(
            "Attributes that cannot be followed, and key paths to no field, end the process",
            arguments: Mistake.allCases)
        func mistakes(mistake: Mistake) async {
            await #expect(processExitsWith: .failure) { [mistake] in try mistake.make() }
        }
    #endif
}
