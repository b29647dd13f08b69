import Foundation
import SettingsKitCore
import Testing

@Suite("Records that are encoded by hand")
struct RecordMappingTests {
    private let store = MemoryStore()

    /// A record whose members and values are not its properties.
    private struct Mapped: SettingsRecord, Equatable {
        var first = 1
        var second = 2
        var apiURL: URL?
        var limit: Int? = 5

        static let empty = Mapped()

        struct Refused: Error {}

        enum CodingKeys: String, CodingKey {
            case first, sum
            case apiURL = "api-url"
            case limit
        }

        init(first: Int = 1, second: Int = 2, apiURL: URL? = nil, limit: Int? = 5) {
            (self.first, self.second, self.apiURL, self.limit) = (first, second, apiURL, limit)
        }

        func encode(to encoder: any Encoder) throws {
            if first < 0 { throw Refused() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(first, forKey: .first)
            try container.encodeIfPresent(apiURL?.absoluteString, forKey: .apiURL)
            try container.encodeIfPresent(limit, forKey: .limit)
            // A second container is the same object.
            var other = encoder.container(keyedBy: CodingKeys.self)
            try other.encode(first + second, forKey: .sum)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            first = try container.decode(Int.self, forKey: .first)
            second = try container.decode(Int.self, forKey: .sum) - first
            let address = try container.decodeIfPresent(String.self, forKey: .apiURL)
            if address == "broken" { throw Refused() }
            apiURL = address.flatMap { URL(string: $0) }
            limit = try container.decodeIfPresent(Int.self, forKey: .limit)
        }
    }

    @Test("Names and values can be mapped, and every member that depends on a property is written when that is set")
    func mapped() throws {
        let writes = Recorder<[String]>()
        let store = FeedStore(willWrite: { writes.append($0.map(\.key.name)) })
        let record = try SettingsStorage<Mapped>(name: "seed", in: store)
        record.first = 5
        record.second = 1
        record.apiURL = URL(string: "https://example.org")
        record.limit = nil
        #expect(
            store.texts == [
                "seed:first": "5", "seed:sum": "6", "seed:api-url": "\"https://example.org\"", "seed:limit": "null",
            ])
        #expect(writes.all == [["seed:first", "seed:sum"], ["seed:sum"], ["seed:api-url"], ["seed:limit"]])
        let expected = Mapped(first: 5, second: 1, apiURL: URL(string: "https://example.org"), limit: nil)
        #expect(try record.get() == expected && record.load() == expected)
        record.limit = 5
        record.apiURL = nil
        #expect(record.limit == 5 && store.texts["seed:api-url"] == nil)
    }

    @Test(
        "A record whose encoding throws is not written, and one that cannot be decoded is the default until it is saved"
    )
    func refused() throws {
        let problems = Recorder<SettingsError>()
        for (name, text) in ["seed:api-url": "\"broken\"", "seed:limit": "7"] { try store.put(name, text) }
        let record = try SettingsStorage<Mapped>(name: "seed", in: SettingsService.over(store, problems))
        #expect(record.get() == .empty && record.get() == .empty)
        #expect(problems.codes == [.decodingFailed])
        #expect(thrownCode { try record.load() } == .decodingFailed)
        let error = #expect(throws: SettingsError.self) { try record.save(Mapped(first: -1)) }
        #expect(error?.code == .encodingFailed && error?.underlying is Mapped.Refused)
        // A change would be calculated from what is not stored.
        record.update { $0.first = 3 }
        #expect(try store.text("seed:first") == nil && store.text("seed:limit") == "7")
        try record.save(Mapped(first: 4))
        #expect(try record.get() == Mapped(first: 4) && record.load() == Mapped(first: 4))
    }

    private struct Occasional: SettingsRecord, Equatable {
        var count: Int?
        var note: String?
        var isOn = false
        static let empty = Occasional()
        enum CodingKeys: CodingKey { case count, note, isOn }
        init(count: Int? = nil, note: String? = nil, isOn: Bool = false) {
            (self.count, self.note, self.isOn) = (count, note, isOn)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if let count { try container.encode(count, forKey: .count) }
            if let note {
                try container.encode(note, forKey: .note)
            } else {
                try container.encodeNil(forKey: .note)
            }
            if isOn { try container.encode(true, forKey: .isOn) }
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.decodeIfPresent(Int.self, forKey: .count)
            note = try container.decodeNil(forKey: .note) ? nil : container.decode(String.self, forKey: .note)
            isOn = container.contains(.isOn)
        }
    }

    @Test("A member that the empty record does not encode, or encodes without a type, is a field, too")
    func occasionalMember() throws {
        try store.put("o:count", "3")
        let record = try SettingsStorage<Occasional>(name: "o", in: store)
        #expect(record.get() == Occasional(count: 3))
        record.isOn = true
        record.note = ""
        record.count = nil
        #expect(try record.get() == Occasional(note: "", isOn: true) && store.text("o:count") == nil)
        #expect(try SettingsStorage<Occasional>(name: "o", in: SettingsService.over(store)).get() == record.get())
        record.set(.empty)
        #expect(store.keys().isEmpty && record.get() == .empty)
    }

    private struct Inner: SettingsRecord, Equatable {
        var port = 1
        var host = "a"
        static let empty = Inner()
    }

    private struct Outer: SettingsRecord, Equatable {
        var http = Inner()
        @SettingField("my-name") var name = "n"
        static let empty = Outer()
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            http = try container.decodeIfPresent(Inner.self, forKey: .http) ?? Inner(port: 8)
            for key in container.allKeys where key == .name {
                name = try container.decode(String.self, forKey: key)
            }
            #expect(Set(container.allKeys) == [.http, .name] && container.contains(.http))
        }
    }

    @Test("A record that decodes its nested records itself, or lists its keys, has the stored values")
    func nested() throws {
        for (name, text) in ["http.port": "7", "my-name": #""stored""#] { try store.put(name, text) }
        let outer = try SettingsStorage<Outer>(in: store)
        #expect(outer.http.port == 7 && outer.name == "stored")
        outer.http.port = 5
        outer.name = "new"
        #expect(outer.http.port == 5 && outer.name == "new")
        #expect(try SettingsStorage<Outer>(in: SettingsService.over(store)).get() == outer.get())
    }

    private struct Cached: SettingsRecord, Equatable {
        @SettingField("cache") var size = 1
        var cache = [0]
        static let empty = Cached()
        private enum CodingKeys: CodingKey { case size }
    }

    @Test("A property that is not stored has the empty record's value, and a field may have its name")
    func notStored() throws {
        let record = try SettingsStorage<Cached>(in: store)
        record.update {
            $0.size = 2
            $0.cache = []
        }
        #expect(try record.get() == Cached(size: 2) && store.text("cache") == "2")
        record.set(Cached(size: 3, cache: [1]))
        #expect(record.get() == Cached(size: 3))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A record with one member, of a name that it is told.
    private struct Named: SettingsRecord {
        static let empty = Named()
        var name = "a"
        init(_ name: String = "a") { self.name = name }
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(true, forKey: Key(stringValue: name))
        }
    }

    private struct Single: SettingsRecord {
        static let empty = Single()
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test("Names that no setting can have, and types without names, are refused, and nothing is written")
    func noNames() throws {
        #expect(thrownCode { try SettingsStorage<Single>(name: "s", in: store) } == .encodingFailed)
        let record = try SettingsStorage<Named>(name: "named", in: store)
        for name in ["b", "b\u{0}"] {
            #expect(thrownCode { try record.save(Named(name)) } == .encodingFailed)
        }
        #expect(store.keys().isEmpty)
    }
}
