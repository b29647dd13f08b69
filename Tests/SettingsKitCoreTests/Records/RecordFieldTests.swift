import Foundation
import SettingsKitCore
import Testing

@Suite("The fields of records")
struct RecordFieldTests {
    struct Everything: SettingsRecord, Equatable {
        enum Theme: String, Codable { case light, dark }
        enum Shape: Codable, Equatable {
            case circle(radius: Double)
            case none
        }
        struct Nested: Codable, Equatable {
            var name = "inner"
            var list = [1, 2]
            var deeper: [String: [Bool?]] = [:]
        }

        var flag = false
        var number = 1
        var small: Int8 = 2
        var large: UInt64 = 3
        var signed: Int64 = -4
        var double = 0.5
        var float: Float = 0.25
        var decimal = Decimal(1)
        var text = "text"
        var note: String?
        var caption: String? = "caption"
        var data = Data([1, 2])
        var date = Date(timeIntervalSinceReferenceDate: 1.5)
        var url = URL(string: "https://example.org/a?b=c&d=%20")
        var identifier: UUID?
        var theme = Theme.light
        var shape = Shape.none
        var nested = Nested()
        var nothing: Nested?
        var list = ["one"]
        var optionals: [Int?] = []
        var byName = ["a": 1]
        var byNumber = [1: "a"]
        var set: Set = [1]
        var range = 1...2

        static let empty = Everything()

