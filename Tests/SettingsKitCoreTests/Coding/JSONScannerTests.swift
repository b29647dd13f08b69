import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Scanning JSON", .ownThreads)
struct JSONScannerTests {
    private func isValue(_ bytes: some Sequence<UInt8>) -> Bool {
        Array(bytes).withUnsafeBufferPointer(JSONScanner.isValue)
    }

    private func isValueForFoundation(_ bytes: some Sequence<UInt8>) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    @Test("Scanning JSON takes what Foundation takes, and half a surrogate pair, which the grammar allows")
    func values() {
        for text in JSONTexts.values {
            #expect(isValue(text.utf8) && isValueForFoundation(text.utf8), "\(text)")
        }
        for text in [#""\ud83d""#, #""\ude00\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#] {
            #expect(isValue(text.utf8), "\(text)")
            // It is no string.
            #expect(JSONScanner.scan(Data(text.utf8)) { $0.readString() } == nil, "\(text)")
            #expect(JSONScanner.scan(Data(text.utf8)) { $0.string(in: 1..<(text.utf8.count - 1)) } == nil, "\(text)")
        }
    }

    @Test("Scanning JSON refuses what Foundation refuses, and what is no JSON though Foundation takes it")
    func others() {
        for text in JSONTexts.others {
            #expect(!isValue(text.utf8) && !isValueForFoundation(text.utf8), "\(text)")
        }
        for text in JSONTexts.nearly { #expect(!isValue(text.utf8), "\(text)") }
    }

    @Test(
        "Scanning JSON refuses what is no UTF-8, wherever it stands",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(!isValue([quote] + bytes + [quote]) && !isValueForFoundation([quote] + bytes + [quote]))
        #expect(!isValue(Array("[1,\"a".utf8) + bytes + Array("\"]".utf8)))
        #expect(!isValue(Array("{\"".utf8) + bytes + Array("\":1}".utf8)))
        #expect(!isValue(bytes))
    }

    @Test(
        "Scanning JSON takes values up to the depth that decoders take",
        arguments: [("[", "", "]"), ("{\"a\":", "1", "}")])
    func depth(opening: String, inner: String, closing: String) {
        for depth in [1, 2, 100, 511, 512, 513, 1_000] {
            let text = String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)
            #expect(isValue(text.utf8) == (depth <= CoreLimits.jsonDepth))
            #expect(isValueForFoundation(text.utf8) == (depth <= CoreLimits.jsonDepth), "\(depth)")
        }
    }

    @Test("Scanning JSON agrees with Foundation on texts that look like JSON")
    func randomTexts() {
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "1", "0", "-", ".", "e", "true", "null", " ", "\\", "\\n",
            "\\u0041", "\u{E9}", "{\"a\":", "[1,", "]}",
        ]
        for seed in Rounds.seeds(0..<20) {
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<400 {
                let count = Int.random(in: 1...8, using: &generator)
                let text = (0..<count).compactMap { _ in parts.randomElement(using: &generator) }.joined()
                // Foundation takes a comma too many.
                let hasSpareComma = text.replacing(" ", with: "").contains(/,[\]}]/)
                if text.hasSuffix(" ") || hasSpareComma { continue }
                if isValue(text.utf8) != isValueForFoundation(text.utf8) { Issue.record("seed \(seed): \(text)") }
            }
        }
    }

    // MARK: Hostile JSON

    /// What is not linear takes minutes.
    private func isValueSoon(_ bytes: [UInt8]) -> Bool {
        let start = ContinuousClock.now
        let isValue = isValue(bytes)
        #expect(ContinuousClock.now - start < .seconds(20))
        return isValue
    }

    /// A text, repeated to a size or a little more.
    private func much(_ part: String, of size: Int = 10_000_000) -> [UInt8] {
        // Doubled, since joining them one by one takes longer than what is tested.
        var bytes = Array(part.utf8)
        while bytes.count < size { bytes += bytes }
        return bytes
    }

    @Test(
        "Ten megabytes of JSON that never becomes a value are refused in linear time",
        arguments: [
            "[", "{\"a\":", "[{\"a\":", "{", "]", "\"", ",", "-", "\\", "\\u", "[,", "[1", "tru", " ", "[[],",
            "{\"a\":{},",
        ])
    func hostile(part: String) { #expect(!isValueSoon(much(part))) }

    @Test("JSON that is wide and as deep as may be is a value, and deeper it is none")
    func wideAndDeep() {
        let depth = CoreLimits.jsonDepth - 1
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let many = much(deep + ",", of: 1_000_000) + Array(deep.utf8)
        #expect(isValueSoon(Array("[".utf8) + many + Array("]".utf8)))
        #expect(!isValueSoon(Array("[[".utf8) + many + Array("]]".utf8)))
    }
}
