import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Keys that XML cannot hold", .ownThreads)
struct PropertyListKeyTests {
    @Test(
        "Keys that XML cannot hold are written escaped and read back",
        arguments: [
            ("plain", "plain"), ("", ""), ("50 %", "50 %"), ("a\tb\r\n", "a\tb\r\n"), ("é😀", "é😀"),
            ("a\u{1}b", "SettingsKit-escaped:a%01b"), ("\u{1F}%", "SettingsKit-escaped:%1F%25"),
            ("\u{0}", "SettingsKit-escaped:%00"), ("x\u{FFFF}é", "SettingsKit-escaped:x%EF%BF%BFé"),
            ("SettingsKit-escaped:", "SettingsKit-escaped:SettingsKit-escaped:"),
            ("SettingsKit-escaped:%41", "SettingsKit-escaped:SettingsKit-escaped:%2541"),
        ])
    func areWrittenEscapedAnd(key: String, written: String) {
        #expect(PropertyListKey.encode(key) == written)
        #expect(Array(PropertyListKey.decode(written).utf8) == Array(key.utf8))
    }

    @Test("Keys that XML cannot hold survive writing and reading at every level")
    func surviveWritingAndReading() throws {
        for seed in Rounds.seeds(0..<50) {
            var random = RandomPropertyList(seed: seed)
            random.usesControlCharacters = true
            var members: [PropertyListMember] = []
            for index in 0..<20 {
                let inner = [PropertyListMember(key: random.string(), value: .integer(Int64(index)))]
                members.append(PropertyListMember(key: random.string(), value: .array([.dictionary(inner)])))
            }
            members = members.keepingLastOfEachKey()
            let file = try XMLPropertyListWriter.write(members)
            #expect(try PropertyListReader.readDictionary(file) == members, "seed \(seed)")
            let object = try PropertyListSerialization.propertyList(from: file, format: nil)
            let binary = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
            let ours = sorted(.dictionary(try PropertyListReader.readDictionary(binary)))
            #expect(ours == sorted(.dictionary(members)), "seed \(seed), converted to binary")
        }
    }
}