        static let other = Everything(
            flag: true, number: .min, small: .max, large: .max, signed: .min, double: -.greatestFiniteMagnitude,
            float: .leastNonzeroMagnitude, decimal: Decimal(sign: .minus, exponent: -7, significand: 123_456_789),
            text: "quote \" backslash \\ slash / 🧮 e\u{301} \u{0} \u{1F} \u{7F} \u{2028} \r\n\t", note: "",
            caption: nil,
            data: Data(0...255), date: Date(timeIntervalSinceReferenceDate: -1e-3), url: nil,
            identifier: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), theme: .dark,
            shape: .circle(radius: 2.5), nested: Nested(name: "}{][,:\"", list: [], deeper: ["x,\"y": [true, nil]]),
            nothing: Nested(), list: [], optionals: [nil, 1], byName: ["": 0, "\"": 2], byNumber: [-1: "", 2: "b"],
            set: [3, 1, 2], range: -5...5)
    }

    @Test("Values of every kind come back, from every store", arguments: StoreKind.allCases)
    func roundTrip(kind: StoreKind) throws {
        let store = kind.make()
        let record = try SettingsStorage<Everything>(name: "everything", in: store)
        #expect(record.get() == .empty)
        try record.save(.other)
        #expect(record.get() == .other)
        #expect(try record.load() == .other)
        let service = SettingsService.over(store)
        #expect(try SettingsStorage<Everything>(name: "everything", in: service).get() == .other)
        try record.save(.empty)
        #expect(record.get() == .empty)
        #expect(try record.load() == .empty)
    }

    @Test("Each field lies under a key of its own, as JSON, and only those that change are written")
    func ownKeys() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map(\.key.name)) })
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        #expect(store.stored.isEmpty)
        record.isDetailed = true
        record.update(\.attempts) { $0 += 1 }
        record.apiURL = URL(string: "https://example.org/a/b")
        record.armedAt = Date(timeIntervalSinceReferenceDate: 2.5)
        #expect(
            store.stored.texts == [
                "network:isDetailed": "true", "network:attempts": "4", "network:apiURL": "\"https://example.org/a/b\"",
                "network:armedAt": "\"2001-01-01T00:00:02.5Z\"",
            ])
        var changed = record.get()
        changed.attempts = 9
        changed.isDetailed = false
        record.set(changed)
        record.update {
            $0.apiURL = nil
            $0.armedAt = nil
        }
        #expect(
            writes.all == [
                ["network:isDetailed"], ["network:attempts"], ["network:apiURL"], ["network:armedAt"],
                ["network:attempts", "network:isDetailed"], ["network:apiURL", "network:armedAt"],
            ])
        #expect(store.stored.texts == ["network:isDetailed": "false", "network:attempts": "9"])
    }

    @Test("Setting a field to its current value writes nothing and notifies no listener", arguments: StoreKind.allCases)
    func equalValues(kind: StoreKind) async throws {
        let store = kind.make()
        let settings = SettingsService.over(store)
        let told = Recorder<Int>()
        let token = settings.observe(Setting<Int>("network:attempts", in: .defaults, default: 3)) {
            told.append($0.newValue)
        }
        let record = try SettingsStorage<Parameters>(name: "network", in: settings)
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        record.attempts = 3
        record.set(.empty)
        record.update { $0.limit = 10 }
        #expect(try store.text("network:attempts") == nil)
        record.attempts = 4
        record.attempts = 4
        record.update { $0.attempts += 0 }
        record.set(Parameters(attempts: 4))
        #expect(told.all == [4])
        #expect(await records.next() == Parameters(attempts: 4))
        record.limit = 11
        #expect(await records.next() == Parameters(attempts: 4, limit: 11))
        token.cancel()
    }

    @Test("nil is stored as null where the default is not nil, and differs from missing")
    func optionals() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        #expect(record.limit == 10)
        record.limit = nil
        #expect(record.limit == nil)
        #expect(try store.text("network:limit") == "null")
        #expect(try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store)).limit == nil)
        try store.set("network:limit", nil)
        #expect(record.limit == 10)
        record.limit = 10
        #expect(store.keys().isEmpty)
        record.limit = nil
        record.limit = 10
        #expect(try store.text("network:limit") == "10")
        // Where the default is nil, nothing is stored for nil, and null reads as it.
        try store.set("network:apiURL", "null")
        #expect(record.apiURL == nil)
        record.apiURL = URL(string: "a:b")
        record.apiURL = nil
        #expect(try store.text("network:apiURL") == nil)
    }

    @Test("Fields of a newer version stay what they are until the record is erased")
    func unknownFields() throws {
        let store = MemoryStore([
            "network:attempts": Data("5".utf8), "network:later": Data("{\"a\":[1]}".utf8), "other": Data("1".utf8),
        ])
        let record = try SettingsStorage<Parameters>(name: "network", in: store)
        record.update {
            $0.attempts = 6
            $0.isDetailed = true
        }
        record.set(.empty)
        #expect(try store.text("network:later") == "{\"a\":[1]}")
        record.reset()
        #expect(store.keys() == ["other"])
    }

    @Test("A field that holds something else reads as the empty record's, and stays until it is changed")
    func undecodable() throws {
        let problems = Recorder<SettingsError>()
        let store = MemoryStore([
            "network:attempts": Data("\"secret\"".utf8), "network:limit": Data("{".utf8),
            "network:apiURL": Data("[7]".utf8), "network:isDetailed": Data("true".utf8),
            "network:armedAt": Data([0xFF, 0x00]),
        ])
        let record = try SettingsStorage<Parameters>(name: "network", in: SettingsService.over(store, problems))
        #expect(record.get() == Parameters(isDetailed: true))
        #expect(try record.load() == Parameters(isDetailed: true))
        #expect(problems.all.allSatisfy { $0.code == .decodingFailed })
        #expect(
            Set(problems.all.compactMap(\.key?.name))
                == ["network:attempts", "network:limit", "network:apiURL", "network:armedAt"])
        #expect(problems.count == 4)
        #expect(!problems.all.contains { "\($0)".contains("secret") })
        record.isDetailed = false
        #expect(try store.text("network:attempts") == "\"secret\"")
        record.attempts = 4
        #expect(try store.text("network:attempts") == "4")
        // A whole record puts all of it in order.
        try record.save(record.get())
        #expect(try store.text("network:limit") == "10")
        #expect(try store.text("network:apiURL") == nil)
        #expect(try store.text("network:armedAt") == nil)
        #expect(problems.count == 4)
    }

    struct Measured: SettingsRecord, Equatable {
        var ratio = 1.0
        var samples: [Double] = []
        var inner = Inner()
        var count = 0

        struct Inner: Codable, Equatable { var float: Float = 0 }

        static let empty = Measured()
    }

    @Test(
        "A number that JSON cannot hold is refused with the field's key, and nothing is written",
        arguments: [
            ("ratio", Measured(ratio: .nan, count: 1)), ("samples", Measured(samples: [.infinity], count: 1)),
            ("inner", Measured(inner: .init(float: -.infinity), count: 1)),
        ])
    func notANumber(field: String, value: Measured) throws {
        let problems = Recorder<SettingsError>()
        let store = FeedStore(willWrite: { _ in Issue.record("Nothing may be written.") })
        let record = try SettingsStorage<Measured>(name: "m", in: SettingsService.over(store, problems))
        let error = try #require(throws: SettingsError.self) { try record.save(value) }
        #expect(error.code == .encodingFailed && error.key?.name == "m:\(field)")
        #expect(!"\(error)".lowercased().contains("nan") && !"\(error)".contains("inf"))
        record.set(value)
        record.update { $0 = value }
        #expect(problems.all.map(\.key?.name) == ["m:\(field)", "m:\(field)"])
        #expect(record.get() == .empty)
    }

    struct Nothing: SettingsRecord, Equatable { static let empty = Nothing() }

    @Test("A record without fields has nothing to store")
    func noFields() async throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Nothing>(name: "nothing", in: store)
        record.set(.empty)
        #expect(record.get() == .empty)
        #expect(store.keys().isEmpty)
        try store.set("nothing:later", "1")
        var records = record.values.makeAsyncIterator()
        #expect(await records.next() == .empty)
        record.reset()
        #expect(store.keys().isEmpty)
    }

    /// Two hundred fields, with names that only the program knows.
    struct Wide: SettingsRecord, Equatable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var numbers = Array(0..<200)

        static let empty = Wide()

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            numbers = try (0..<200).map { try container.decode(Int.self, forKey: Key(stringValue: "field \($0)")) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (position, number) in numbers.enumerated() {
                try container.encode(number, forKey: Key(stringValue: "field \(position)"))
            }
        }
    }

    @Test("Of two hundred fields, those that change are written", arguments: StoreKind.allCases)
    func manyFields(kind: StoreKind) throws {
        let store = kind.make()
        let record = try SettingsStorage<Wide>(name: "wide", in: store)
        record.update { for position in stride(from: 0, to: 200, by: 10) { $0.numbers[position] = -1 } }
        let stored = try (0..<200).filter { try store.text("wide:field \($0)") != nil }
        #expect(stored == Array(stride(from: 0, to: 200, by: 10)))
        #expect(record.numbers.enumerated().allSatisfy { $1 == ($0 % 10 == 0 ? -1 : $0) })
        record.reset()
        #expect(record.get() == .empty)
    }
}
