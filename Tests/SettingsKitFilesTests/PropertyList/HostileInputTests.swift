import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Hostile and damaged files", .ownThreads)
struct HostileInputTests {
    @Test(
        "Hostile and damaged files: one cut anywhere, with a flipped bit or with random bytes gives an error or a value",
        arguments: [true, false])
    func damaged(isBinary: Bool) throws {
        let file =
            if isBinary {
                try PropertyListSerialization.data(
                    fromPropertyList: foundationObject(.dictionary(sampleMembers)), format: .binary, options: 0)
            } else {
                try XMLPropertyListWriter.write(sampleMembers)
            }
        // The line break at the end of an XML file is not missed.
        for length in 0..<(file.count - 1) { #expect(failure(reading: file.prefix(length)) != nil, "\(length) bytes") }
        for bit in stride(from: 0, to: file.count * 8, by: Rounds.choose(7, full: 1)) {
            var damaged = file
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = failure(reading: damaged)
        }
        for seed in Rounds.seeds(0..<3_000, part: 500) {
            var (damaged, random) = (file, SeededGenerator(seed: seed))
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = failure(reading: damaged)
        }
    }

    @Test(
        "Hostile and damaged files: a hundred thousand nested containers are too deep", arguments: ["array", "dict"],
        [true, false])
    func aHundredThousandNested(name: String, isClosed: Bool) {
        let key = name == "dict" ? "<key>k</key>" : ""
        let end = isClosed ? String(repeating: "</\(name)>", count: 100_000) : ""
        let text = "<plist>" + String(repeating: "<\(name)>\(key)", count: 100_000) + end + "</plist>"
        #expect(failure(reading: text) == .tooDeep)
    }

    @Test("The deepest value is read, compared, written and bridged on the stack of a secondary thread")
    func theDeepestValueIs() async throws {
        let outcome = Recorder<Bool>()
        let thread = Thread { outcome.append((try? Self.isDeepestValueUsable()) == true) }
        // Frames are larger without optimization.
        #if DEBUG
            thread.stackSize = 2 * 512 * 1024
        #else
            thread.stackSize = 512 * 1024
        #endif
        thread.start()
        #expect(try await eventually { outcome.all == [true] })
    }

    private static func isDeepestValueUsable() throws -> Bool {
        let levels = PropertyListLimits.depth - 1
        let text = String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
        let members = try PropertyListReader.readDictionary(Data("<dict><key>k</key>\(text)</dict>".utf8))
        let isSame = try PropertyListReader.readDictionary(XMLPropertyListWriter.write(members)) == members
        var builder = BinaryFileBuilder(referenceSize: 2)
        builder.objects = (1...levels).map { builder.array([$0]) } + [[0xA0]]
        guard try PropertyListReader.read(builder.file()) == .array([members[0].value]) else { return false }
        let native = NativeValue.value(for: NativeValue.bytes(of: members[0].value), resembling: members[0].value)
        let json = Data(
            (String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels)).utf8)
        let objects = NativeValue.value(for: json)
        let file = try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: objects)])
        return isSame && native == members[0].value && objects != .data(json) && file.count > levels
    }

    @Test("Hostile and damaged files: one level more is too deep to write")
    func oneLevelMoreIs() {
        var value = PropertyListValue.array([])
        for _ in 1..<(PropertyListLimits.depth - 1) { value = .array([value]) }
        #expect(XMLPropertyListWriter.canRepresent(value))
        value = .array([value])
        #expect(!XMLPropertyListWriter.canRepresent(value))
        #expect(throws: PropertyListError(.notRepresentable)) {
            try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: value)])
        }
        let text = NativeValue.bytes(of: value)
        #expect(NativeValue.value(for: text) == .data(text))
        let json = Data(String(repeating: "[", count: 100_000).utf8)
        #expect(NativeValue.value(for: json) == .data(json))
    }

    @Test("Hostile and damaged files: entities that multiply are not expanded")
    func entitiesThatMultiplyAre() {
        var text = "<!DOCTYPE plist [ <!ENTITY e0 \"ha\">"
        for level in 1..<30 { text += "<!ENTITY e\(level) \"&e\(level - 1);&e\(level - 1);\">" }
        #expect(failure(reading: text + "]><plist><string>&e29;</string></plist>") == .malformed)
        #expect(failure(reading: text + "]><plist><string>x</string></plist>") == nil)
    }
}
