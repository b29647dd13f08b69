import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Native values and JSONEncoder", .ownThreads)
struct NativeValueAgreementTests {
    private let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Checks that the bytes of `value` become native and come back, also after XML.
    private func roundTrip(_ value: some Encodable, _ comment: Comment) throws {
        let bytes = try encoder.encode(value)
        let native = NativeValue.value(for: bytes)
        if case .data = native { Issue.record("kept as data: \(String(decoding: bytes, as: UTF8.self)), \(comment)") }
        #expect(NativeValue.bytes(of: native) == bytes, comment)
        let file = try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: native)])
        let read = try PropertyListReader.readDictionary(file)[0].value
        #expect(NativeValue.bytes(of: read) == bytes, comment)
    }

    @Test("Native values and JSONEncoder: what it writes becomes native and comes back")
    func whatItWritesBecomes() throws {
        for seed in Rounds.seeds(0..<100) {
            var random = RandomPropertyList(seed: seed)
            let comment: Comment = "seed \(seed)"
            for _ in 0..<20 {
                try roundTrip(Int(truncatingIfNeeded: random.generator.next()), comment)
                try roundTrip(random.generator.next(), comment)
                try roundTrip(Float.random(in: -1...1, using: &random.generator), comment)
                try roundTrip(random.double(), comment)
                try roundTrip(random.string(), comment)
                try roundTrip(Date(timeIntervalSinceReferenceDate: random.double()), comment)
                try roundTrip(random.data(), comment)
                try roundTrip([random.string(): [random.double()]], comment)
            }
        }
    }

    @Test("Native values and JSONEncoder: every character is escaped alike")
    func everyCharacterIsEscaped() throws {
        for code in (0..<0x300).map({ UInt32($0) }) + [0x2028, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F600, 0x10FFFF] {
            let string = "a\(Character(try #require(Unicode.Scalar(code))))b"
            #expect(NativeValue.bytes(of: .string(string)) == (try encoder.encode(string)), "code \(code)")
        }
    }

    @Test("Native values and JSONEncoder: whatever the bytes, they come back")
    func whateverTheBytesThey() throws {
        for seed in Rounds.seeds(0..<200) {
            var random = RandomPropertyList(seed: seed)
            random.usesControlCharacters = true
            let alphabet = Array("{}[]\",:\\ntrufals0123456789.eE+-/ \u{E9}\u{1}".utf8) + [0xFF]
            var members: [PropertyListMember] = []
            var expected: [Data] = []
            for index in 0..<60 {
                var bytes: Data
                if index % 3 == 0 {
                    bytes = NativeValue.bytes(of: random.value(depth: 3))
                    if index % 2 == 0, let place = bytes.indices.randomElement(using: &random.generator) {
                        bytes[place] = alphabet.randomElement(using: &random.generator) ?? 0
                    }
                } else {
                    let length = Int.random(in: 0...12, using: &random.generator)
                    bytes = Data((0..<length).map { _ in alphabet.randomElement(using: &random.generator) ?? 0 })
                }
                let old = random.value(depth: 3)
                let native = NativeValue.value(for: bytes, resembling: old)
                #expect(NativeValue.bytes(of: native) == bytes, "seed \(seed)")
                #expect(XMLPropertyListWriter.canRepresent(native), "seed \(seed)")
                members.append(PropertyListMember(key: "k\(index)", value: native))
                expected.append(bytes)
            }
            let read = try PropertyListReader.readDictionary(try XMLPropertyListWriter.write(members))
            #expect(read.map { NativeValue.bytes(of: $0.value) } == expected, "seed \(seed)")
        }
    }
}
