import Foundation
import SettingsKitCore
import Testing

// Types with one name, whose attributes are evaluated together.
private enum Net {
    struct Options: SettingsRecord, Equatable {
        var tls = TLS.Options()
        @SettingField(validation: .range(1...65_535), help: "The port.") var port = 1
        var sizes = [Sizes.Options()]
        static let empty = Options()
    }
}

private enum TLS {
    struct Options: SettingsRecord, Equatable {
        @SettingField(validation: .range(1...10), help: "The connections.") var connections = 2
        static let empty = Options()
    }
}

private enum Sizes {
    struct Options: Codable, Equatable {
        @SettingField(validation: .range(5...6), help: "A size.") var size = 5
    }
}

@Suite("Which attribute belongs to which field of a record")
struct RecordLayoutTests {
    struct Inner: SettingsRecord, Equatable {
        @SettingField(validation: .range(1...9), help: "p") var port = 1
        var host = "a"
        static let empty = Inner()
    }

    private let store = MemoryStore()

    private func helps(_ settings: [SettingDefinition]) -> [String: String] {
        Dictionary(settings.map { ($0.key.name, $0.help ?? "") }) { first, _ in first }
    }

    @Test("Types with the same name in one file have their own attributes")
    func sameName() throws {
        let catalogue = SettingsCatalogue("Net", describing: Net.Options.self)
        #expect(
            helps(catalogue.settings) == ["tls.connections": "The connections.", "port": "The port.", "sizes": ""])
        let net = try SettingsStorage<Net.Options>(in: store)
        net.port = 9_000
        net.tls.connections = 11
        #expect(net.port == 9_000 && net.tls.connections == 2)
    }

    @Test("A record that decodes its nested records itself, or lists its keys, has the stored values")
    func customDecoding() throws {
        struct Outer: SettingsRecord, Equatable {
            var http = Inner()
            @SettingField("my-name") var name = "n"
            var other = Inner()
            var third = Inner()
            static let empty = Outer()
            private enum InnerKey: CodingKey { case port }
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                http = try container.decodeIfPresent(Inner.self, forKey: .http) ?? Inner(port: 8)
                for key in container.allKeys where key == .name {
                    name = try container.decode(String.self, forKey: key)
                }
                if container.allKeys.contains(.other) {
                    let inner = try container.nestedContainer(keyedBy: InnerKey.self, forKey: .other)
                    other.port = try inner.decode(Int.self, forKey: .port)
                }
                third = try Inner(from: container.superDecoder(forKey: .third))
            }
        }
        try store.put("http.port", "7")
        try store.put("my-name", #""stored""#)
        try store.put("other.port", "6")
        let outer = try SettingsStorage<Outer>(in: store)
        #expect(outer.http.port == 7 && outer.name == "stored" && outer.other.port == 6)
        outer.http.port = 5
        outer.name = "new"
        outer.third.port = 4
        #expect(outer.http.port == 5 && outer.name == "new" && outer.third.port == 4)
        #expect(try SettingsStorage<Outer>(in: store).get() == outer.get())
    }

    @Test("An optional field has one value with and without an attribute, and as a setting of the catalogue")
    func optionals() throws {
        struct Fields: SettingsRecord, Equatable {
            var plain: Int?
            @SettingField var declared: Int? = nil
            var flag: Bool? = true
            var text: String?
            var data: Data?
            static let empty = Fields()
        }
        let (user, low) = (FeedStore(), FeedStore())
        let texts = ["--plain", "x", "--text", #""null""#, "--data", "null"]
        let variables = ["E_PLAIN": "null", "E_DECLARED": "null", "E_FLAG": "null"]
        let layered = try LayeredStore([
            .arguments(texts), .environment(prefix: "E_", variables), .writable(user), .fallback(low, name: "low"),
        ])
        let settings = SettingsService(stores: [.defaults: layered], diagnosticSink: .none)
        let fields = try SettingsStorage<Fields>(in: settings)
        user.changeFromOutside([("plain", "5"), ("declared", "5"), ("flag", "false")])
        low.changeFromOutside([("text", #""low""#)])
        let catalogue = SettingsCatalogue("F", describing: Fields.self)
        func agree() -> Bool {
            let values = fields.get()
            return zip(catalogue.settings, [values.plain, values.declared]).allSatisfy { setting, value in
                settings.text(of: setting) == value.map { "\($0)" } ?? "null"
            }
        }
        #expect(fields.get() == Fields(flag: nil, text: "null", data: fields.data) && agree())
        #expect(settings.text(of: catalogue.settings[4]) == fields.data?.base64EncodedString() ?? "null")

        let bare = SettingsService(stores: [.defaults: user], diagnosticSink: .none)
        let alone = try SettingsStorage<Fields>(in: bare)
        for name in ["plain", "declared"] {
            user.changeFromOutside([(name, "9")])
            user.changeFromOutside([(name, "null")])
            user.changeFromOutside([(name, #""x""#)])
        }
        #expect(alone.plain == nil && alone.declared == nil)
    }

    @Test("A field accepts the stored forms that a setting accepts")
    func tolerance() throws {
        struct Fields: SettingsRecord, Equatable {
            var number = 1, flag = false, real = 0.5
            var optional: Int?
            static let empty = Fields()
        }
        for (name, text) in ["number": #""8080""#, "flag": "1", "real": #""2.5""#, "optional": #""7""#] {
            try store.put(name, text)
        }
        #expect(
            try SettingsStorage<Fields>(in: store).get() == Fields(number: 8_080, flag: true, real: 2.5, optional: 7))
    }

    @Test("Setting the value that is in force replaces bytes that are no value")
    func replacingBadBytes() throws {
        let feed = FeedStore()
        let settings = SettingsService(stores: [.defaults: feed], diagnosticSink: .none)
        let inner = try SettingsStorage<Inner>(in: settings)
        let changes: [(SettingsStorage<Inner>) throws -> Void] = [
            { $0.port = 9 }, { try $0.save($0.get()) }, { $0.set($0.get()) }, { $0.set(\.port, to: 9) },
        ]
        for change in changes {
            feed.changeFromOutside([("port", "9"), ("host", #""b""#)])
            feed.changeFromOutside([("port", "-1"), ("host", "1")])
            #expect(inner.get() == Inner(port: 9, host: "b"))
            inner.update { $0.host += "" }
            #expect(try feed.text("port") == "-1")
            try change(inner)
            #expect(try feed.text("port") == "9" && inner.get() == Inner(port: 9, host: "b"))
        }
    }

    @Test(
        "A value that was removed does not come back, and of many edits the last good one stays", arguments: [1, 8, 40])
    func manyEdits(count: Int) throws {
        let (feed, problems) = (FeedStore(), Recorder<SettingsError>())
        let settings = SettingsService(stores: [.defaults: feed], diagnosticSink: .init { problems.append($0) })
        let inner = try SettingsStorage<Inner>(in: settings)
        for edit in 0..<count {
            feed.changeFromOutside([("port", "\(edit % 7 + 2)")])
            #expect(inner.port == edit % 7 + 2)
        }
        // Not read.
        feed.changeFromOutside([("port", "9")])
        for bad in 0..<5 { feed.changeFromOutside([("port", "\(-bad)")]) }
        // Only the bytes that are stored are reported.
        #expect(inner.port == 9 && problems.all.count == 1)
        feed.changeFromOutside([("port", nil)])
        #expect(inner.port == 1)
        for bad in 0..<20 { feed.changeFromOutside([("port", "\(-bad)")]) }
        #expect(inner.port == 1)
    }

    @Test("A default that the validation rejects keeps no record from being saved")
    func invalidDefault() throws {
        struct Required: SettingsRecord, Equatable {
            @SettingField(validation: .notEmpty) var token = ""
            var port = 1
            static let empty = Required()
        }
        try store.put("token", "1")
        let required = try SettingsStorage<Required>(in: store)
        required.set(Required(port: 9))
        #expect(store.keys() == ["port"] && required.get() == Required(port: 9))
        required.token = "x"
        required.set(.empty)
        #expect(required.get() == .empty)
        #expect(thrownCode { try required.save(Required(token: "x", port: 2)) } == nil && required.token == "x")
    }

    @Test("A custom mapping may save a field as another type, and a nested record as one value")
    func customMappings() throws {
        struct Custom: SettingsRecord, Equatable {
            @SettingField(help: "The address.", isSecret: true) var url: URL? = nil
            var http = Inner()
            static let empty = Custom()
            func save(into row: inout SettingsRow) {
                row["url"] = url?.absoluteString
                row["http"] = http
            }
            static func load(from row: SettingsRow) -> Custom {
                let address: String? = row["url"]
                return Custom(url: address.flatMap { URL(string: $0) }, http: row["http"] ?? empty.http)
            }
        }
        let custom = try SettingsStorage<Custom>(in: store)
        custom.url = URL(string: "https://example.org")
        custom.http.port = 5
        #expect(store.keys().sorted() == ["http", "url"] && custom.http.port == 5)
        let settings = SettingsCatalogue("C", describing: Custom.self).settings
        #expect(settings.map(\.isSecret) == [true, false] && settings[0].help == "The address.")
    }

    @Test("A nested record with a custom mapping has the defaults of the outer record")
    func nestedDefaults() throws {
        struct Numbered: SettingsRecord, Equatable {
            var n = 1
            static let empty = Numbered()
            func save(into row: inout SettingsRow) { row["n"] = n }
            static func load(from row: SettingsRow) -> Numbered { Numbered(n: row["n"] ?? empty.n) }
        }
        struct Outer: SettingsRecord, Equatable {
            var inner = Numbered(n: 5)
            static let empty = Outer()
        }
        let outer = try SettingsStorage<Outer>(in: store)
        #expect(outer.inner.n == 5)
        outer.inner.n = 6
        #expect(try store.text("inner.n") == "6" && outer.inner.n == 6)
    }

    @Test("A record that maps itself need not be encodable")
    func withoutCoding() throws {
        struct Mapped: SettingsRecord {
            var n = 1
            static let empty = Mapped()
            init(n: Int = 1) { self.n = n }
            init(from decoder: any Decoder) { fatalError("not used") }
            func encode(to encoder: any Encoder) { fatalError("not used") }
            func save(into row: inout SettingsRow) { row["n"] = n }
            static func load(from row: SettingsRow) -> Mapped { Mapped(n: row["n"] ?? empty.n) }
        }
        let mapped = try SettingsStorage<Mapped>(in: store)
        mapped.n = 2
        #expect(mapped.n == 2)
    }

    @Test("Fields that a record encodes beside nested containers are found, and so are types with unusual names")
    func unusualTypes() throws {
        struct `Some Settings`: SettingsRecord {
            @SettingField(help: "The port.") var port = 1
            var extra = 2
            static let empty = `Some Settings`()
            enum Keys: String, CodingKey { case port, extra }
            init(port: Int = 1) { self.port = port }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                self.init(port: try container.decode(Int.self, forKey: .port))
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(port, forKey: .port)
                var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .extra)
                try inner.encode(extra, forKey: .extra)
            }
        }
        let storage = try SettingsStorage<`Some Settings`>(in: store)
        storage.port = 3
        #expect(try storage.port == 3 && store.text("port") == "3")
    }

    @Test("The groups of a catalogue have the fields of the nested records with the longest name")
    func groups() {
        struct Outer: SettingsRecord {
            @SettingField("a") var first = Inner()
            @SettingField("a.b") var second = Inner()
            static let empty = Outer()
        }
        let groups = SettingsCatalogue("O", describing: Outer.self).groups
        #expect(groups.map(\.title) == ["a", "a.b"])
        #expect(groups.map { $0.settings.map(\.key.name) } == [["a.port", "a.host"], ["a.b.port", "a.b.host"]])
    }

    @Test("A field may have the name of a property that is not stored")
    func nameOfAnotherProperty() throws {
        struct Cached: SettingsRecord, Equatable {
            @SettingField("cache") var size = 1
            var cache = [0]
            static let empty = Cached()
            private enum CodingKeys: CodingKey { case size }
        }
        let cached = try SettingsStorage<Cached>(in: store)
        cached.update {
            $0.size = 2
            $0.cache = []
        }
        #expect(try cached.get() == Cached(size: 2) && store.text("cache") == "2")
    }

    private struct PlainTwice: SettingsRecord {
        @SettingField("b") var a = 1
        var b = 2
        static let empty = PlainTwice()
    }

    private struct NestedTwice: SettingsRecord {
        @SettingField("inner.port") var a = 1
        var inner = Inner()
        static let empty = NestedTwice()
    }

    private struct RecordsTwice: SettingsRecord {
        @SettingField("inner") var a = Inner()
        var inner = Inner()
        static let empty = RecordsTwice()
    }

    private struct EmptyName: SettingsRecord {
        @SettingField("") var a = Inner()
        static let empty = EmptyName()
    }

    private struct OtherType: SettingsRecord {
        @SettingField(validation: .init("must be short") { $0.absoluteString.count < 9 }) var url = URL(
            fileURLWithPath: "/")
        static let empty = OtherType()
        func save(into row: inout SettingsRow) { row["url"] = url.absoluteString }
        static func load(from row: SettingsRow) -> OtherType { empty }
    }

    #if os(macOS) || os(Linux)
        @Test("Names that two fields would have, and validations that cannot be applied, end the process")
        func mistakes() async {
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<PlainTwice>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<NestedTwice>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<RecordsTwice>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<EmptyName>(in: MemoryStore()) }
            await #expect(processExitsWith: .failure) { _ = try SettingsStorage<OtherType>(in: MemoryStore()) }
        }
    #endif
}
