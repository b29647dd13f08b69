import Foundation
import SettingsKitCore
import Testing

@Suite("Transformers")
struct TransformersTests {
    private struct Inner: Codable, Sendable, Equatable { var dates = [Date(timeIntervalSinceReferenceDate: 125)] }
    private struct Outer: Codable, Sendable, Equatable {
        var inner = Inner()
        var data = Data([0, 255])
        var table = ["k": [1.5, .infinity]]
        var absent: Int?
    }
    private enum Level: String, Sendable { case low, high }

    @Test("100,000 nested JSON arrays are an error, not a crash")
    func hostileJSON() async {
        await #expect(processExitsWith: .success) {
            let json = Data((String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)).utf8)
            let settings = SettingsService.over(MemoryStore(["n": json]))
            if settings.get(Setting<[Int]>("n", in: .defaults, default: [7])) != [7] { exit(3) }
            if settings.get(Setting<Set<Int>>("n", in: .defaults, default: [7])) != [7] { exit(3) }
        }
    }

    @Test("A raw value stands for its value at the head of a chain")
    func rawValues() throws {
        let chain = RawRepresentableTransformer<Level>().append(transformer: JSONTransformer())
        #expect(try chain.transformValue(.high) == Data("\"high\"".utf8))
        #expect(try chain.untransformValue(Data("\"low\"".utf8)) == .low)
        #expect(throws: RawRepresentableTransformer<Level>.UnknownRawValue.self) {
            try chain.untransformValue(Data("\"secret\"".utf8))
        }
    }

    @Test("Chains of three go forth and back in order, in a setting too")
    func chains() throws {
        let chain = JSONTransformer<Outer>(
            encoder: {
                let encoder = JSONEncoder()
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
                encoder.outputFormatting = .sortedKeys
                return encoder
            }(),
            decoder: {
                let decoder = JSONDecoder()
                decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
                return decoder
            }()
        )
        .append(transformer: XorTransformer(mask: 0x5A)).append(transformer: XorTransformer(mask: 0x0F))
        let store = MemoryStore()
        let setting = Setting<Outer>("o", in: .defaults, default: Outer(data: Data()), transformer: chain)
        let settings = SettingsService.over(store)
        settings.set(setting, to: Outer())
        #expect(SettingsService.over(store).get(setting) == Outer())
        let bytes = try #require(store.get(setting.key))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("dates"))
        store.set(setting.key, to: bytes.dropLast() + [bytes[bytes.count - 1] &+ 1])
        let error = #expect(throws: SettingsError.self) { try settings.load(setting) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.underlying is XorTransformer.Broken)
    }

    @Test("A half that throws: the old value stays, the stored bytes stay")
    func throwingHalves() throws {
        struct Refused: Error {}
        let problems = Recorder<SettingsError>()
        let store = MemoryStore()
        let settings = SettingsService.over(store, problems)
        let setting = Setting<String>(
            "s", in: .defaults, default: "default",
            transformer: HookedTransformer(
                onTransform: { if $0 == "unwanted" { throw Refused() } },
                onUntransform: { if $0 == Data("\"unread\"".utf8) { throw Refused() } }))
        settings.set(setting, to: "a")
        settings.set(setting, to: "unwanted")
        #expect(settings.get(setting) == "a")
        #expect(problems.all.map(\.code) == [.encodingFailed])
        store.set(setting.key, to: Data("\"unread\"".utf8))
        #expect(settings.get(setting) == "default")
        #expect(problems.all.map(\.code) == [.encodingFailed, .decodingFailed])
        #expect(problems.all.allSatisfy { $0.underlying is Refused })
        #expect(store.get(setting.key) == Data("\"unread\"".utf8))
    }
}
