import Foundation
import SettingsKitCore
import Testing

@Suite("What is stored")
struct StoredFormTests {
    private struct Tagged: Codable, Sendable, Equatable {
        var tags: Set<String> = []
        var b = 1
        var a = URL(string: "https://example.org/a")
    }

    private let store = MemoryStore()

    private func stored<T>(_ value: T, in setting: Setting<T>) -> String {
        SettingsService.over(store).set(setting, to: value)
        return String(decoding: store.get(setting.key) ?? Data(), as: UTF8.self)
    }

    @Test("Data is stored as it is", arguments: [Data(), Data([0, 1, 255]), Data("null".utf8), Data("\"x\"".utf8)])
    func rawData(data: Data) throws {
        let settings = SettingsService.over(store)
        let (plain, optional) = (
            Setting<Data>("plain", in: .defaults, default: Data([7])), Setting<Data?>("optional", in: .defaults)
        )
        settings.set(plain, to: data)
        settings.set(optional, to: data)
        #expect(store.get(plain.key) == data)
        #expect(store.get(optional.key) == data)
        #expect(try settings.load(plain) == data)
        #expect(try settings.load(optional) == data)
    }

    @Test("Everything else is compact JSON with sorted keys and plain slashes")
    func json() {
        #expect(stored(3, in: Setting<Int>("i", in: .defaults, default: 0)) == "3")
        #expect(stored(true, in: Setting<Bool>("b", in: .defaults, default: false)) == "true")
        #expect(stored("a/b", in: Setting<String>("s", in: .defaults, default: "")) == "\"a/b\"")
        #expect(stored([3, 1], in: Setting<[Int]>("l", in: .defaults, default: [])) == "[3,1]")
        let table = Setting<[String: Int]>("d", in: .defaults, default: [:])
        #expect(stored(["b": 1, "a": 2], in: table) == #"{"a":2,"b":1}"#)
        #expect(
            stored(Tagged(), in: Setting<Tagged>("t", in: .defaults, default: Tagged()))
                == #"{"a":"https://example.org/a","b":1,"tags":[]}"#)
        #expect(stored(0.5 as Float, in: Setting<Float>("f", in: .defaults, default: 0)) == "0.5")
    }

    @Test("Equal sets give equal bytes, independent of the order of insertion")
    func sets() throws {
        let words = (0..<200).map { "word \($0)" }
        let set = Setting<Set<String>>("set", in: .defaults, default: [])
        let optional = Setting<Set<Int>?>("optional", in: .defaults)
        let settings = SettingsService.over(store)
        let told = Recorder<Int>()
        settings.set(set, to: Set(words))
        settings.set(optional, to: Set(0..<200))
        let subscription = settings.observe { told.append($0.keys.count) }
        for _ in 0..<20 {
            var one = Set<String>(minimumCapacity: Int.random(in: 0...4_000))
            for word in words.shuffled() { one.insert(word) }
            var other = Set<Int>(minimumCapacity: Int.random(in: 0...4_000))
            for number in (0..<200).shuffled() { other.insert(number) }
            settings.set(set, to: one)
            settings.set(optional, to: other)
        }
        #expect(told.all.isEmpty)
        #expect(try settings.load(set) == Set(words))
        #expect(try settings.load(optional) == Set(0..<200))
        subscription.cancel()
    }

    @Test("A set in JSON order is read by any decoder; an unencodable member fails it")
    func setsAreJSON() throws {
        let bytes = try JSONTransformer<Set<String>>().transformValue(["b", "a/", "\""])
        #expect(try JSONDecoder().decode(Set<String>.self, from: bytes) == ["b", "a/", "\""])
        #expect(throws: EncodingError.self) { try JSONTransformer<Set<Double>>().transformValue([1, .nan]) }
        #expect(try JSONTransformer<Set<Int>>().transformValue([]) == Data("[]".utf8))
    }

    @Test("A custom encoder and decoder are used")
    func ownCoders() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let transformer = JSONTransformer<Date>(encoder: encoder, decoder: decoder)
        let setting = Setting<Date>("date", in: .defaults, default: .distantPast, transformer: transformer)
        #expect(stored(Date(timeIntervalSince1970: 0), in: setting) == "\"1970-01-01T00:00:00Z\"")
        #expect(try SettingsService.over(store).load(setting) == Date(timeIntervalSince1970: 0))
        let lenient = JSONTransformer<Date>(decoder: decoder)
        #expect(try lenient.untransformValue(Data("\"1970-01-01T00:00:01Z\"".utf8)) == Date(timeIntervalSince1970: 1))
    }

    @Test("A value that is stored in a lossy form reads as the stored form in another service")
    func lossyForm() {
        struct Rounding: Transformer {
            func transformValue(_ value: Double) -> Data { Data("\(Int(value))".utf8) }
            func untransformValue(_ output: Data) throws -> Double {
                Double(String(decoding: output, as: UTF8.self)) ?? 0
            }
        }
        let setting = Setting<Double>("d", in: .defaults, default: 0, transformer: Rounding())
        #expect(stored(2.75, in: setting) == "2")
        #expect(SettingsService.over(store).get(setting) == 2)
    }
}
