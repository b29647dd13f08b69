import Foundation
import SettingsKitCore
import Testing

@Suite("The mapping of records")
struct RecordMappingTests {
    struct Odd: SettingsRecord, Equatable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case quote = "\"quoted\""
            case colon = "a:b"
            case emoji = "👩‍👩‍👧"
            case backslash = "\\\\ \\u0041"
            case lines = "two\nlines\t/"
            case empty = ""
            case accent = "e\u{301}"
        }

        var quote = 1, colon = 2, emoji = 3, backslash = 4, lines = 5, empty = 6, accent = 7

        static let empty = Odd()
    }

    @Test("Fields may have any name")
    func oddNames() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Odd>(name: "odd:one 🎛", in: store)
        let other = Odd(quote: 10, colon: 20, emoji: 30, backslash: 40, lines: 50, empty: 60, accent: 70)
        try record.save(other)
        #expect(record.get() == other)
        #expect(Set(store.keys()) == Set(Odd.CodingKeys.allCases.map { "odd:one 🎛:" + $0.rawValue }))
        #expect(try store.text("odd:one 🎛:\u{E9}") == "70")
        record.reset()
        #expect(store.keys().isEmpty)
    }

    struct Named: SettingsRecord {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var names: [String] = []
        static let empty = Named()

        init(_ names: [String] = []) { self.names = names }
        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for name in names { try container.encode(true, forKey: Key(stringValue: name)) }
        }
    }

    @Test("A field's name with NUL is an error, and nothing is written")
    func nulName() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Named>(name: "named", in: store)
        let error = try #require(throws: SettingsError.self) { try record.save(Named(["a", "b\u{0}"])) }
        #expect(error.code == .encodingFailed)
        #expect(store.keys().isEmpty)
    }

    /// The seed's example: names and values of one's own.
    struct Mapped: SettingsRecord, Equatable {
        var isDetailed = false
        var apiURL: URL?
        var armedAt: Date?
        var limit: Int? = 5

        static let empty = Mapped()

        struct Refused: Error {}

        func save(into row: inout SettingsRow) throws {
            if armedAt == .distantFuture { throw Refused() }
            row["is-detailed"] = isDetailed
            row["api-url"] = apiURL?.absoluteString
            row["armed-at"] = armedAt?.timeIntervalSince1970
            row["limit"] = limit
        }

        static func load(from row: SettingsRow) throws -> Mapped {
            let isDetailed: Bool? = row["is-detailed"]
            let apiURL: String? = row["api-url"]
            let armedAt: TimeInterval? = row["armed-at"]
            let limit: Int?? = row["limit"]
            if apiURL == "broken" { throw Refused() }
            return Mapped(
                isDetailed: isDetailed ?? empty.isDetailed, apiURL: apiURL.flatMap { URL(string: $0) } ?? empty.apiURL,
                armedAt: armedAt.map(Date.init(timeIntervalSince1970:)) ?? empty.armedAt, limit: limit ?? empty.limit)
        }
    }

    @Test("Names and values can be mapped by hand", arguments: StoreKind.allCases)
    func mapped(kind: StoreKind) throws {
        let store = kind.make()
        let problems = Recorder<SettingsError>()
        let record = try SettingsStorage<Mapped>(name: "seed", in: SettingsService.over(store, problems))
        record.isDetailed = true
        record.apiURL = URL(string: "https://example.org")
        record.armedAt = Date(timeIntervalSince1970: 1_000)
        record.limit = nil
        #expect(try store.text("seed:is-detailed") == "true")
        #expect(try store.text("seed:api-url") == "\"https://example.org\"")
        #expect(try store.text("seed:armed-at") == "1000")
        #expect(try store.text("seed:limit") == "null")
        #expect(record.limit == nil)
        #expect(record.get() == (try record.load()))
        record.limit = 5
        record.apiURL = nil
        #expect(try store.text("seed:api-url") == nil)
        #expect(record.limit == 5)
        // What is stored as something else is as good as missing.
        try store.set("seed:is-detailed", "\"maybe\"")
        #expect(record.get() == Mapped(armedAt: Date(timeIntervalSince1970: 1_000)))
        #expect(problems.all.map(\.key?.name) == ["seed:is-detailed"])
    }

    @Test("What saving throws keeps the record, and what a value cannot be is refused with its field's key")
    func refusedSaving() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Mapped>(name: "seed", in: store)
        record.limit = 6
        let refused = try #require(throws: SettingsError.self) {
            try record.save(Mapped(isDetailed: true, armedAt: .distantFuture))
        }
        #expect(refused.code == .encodingFailed && refused.underlying is Mapped.Refused)
        let notANumber = try #require(throws: SettingsError.self) {
            try record.save(Mapped(isDetailed: true, armedAt: Date(timeIntervalSince1970: .nan)))
        }
        #expect(notANumber.code == .encodingFailed && notANumber.key?.name == "seed:armed-at")
        #expect(store.keys() == ["seed:limit"])
    }

    @Test("A row of which no record can be made reads as the empty record, until one is saved")
    func refusedLoading() throws {
        let problems = Recorder<SettingsError>()
        let store = MemoryStore(["seed:api-url": Data("\"broken\"".utf8), "seed:limit": Data("7".utf8)])
        let record = try SettingsStorage<Mapped>(name: "seed", in: SettingsService.over(store, problems))
        #expect(record.get() == .empty)
        #expect(record.get() == .empty)
        #expect(problems.all.map(\.code) == [.decodingFailed])
        #expect(thrownCode { try record.load() } == .decodingFailed)
        // A change would be computed from what is not stored.
        record.update { $0.isDetailed = true }
        #expect(try store.text("seed:is-detailed") == nil)
        try record.save(Mapped(isDetailed: true))
        #expect(record.get() == Mapped(isDetailed: true))
        #expect(try record.load() == Mapped(isDetailed: true))
    }

    @propertyWrapper struct Clamped: Codable, Equatable, Sendable {
        private var value: Int
        var wrappedValue: Int {
            get { value }
            set { value = min(max(newValue, 0), 100) }
        }

        init(wrappedValue: Int) { value = min(max(wrappedValue, 0), 100) }
        init(from decoder: any Decoder) throws {
            self.init(wrappedValue: try decoder.singleValueContainer().decode(Int.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @propertyWrapper struct Plain<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
        var wrappedValue: Value
        init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
        init(from decoder: any Decoder) throws {
            wrappedValue = try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }

    struct Wrapped: SettingsRecord, Equatable {
        @Clamped var volume = 50
        @Plain var name: String? = nil
        @Plain var title: String? = "title"

        static let empty = Wrapped()
    }

    @Test("Fields may be wrapped")
    func wrapped() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Wrapped>(name: "w", in: store)
        record.volume = 200
        #expect(record.volume == 100)
        #expect(try store.text("w:volume") == "100")
        record.name = "Ann"
        record.title = nil
        #expect(record.name == "Ann" && record.title == nil)
        #expect(try store.text("w:title") == "null")
        record.name = nil
        #expect(record.name == nil)
        try store.set("w:volume", "\"loud\"")
        try store.set("w:name", nil)
        try store.set("w:title", nil)
        #expect(record.get() == .empty)
    }

    /// Containers in containers, written by hand, and conditional fields.
    struct Contained: SettingsRecord, Equatable {
        enum Key: String, CodingKey { case inner, list, flag, note }
        enum InnerKey: String, CodingKey { case x, y }

        var x = 1, y = 2
        var list = ["a"]
        var base = 5
        var hasFlag = false
        var note: String?

        static let empty = Contained()

        init(x: Int = 1, y: Int = 2, list: [String] = ["a"], base: Int = 5, hasFlag: Bool = false, note: String? = nil)
        {
            (self.x, self.y, self.list, self.base, self.hasFlag, self.note) = (x, y, list, base, hasFlag, note)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var inner = container.nestedContainer(keyedBy: InnerKey.self, forKey: .inner)
            try inner.encode(x, forKey: .x)
            try inner.encode(y, forKey: .y)
            var strings = container.nestedUnkeyedContainer(forKey: .list)
            for string in list { try strings.encode(string) }
            try base.encode(to: container.superEncoder())
            if hasFlag { try container.encode(true, forKey: .flag) }
            if let note { try container.encode(note, forKey: .note) } else { try container.encodeNil(forKey: .note) }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let inner = try container.nestedContainer(keyedBy: InnerKey.self, forKey: .inner)
            x = try inner.decode(Int.self, forKey: .x)
            y = try inner.decode(Int.self, forKey: .y)
            var strings = try container.nestedUnkeyedContainer(forKey: .list)
            list = []
            while !strings.isAtEnd { list.append(try strings.decode(String.self)) }
            base = try Int(from: container.superDecoder())
            hasFlag = container.contains(.flag)
            note = try container.decodeNil(forKey: .note) ? nil : container.decode(String.self, forKey: .note)
        }
    }

    @Test("Containers in containers are fields of their own")
    func containers() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Contained>(name: "c", in: store)
        record.update {
            $0.y = 20
            $0.list.append("b\"")
            $0.hasFlag = true
            $0.note = ""
        }
        #expect(
            try Dictionary(uniqueKeysWithValues: store.keys().map { ($0, try store.text($0)) })
                == ["c:inner": "{\"x\":1,\"y\":20}", "c:list": "[\"a\",\"b\\\"\"]", "c:flag": "true", "c:note": "\"\""])
        record.base = 6
        #expect(try store.text("c:super") == "6")
        #expect(record.get() == Contained(x: 1, y: 20, list: ["a", "b\""], base: 6, hasFlag: true, note: ""))
        record.update {
            $0.hasFlag = false
            $0.note = nil
        }
        #expect(try store.text("c:flag") == nil)
        #expect(try store.text("c:note") == nil)
    }

    @Test(
        "A container or a hand-made field that holds something else takes the default, and the others stay",
        arguments: [
            ("c:inner", "\"no\"", Contained(list: ["b"], base: 6)),
            ("c:inner", "{\"x\":7}", Contained(list: ["b"], base: 6)),
            ("c:inner", "{", Contained(list: ["b"], base: 6)), ("c:list", "{}", Contained(x: 7, y: 8, base: 6)),
            ("c:list", "[1]", Contained(x: 7, y: 8, base: 6)),
            ("c:super", "true", Contained(x: 7, y: 8, list: ["b"])),
            ("c:note", "5", Contained(x: 7, y: 8, list: ["b"], base: 6)),
        ])
    func undecodableContainer(name: String, text: String, expected: Contained) throws {
        let problems = Recorder<SettingsError>()
        let store = MemoryStore([
            "c:inner": Data("{\"x\":7,\"y\":8}".utf8), "c:list": Data("[\"b\"]".utf8), "c:super": Data("6".utf8),
        ])
        try store.set(name, text)
        let record = try SettingsStorage<Contained>(name: "c", in: SettingsService.over(store, problems))
        #expect(record.get() == expected)
        #expect(problems.all.map(\.code) == [.decodingFailed])
        #expect(problems.all.map(\.key?.name) == [name])
        // It stays while others change, and goes when the record is saved.
        record.hasFlag = true
        #expect(try store.text(name) == text)
        try record.save(record.get())
        #expect(try store.text(name) != text)
        #expect(problems.count == 1)
    }

    struct Single: SettingsRecord {
        var value = 1
        static let empty = Single()

        init() {}
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test("A type that is not encoded as an object is refused at once")
    func noObject() {
        #expect(
            thrownCode {
                try SettingsStorage<Single>(name: "single", in: MemoryStore())
            } == .encodingFailed)
    }

    @Test("Records lie side by side by name, and know nothing of each other")
    func sideBySide() throws {
        let store = MemoryStore()
        let one = try SettingsStorage<Parameters>(name: "one", in: store)
        let two = try SettingsStorage<Parameters>(name: "two", in: store)
        let inner = try SettingsStorage<Pair>(name: "one:inner", in: store)
        one.attempts = 1
        two.attempts = 2
        inner.left = 3
        #expect((one.attempts, two.attempts, inner.left) == (1, 2, 3))
        try store.set("one:SettingsKit:migrations", "[\"v1\"]")
        try store.set("oneself", "1")
        one.reset()
        #expect(one.get() == .empty)
        #expect((two.attempts, inner.left) == (2, 3))
        #expect(Set(store.keys()) == ["two:attempts", "one:inner:left", "one:SettingsKit:migrations", "oneself"])
    }
}
