import Foundation
import SettingsKitCore
import Testing

@Suite("Transformers")
struct TransformersTests {
    private struct Outer: Codable, Sendable, Equatable {
        var dates = [Date(timeIntervalSinceReferenceDate: 125)]
        var data = Data([0, 255])
        var table = ["k": [1.5, .infinity]]
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
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let chain = JSONTransformer<Outer>(encoder: encoder, decoder: decoder)
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
}
