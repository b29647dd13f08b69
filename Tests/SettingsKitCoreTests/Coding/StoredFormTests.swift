import Foundation
import SettingsKitCore
import Testing

@Suite("What is stored")
struct StoredFormTests {
    private struct Tagged: Codable, Sendable, Equatable {
        var tags: Set<String> = []
        var b = 1
        var a = URL(string: "https://example.org/a")
        var at = Date(timeIntervalSinceReferenceDate: 2.5)
    }

    private let store = MemoryStore()

    private func stored<T: Codable & Sendable>(_ value: T, _ default: T) -> String {
        let setting = Setting<T>("\(T.self)", in: .defaults, default: `default`)
        SettingsService.over(store).set(setting, to: value)
        return String(decoding: store.get(setting.key) ?? Data(), as: UTF8.self)
    }

    @Test("Data is stored as it is", arguments: [Data(), Data([0, 1, 255]), Data("null".utf8), Data("\"x\"".utf8)])
    func rawData(data: Data) throws {
        let settings = SettingsService.over(store)
        let plain = Setting<Data>("plain", in: .defaults, default: Data([7]))
        let optional = Setting<Data?>("optional", in: .defaults)
        settings.set(plain, to: data)
        settings.set(optional, to: data)
        #expect(store.get(plain.key) == data && store.get(optional.key) == data)
        #expect(try settings.load(plain) == data && settings.load(optional) == data)
    }

    @Test("Everything else is compact JSON with sorted keys and plain slashes, and dates and durations as text")
    func json() {
        #expect(stored(3, 0) == "3" && stored(true, false) == "true" && stored(0.5 as Float, 0) == "0.5")
        #expect(stored("a/b", "") == "\"a/b\"" && stored([3, 1], []) == "[3,1]")
        #expect(stored(["b": 1, "a": 2], [:]) == #"{"a":2,"b":1}"#)
        #expect(stored(Duration.seconds(120), .zero) == #""2m""#)
        #expect(stored(Date(timeIntervalSinceReferenceDate: 1), .distantPast) == #""2001-01-01T00:00:01Z""#)
        #expect(
            stored(Tagged(), Tagged(b: 2))
                == #"{"a":"https://example.org/a","at":"2001-01-01T00:00:02.5Z","b":1,"tags":[]}"#)
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
            settings.set(set, to: one)
            settings.set(optional, to: Set((0..<200).shuffled()))
        }
        #expect(told.all.isEmpty)
        #expect(try settings.load(set) == Set(words) && settings.load(optional) == Set(0..<200))
        subscription.cancel()
    }
}
