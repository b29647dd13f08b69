import Foundation
import Testing

@testable import SettingsKitCore

/// `JSONTransformer()` bypasses Foundation's coders for scalars; the bytes and the values must be the same.
@Suite("JSON of scalars")
struct JSONScalarCodingTests {
    private static let seed = UInt64.random(in: .min ... .max)

    private let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private func check<T: Codable & Sendable & Equatable>(_ values: [T]) throws {
        let transformer = JSONTransformer<T>()
        for value in values {
            let bytes = try transformer.transformValue(value)
            let (expected, back) = (try encoder.encode(value), try transformer.untransformValue(bytes))
            guard bytes == expected, back == value else {
                Issue.record("\(value) is \(String(decoding: bytes, as: UTF8.self)), seed \(Self.seed)")
                return
            }
        }
    }

    private func checkInteger<T: FixedWidthInteger & Codable & Sendable>(_ type: T.Type) throws {
        var generator = SeededGenerator(seed: Self.seed)
        var values: [T] = [.min, .max, 0, 1, 9, 10, .max - 1, .min + 1]
        for _ in 0..<2_000 {
            values.append(.random(in: .min ... .max, using: &generator))
            let shift = Int.random(in: 0..<T.bitWidth, using: &generator)
            values.append(T.random(in: .min ... .max, using: &generator) >> shift)
        }
        try check(values)
    }

    @Test("Integers and Booleans are encoded as by JSONEncoder, and come back")
    func integers() throws {
        try checkInteger(Int.self)
        try checkInteger(Int8.self)
        try checkInteger(UInt64.self)
        try check([true, false])
    }

    @Test("Doubles are encoded as by JSONEncoder, and come back")
    func doubles() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var values: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.5, 1e15, 1e16, 1e17, 123_456_789_012_345_680, 1e22, 1e100, 1e-5, 1e-4,
            .leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude, .pi, .ulpOfOne, 2e53,
        ]
        for _ in 0..<4_000 {
            let random = Double(bitPattern: generator.next())
            if random.isFinite { values.append(random) }
            values.append(Double(Int64.random(in: -100_000...100_000, using: &generator)) / 64)
            values.append(Double.random(in: -1e6...1e6, using: &generator))
        }
        try check(values)
        let minusZero = try JSONTransformer<Double>().untransformValue(JSONTransformer<Double>().transformValue(-0.0))
        #expect(minusZero.sign == .minus)
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try JSONTransformer<Double>().transformValue(value) }
        }
    }

    @Test("Strings are encoded as by JSONEncoder, and come back, scalar by scalar")
    func strings() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var values = ["", "a", "</script>", "\"", "\\", "é", "e\u{301}", "\u{7f}", "\u{2028}\u{2029}", "👩‍👩‍👧"]
        values += ["\u{0}", "\n", "\u{FEFF}bom", "\u{10FFFF}", "null", String(repeating: "x", count: 100_000)]
        for _ in 0..<3_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let limits: [UInt32] = [0x30, 0x80, 0x800, 0x1_0000, 0x11_0000]
                let limit = limits.randomElement(using: &generator) ?? 0x80
                if let scalar = Unicode.Scalar(.random(in: 0..<limit, using: &generator)) { text.append(scalar) }
            }
            values.append(String(text))
        }
        try check(values)
        for value in values {
            let back = try JSONTransformer<String>().untransformValue(encoder.encode(value))
            #expect(back.utf8.elementsEqual(value.utf8))
        }
    }

    private func checkDecoding<T: Codable & Sendable & Equatable>(_ type: T.Type, _ bytes: Data) {
        let expected = try? JSONDecoder().decode(T.self, from: bytes)
        let decoded = try? JSONTransformer<T>().untransformValue(bytes)
        let text = String(decoding: bytes.prefix(40), as: UTF8.self)
        #expect(decoded == expected, "\(T.self) of \(text), \(bytes.count) bytes")
    }

    @Test("Decoding agrees with JSONDecoder on whatever bytes")
    func decoding() {
        let zeros = String(repeating: "0", count: 400)
        let numbers = [
            "127", "-129", "65536", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
            "99999999999999999999999999", "1e400", "0.1e-400", "1.5", " 1", "1 ", "\n1\t", "1.5.5", "\"1\"",
            "\u{FEFF}\"a\"", "1\(zeros)", "-1\(zeros)", "0.\(zeros)1", "\u{661}", "１",
        ]
        let bytes: [[UInt8]] = [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0xFF], [0x22, 0xE2, 0x82, 0x22], [0x31, 0x00, 0x00, 0x00],
        ]
        let texts = JSONTexts.values + JSONTexts.nearly + JSONTexts.others + numbers
        for sample in texts.map({ Data($0.utf8) }) + bytes.map({ Data($0) }) {
            checkDecoding(Int.self, sample)
            checkDecoding(Double.self, sample)
            checkDecoding(String.self, sample)
            checkDecoding(Bool.self, sample)
        }
    }

    // MARK: Dates and durations

    @Test("Every date that is a number comes back, alone and inside another value")
    func dates() throws {
        let transformer = JSONTransformer<Date>()
        var generator = SeededGenerator(seed: Self.seed)
        for round in 0..<Rounds.choose(3_000, full: 100_000) {
            let time =
                round.isMultiple(of: 2)
                ? Double(bitPattern: generator.next()) : Double.random(in: -1e9...2e9, using: &generator)
            if !time.isFinite { continue }
            let date = Date(timeIntervalSinceReferenceDate: time)
            let bytes = try transformer.transformValue(date)
            #expect(try transformer.untransformValue(bytes) == date, "\(Self.seed)")
            #expect(try JSONScalars.data(ofMember: date) == bytes, "\(Self.seed)")
            #expect(try JSONScalars.value(Date.self, from: bytes) == date, "\(Self.seed)")
        }
        #expect(throws: EncodingError.self) {
            try transformer.transformValue(Date(timeIntervalSinceReferenceDate: .nan))
        }
        // Also where the program's decoder has no strategy for dates.
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let lists = JSONTransformer<[Date]>(decoder: decoder)
        let list = [Date(timeIntervalSinceReferenceDate: 2.5)]
        #expect(try lists.untransformValue(lists.transformValue(list)) == list)
    }

    @Test("The longest and the shortest duration come back, and one without a text is as Codable encodes it")
    func durations() throws {
        let (plain, optional) = (JSONTransformer<Duration>(), JSONTransformer<Duration?>())
        for value in [Duration(attoseconds: .max), Duration(attoseconds: .min), Duration(attoseconds: -1), .zero] {
            let bytes = try plain.transformValue(value)
            #expect(try plain.untransformValue(bytes) == value && optional.untransformValue(bytes) == value)
            #expect(try optional.transformValue(value) == bytes)
            #expect(bytes.first == UInt8(ascii: value == Duration(attoseconds: .min) ? "[" : "\""))
        }
        #expect(try optional.untransformValue(Data("null".utf8)) == nil)
    }
}
