import Foundation
import Testing

@testable import SettingsKitCore

@Suite("Scanning JSON", .ownThreads)
struct JSONScannerTests {
    private func isValue(_ bytes: some Sequence<UInt8>) -> Bool {
        Array(bytes).withUnsafeBufferPointer(JSONScanner.isValue)
    }

    private func isValueForFoundation(_ bytes: some Sequence<UInt8>) -> Bool {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            return true
        } catch {
            return false
        }
    }

    @Test(
        "Scanning JSON takes what Foundation takes", arguments: JSONTexts.values)
    func takesWhatFoundationTakes(text: String) {
        #expect(isValue(text.utf8))
        #expect(isValueForFoundation(text.utf8))
    }

    @Test(
        "Scanning JSON refuses what Foundation refuses", arguments: JSONTexts.others)
    func refusesWhatFoundationRefuses(text: String) {
        #expect(!isValue(text.utf8))
        #expect(!isValueForFoundation(text.utf8))
    }

    @Test("Scanning JSON refuses every value that is cut, and every one with something behind it, as Foundation does")
    func refusesEveryValueThat() {
        for text in JSONTexts.values {
            let bytes = Array(text.utf8)
            for cut in 0..<bytes.count where isValue(bytes[..<cut]) != isValueForFoundation(bytes[..<cut]) {
                Issue.record("\(text) cut at \(cut)")
            }
            for more in [",", "]", "}", ":", "\"", "1x", "[]", "\u{E9}"] {
                let longer = text + more
                if isValue(longer.utf8) != isValueForFoundation(longer.utf8) { Issue.record("\(longer)") }
            }
        }
    }

    @Test(
        "Scanning JSON refuses what is no UTF-8, wherever it stands",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x80],
        ] as [[UInt8]])
    func refusesWhatIsNoUTF(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(!isValue([quote] + bytes + [quote]))
        #expect(!isValue(Array("[1,\"a".utf8) + bytes + Array("\"]".utf8)))
        #expect(!isValue(Array("{\"".utf8) + bytes + Array("\":1}".utf8)))
        #expect(!isValue(bytes))
        #expect(!isValueForFoundation([quote] + bytes + [quote]))
    }

    // MARK: Differences that are meant

    @Test(
        "Scanning JSON refuses what is no JSON also where Foundation takes it", arguments: JSONTexts.nearly)
    func refusesWhatIsNo(text: String) {
        #expect(!isValue(text.utf8))
    }

    @Test(
        "Scanning JSON refuses line breaks, which a line cannot have",
        arguments: ["1\n", "\n1", "[\n]", "[1,\n2]", "[1\r]", "{\n}", "{\"a\":\r\n1}", "{\"a\"\n:1}"])
    func refusesLineBreaksWhich(text: String) {
        #expect(!isValue(text.utf8))
        #expect(isValueForFoundation(text.utf8))
    }

    @Test(
        "Scanning JSON ends a value where it ends, not behind the space after it",
        arguments: ["1 ", "[] ", "\"a\"\t", "null  "])
    func endsAValueWhere(text: String) {
        #expect(!isValue(text.utf8))
        #expect(isValueForFoundation(text.utf8))
    }

    @Test(
        "Scanning JSON takes numbers of any size, since they are only passed over",
        arguments: [
            "1e400", "-1e400", "1e-400", "1" + String(repeating: "0", count: 1_000), "0.1e99999999999999999999",
        ])
    func takesNumbersOfAny(text: String) {
        #expect(isValue(text.utf8))
    }

    @Test(
        "Scanning JSON takes half a surrogate pair, which the grammar allows",
        arguments: [#""\ud83d""#, #""\ude00\ud83d""#, #""\ud83dx""#, #"{"\ud800":1}"#])
    func takesHalfASurrogate(text: String) {
        #expect(isValue(text.utf8))
    }

    @Test(
        "Scanning JSON takes values up to the depth that decoders take", arguments: ["[", "{\"a\":"])
    func takesValuesUpTo(opening: String) {
        let closing = opening == "[" ? "]" : "}"
        for depth in [1, 2, 100, 511, 512, 513, 1_000] {
            let inner = opening == "[" ? "" : "1"
            let text = String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)
            #expect(isValue(text.utf8) == (depth <= CoreLimits.jsonDepth))
            #expect(isValueForFoundation(text.utf8) == (depth <= CoreLimits.jsonDepth), "\(depth)")
        }
    }

    // MARK: Where values are

    @Test("Scanning JSON finds a value's end whatever stands behind it")
    func findsAValuesEnd() {
        for text in JSONTexts.values {
            let bytes = Array("x\(text),\"changed\"".utf8)
            bytes.withUnsafeBufferPointer { bytes in
                var scanner = JSONScanner(bytes, 1..<bytes.count)
                let range = scanner.skipValue()
                #expect(range == 1..<(1 + text.utf8.count))
                let isComma = scanner.skip(",")
                #expect(isComma)
                let name = scanner.skipText()
                #expect(name.map { bytes[$0].elementsEqual("changed".utf8) } == true)
                #expect(scanner.isAtEnd)
            }
        }
    }

    @Test("Scanning JSON never looks behind the end of its range")
    func neverLooksBehindThe() {
        for text in JSONTexts.values where text.utf8.count > 1 && text.first != "1" {
            let bytes = Array(text.utf8)
            bytes.withUnsafeBufferPointer { bytes in
                for end in 1..<bytes.count {
                    var scanner = JSONScanner(bytes, 0..<end)
                    let range = scanner.skipValue()
                    if let range, range.upperBound > end { Issue.record("\(text) to \(end)") }
                    if scanner.position > end { Issue.record("\(text) to \(end)") }
                }
            }
        }
    }

    // MARK: Strings and numbers

    @Test("Scanning JSON reads the strings that Foundation reads, with the escapes that RFC 8259 names")
    func readsTheStringsThat() throws {
        for text in JSONTexts.values where text.hasPrefix("\"") {
            let expected = try JSONDecoder().decode(String.self, from: Data(text.utf8))
            let string = JSONScanner.scan(Data(text.utf8)) { $0.readString() }
            #expect(string.map { $0.utf8.elementsEqual(expected.utf8) } == true, "\(text)")
        }
    }

    @Test(
        "Scanning JSON has no string for half a surrogate pair",
        arguments: [#""\ud83d""#, #""\ude00""#, #""\ude00\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#])
    func hasNoStringForHalf(text: String) {
        #expect(JSONScanner.scan(Data(text.utf8)) { $0.readString() } == nil)
        #expect(JSONScanner.scan(Data(text.utf8)) { $0.string(in: 1..<(text.utf8.count - 1)) } == nil)
    }

    @Test("Scanning JSON reads an object's members until it is stopped, and refuses everything else")
    func readsAnObjectsMembers() {
        func members(_ text: String, limit: Int = 9) -> (names: [String?], isWhole: Bool) {
            JSONScanner.scan(Data(text.utf8)) { scanner in
                var names: [String?] = []
                let strings = scanner
                let isObject = scanner.readMembers { name, _ in
                    names.append(strings.string(in: name))
                    return names.count < limit
                }
                return (names, isObject && scanner.isAtEnd)
            }
        }
        #expect(members(#"{"a":1,"\n":[{"b":2}],"":"}"}"#) == (["a", "\n", ""], true))
        #expect(members("{}") == ([], true))
        #expect(members(#"{"a":1,"b":2}"#, limit: 1) == (["a"], false))
        for text in ["", "[]", "{", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1]"#, #"{"a":1}x"#] {
            #expect(!members(text).isWhole, "\(text)")
        }
    }

    @Test("Scanning JSON agrees with Foundation on texts that look like JSON")
    func agreesWithFoundationOn() {
        for seed in Rounds.seeds(0..<20) {
            var generator = SeededGenerator(seed: seed)
            let parts = [
                "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "1", "0", "-", ".", "e", "true", "null", " ", "\\", "\\n",
                "\\u0041",
                "\u{E9}", "{\"a\":", "[1,", "]}",
            ]
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
}
