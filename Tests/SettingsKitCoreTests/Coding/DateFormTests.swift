import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Stored dates and durations")
struct DateFormTests {
    private struct Plan: SettingsRecord, Equatable {
        var at = Date(timeIntervalSinceReferenceDate: 0)
        var end: Date?
        @SettingField(help: "How long it pauses.") var pause = Duration.seconds(1)
        var limit: Duration?
        static let empty = Plan()
    }

    @Test("Every date that is a number comes back, alone and inside another value")
    func everyDate() throws {
        let transformer = JSONTransformer<Date>()
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<Rounds.choose(3_000, full: 100_000) {
            let time =
                round.isMultiple(of: 2)
                ? Double(bitPattern: .random(in: .min ... .max, using: &generator))
                : Double.random(in: -1e9...2e9, using: &generator)
            if !time.isFinite { continue }
            let date = Date(timeIntervalSinceReferenceDate: time)
            let bytes = try transformer.transformValue(date)
            #expect(try transformer.untransformValue(bytes) == date, "\(seed)")
            #expect(try JSONScalars.data(ofMember: date) == bytes, "\(seed)")
            #expect(try JSONScalars.value(Date.self, from: bytes) == date, "\(seed)")
        }
        #expect(throws: EncodingError.self) {
            try transformer.transformValue(Date(timeIntervalSinceReferenceDate: .nan))
        }
    }

    @Test("The fields of a record have the forms of settings, and are read from the forms of Codable")
    func fields() throws {
        let store = MemoryStore()
        let record = try SettingsStorage<Plan>(name: "plan", in: store)
        let plan = Plan(
            at: Date(timeIntervalSinceReferenceDate: 2.5), end: Date(timeIntervalSinceReferenceDate: 5),
            pause: .milliseconds(1_500), limit: .seconds(120))
        try record.save(plan)
        let texts = ["at", "end", "pause", "limit"].map { name in
            store.get(key("plan:\(name)")).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(texts == ["\"2001-01-01T00:00:02.5Z\"", "\"2001-01-01T00:00:05Z\"", "\"1.5s\"", "\"2m\""])
        #expect(try SettingsStorage<Plan>(name: "plan", in: store).load() == plan)
        for (name, text) in [
            ("at", "2.5"), ("end", "5"), ("pause", "[0,1500000000000000000]"), ("limit", "[6,9319535557742690304]"),
        ] {
            store.set(key("plan:\(name)"), to: Data(text.utf8))
        }
        #expect(try SettingsStorage<Plan>(name: "plan", in: store).load() == plan)
        for name in ["pause", "limit"] { store.set(key("plan:\(name)"), to: Data("\"soon\"".utf8)) }
        let rejected = try SettingsStorage<Plan>(name: "plan", in: store).load()
        #expect(rejected.pause == Plan.empty.pause && rejected.limit == nil)
    }

    @Test("The longest and the shortest duration come back, and one without a text is as Codable encodes it")
    func durations() throws {
        let transformer = JSONTransformer<Duration>()
        for value in [Duration(attoseconds: .max), Duration(attoseconds: .min), Duration(attoseconds: -1), .zero] {
            let bytes = try transformer.transformValue(value)
            #expect(try transformer.untransformValue(bytes) == value)
            #expect(try JSONTransformer<Duration?>().transformValue(value) == bytes)
            #expect(try JSONTransformer<Duration?>().untransformValue(bytes) == value)
            #expect(bytes.first == UInt8(ascii: value == Duration(attoseconds: .min) ? "[" : "\""))
        }
        #expect(try JSONTransformer<Duration?>().untransformValue(Data("null".utf8)) == nil)
    }

    @Test("A transformer with a decoder without a strategy for dates reads what it writes")
    func decoderAlone() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let transformer = JSONTransformer<[Date]>(decoder: decoder)
        let dates = [Date(timeIntervalSinceReferenceDate: 2.5)]
        #expect(try transformer.untransformValue(transformer.transformValue(dates)) == dates)
    }
}
