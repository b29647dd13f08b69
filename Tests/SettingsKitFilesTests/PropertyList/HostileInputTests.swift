import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Hostile and damaged files", .ownThreads)
struct HostileInputTests {
    private static func files() throws -> [Data] {
        let object = foundationObject(.dictionary(sampleMembers))
        return [
            try XMLPropertyListWriter.write(sampleMembers),
            try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0),
        ]
    }

    @Test("Hostile and damaged files: a file cut anywhere gives an error")
    func aFileCutAnywhere() throws {
        let file = try Self.files()[0]
        for length in 0..<(file.count - 1) {
            let kind = failure(reading: file.prefix(length))
            #expect(kind == .truncated || kind == .empty, "cut at \(length)")
        }
    }

    @Test("Hostile and damaged files: a binary file cut anywhere gives an error or a value")
    func aBinaryFileCut() throws {
        let file = try Self.files()[1]
        for length in 0..<file.count {
            #expect(failure(reading: file.prefix(length)) != nil, "cut at \(length)")
        }
    }

    @Test(
        "Hostile and damaged files: any bit flipped gives an error or a value", arguments: [0, 1])
    func anyBitFlippedGives(index: Int) throws {
        let file = try Self.files()[index]
        for bit in stride(from: 0, to: file.count * 8, by: Rounds.choose(7, full: 1)) {
            var damaged = file
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = failure(reading: damaged)
        }
    }

    @Test("Hostile and damaged files: random bytes inside a file give an error or a value")
    func randomBytesInsideA() throws {
        print("random bytes: seed 4711")
        var generator = SeededGenerator(seed: 4711)
        let rounds = Rounds.choose(500, full: 3_000)
        for file in try Self.files() {
            for _ in 0..<rounds {
                var damaged = file
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let place = Int.random(in: 0..<damaged.count, using: &generator)
                    damaged[place] = UInt8.random(in: 0...255, using: &generator)
                }
                _ = failure(reading: damaged)
            }
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

    @Test(
        "Hostile and damaged files: the deepest value is read, compared, written and bridged on the stack of a secondary thread"
    )
    func theDeepestValueIs() throws {
        let outcome = try onSmallThread {
            let levels = PropertyListLimits.depth - 1
            let text = String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
            let members = try PropertyListReader.readDictionary(Data("<dict><key>k</key>\(text)</dict>".utf8))
            let file = try XMLPropertyListWriter.write(members)
            let isSame = try PropertyListReader.readDictionary(file) == members
            let bytes = NativeValue.bytes(of: members[0].value)
            let native = NativeValue.value(for: bytes, resembling: members[0].value)
            let keys = String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels)
            let objects = NativeValue.value(for: Data(keys.utf8))
            let objectFile = try XMLPropertyListWriter.write([PropertyListMember(key: "k", value: objects)])
            return isSame && native == members[0].value && objects != .data(Data(keys.utf8))
                && objectFile.count > levels
        }
        #expect(outcome)
    }

    /// The outcome of `body` on a thread with the stack that Apple's platforms give to secondary threads.
    private func onSmallThread(_ body: @escaping @Sendable () throws -> Bool) throws -> Bool {
        let channel = Pipe()
        let thread = Thread {
            var report = "false"
            do {
                report = try "\(body())"
            } catch {
                report = "\(error)"
            }
            channel.fileHandleForWriting.write(Data(report.utf8))
            channel.fileHandleForWriting.closeFile()
        }
        #if DEBUG
            // Without optimization, frames are more than twice as large.
            thread.stackSize = 2 * 512 * 1024
        #else
            thread.stackSize = 512 * 1024
        #endif
        thread.start()
        let report = String(decoding: channel.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(report == "true")
        return report == "true"
    }

    @Test("Hostile and damaged files: one level more is too deep to write")
    func oneLevelMoreIs() {
        var value = PropertyListValue.array([])
        for _ in 1..<(PropertyListLimits.depth - 1) { value = .array([value]) }
        #expect(XMLPropertyListWriter.canRepresent(value))
        value = .array([value])
        #expect(!XMLPropertyListWriter.canRepresent(value))
        #expect(throws: PropertyListError(.tooDeep)) {
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

    @Test("Hostile and damaged files: many megabytes of data are read")
    func manyMegabytesOfData() throws {
        let line = "\t" + String(repeating: "QUJD", count: 17) + "\n"
        let count = Rounds.choose(10_000_000, full: 50_000_000) / line.utf8.count
        let file =
            Data("<plist><data>\n".utf8) + Data(String(repeating: line, count: count).utf8)
            + Data("</data></plist>".utf8)
        guard case .data(let data) = try PropertyListReader.read(file) else {
            Issue.record("not data")
            return
        }
        #expect(data.count == count * 51)
        #expect(data.prefix(6) == Data("ABCABC".utf8))
    }

    @Test("Hostile and damaged files: a file of zeros, and one that begins with them")
    func aFileOfZeros() throws {
        #expect(failure(reading: Data(count: 100_000)) == .notAPropertyList)
        var file = try Self.files()[0]
        let end = try #require(file.range(of: Data("<key>ratio".utf8))).lowerBound - 1
        file.replaceSubrange(0..<end, with: Data(count: end))
        #expect(failure(reading: file) == .notAPropertyList)
    }
}
