import Foundation
import SettingsKitCore
import Testing

/// `JSONTransformer()` bypasses the encoder for scalars; the bytes must be the same.
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
            let expected = try encoder.encode(value)
            guard bytes == expected else {
                Issue.record("\(value) is \(String(decoding: bytes, as: UTF8.self)), seed \(Self.seed)")
                return
            }
            guard try transformer.untransformValue(bytes) == value else {
                Issue.record("\(value) does not come back, seed \(Self.seed)")
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

    @Test("JSON of scalars: integers of every width")
    func integers() throws {
        try checkInteger(Int.self)
        try checkInteger(Int8.self)
        try checkInteger(Int16.self)
        try checkInteger(Int32.self)
        try checkInteger(Int64.self)
        try checkInteger(UInt.self)
        try checkInteger(UInt8.self)
        try checkInteger(UInt16.self)
        try checkInteger(UInt32.self)
        try checkInteger(UInt64.self)
        try check([true, false])
    }

    @Test("JSON of scalars: doubles")
    func doubles() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var values: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.5, 1e15, 1e16, 1e17, 123_456_789_012_345_680, 1e22, 1e100, 1e-5, 1e-4,
            .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .pi, .ulpOfOne, 2e53,
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
    }

    @Test("JSON of scalars: strings")
    func strings() throws {
        var generator = SeededGenerator(seed: Self.seed)
        var values = ["", "a", "/", "</script>", "\"", "\\", "é", "e\u{301}", "\u{7f}", "\u{2028}\u{2029}", "👩‍👩‍👧"]
        values += ["\u{0}", "\n", "\u{FEFF}bom", "\u{10FFFF}", "null", "\u{85}\u{A0}"]
        values.append(String(repeating: "x", count: 100_000))
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

    @Test("Numbers that JSON does not have are refused", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(value: Double) {
        #expect(throws: EncodingError.self) { try JSONTransformer<Double>().transformValue(value) }
    }

    // MARK: Decoding

    private static let texts = [
        "", " ", "0", "-0", "1", "-1", "01", "-01", "00", "1.", ".5", "-.5", "+1", "-", "--1", "1-", "1-2", "0x1", " 1",
        "1 ", "\n1\t", "1 2", "1,", "1e3", "1E3", "1e", "1e+", "1.0", "1.5", "1.5.5", "0.0", "00.5", "-0.0", "1e400",
        "127", "128", "-128", "-129", "255", "256", "65535", "65536", "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "99999999999999999999999999", "0.1e-400", "Infinity", "NaN", "inf", "nan", "true",
        "false", "True", "tru", "truee", "null", "[1]", "{}", "\"", "\"\"", "\"a", "a\"", "\"a\"", "\"a\"b\"",
        "\"\\n\"",
        "\"\\u0041\"", "\"\\", "\"\\\"", "\"\\x\"", "\"a\nb\"", "\"\t\"", "\"1\"", "'a'", "1_000", "\u{661}", "１",
        "\u{0}",
        "1\u{0}", "\u{FEFF}1", "\u{FEFF}\"a\"", "// 1", "1//", "0b1", "0.", "1e5.5", "\"é\"", "\"e\u{301}\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\ude00\"", "1" + String(repeating: "0", count: 400), "-1" + String(repeating: "0", count: 400),
        String(repeating: "9", count: 20), "0." + String(repeating: "0", count: 400) + "1",
    ]

    private static let bytes: [[UInt8]] = [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0xFF], [0x22, 0xE2, 0x82, 0x22],
        [0x31, 0x00, 0x00, 0x00],
    ]

    private func checkDecoding<T: Codable & Sendable & Equatable>(_ type: T.Type, _ bytes: Data) {
        let expected = try? JSONDecoder().decode(T.self, from: bytes)
        let decoded = try? JSONTransformer<T>().untransformValue(bytes)
        #expect(
            decoded == expected,
            "\(T.self) of \(String(decoding: bytes.prefix(40), as: UTF8.self)), \(bytes.count) bytes")
    }

    @Test("Decoding agrees with the decoder on whatever bytes")
    func decoding() {
        let samples = Self.texts.map { Data($0.utf8) } + Self.bytes.map { Data($0) }
        for sample in samples {
            checkDecoding(Int.self, sample)
            checkDecoding(Int8.self, sample)
            checkDecoding(Int32.self, sample)
            checkDecoding(UInt.self, sample)
            checkDecoding(UInt8.self, sample)
            checkDecoding(UInt64.self, sample)
            checkDecoding(Double.self, sample)
            checkDecoding(String.self, sample)
            checkDecoding(Bool.self, sample)
        }
    }

    @Test("Decoding agrees with the decoder on damaged numbers and strings")
    func randomDecoding() {
        var generator = SeededGenerator(seed: Self.seed)
        let alphabet = Array("0123456789-+.eE \"\\ux".utf8)
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...7, using: &generator)
            let sample = Data((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 })
            checkDecoding(Int.self, sample)
            checkDecoding(UInt8.self, sample)
            checkDecoding(Double.self, sample)
            checkDecoding(String.self, sample)
        }
    }

    @Test("Bytes may be a slice that does not begin at zero")
    func slices() throws {
        let whole = Data("xx42\"a\"true".utf8)
        #expect(try JSONTransformer<Int>().untransformValue(whole[2..<4]) == 42)
        #expect(try JSONTransformer<Double>().untransformValue(whole[2..<4]) == 42)
        #expect(try JSONTransformer<String>().untransformValue(whole[4..<7]) == "a")
        #expect(try JSONTransformer<Bool>().untransformValue(whole[7...]))
    }
}
