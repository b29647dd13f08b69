import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("The keys of a property list")
struct KeyTests {
    @Test("plistlib finds the value of any name that XML can hold", .enabled(if: Program.python))
    func python() throws {
        try withPropertyList { path in
            let store = try open(path)
            let names = [
                "plain", "with.dots/and\\slashes", "👩‍👩‍👧🇩🇪", "line\nbreak", "\r\n", " ", "\t", "<key>&amp;]]>",
                "a\u{1}b\u{1B}c\u{7F}", "\u{FFFE}\u{FFFF}", String(repeating: "long ", count: 820),
                "SettingsKit-escaped:x", "%41", "ключ", "-1", "\u{FEFF}",
            ]
            for (number, name) in names.enumerated() { try store.set(key(name), to: Data("\(number)".utf8)) }
            try store.bringUpToDate()
            let view = try Program.pythonView(of: path)
            #expect(Set(view.values) == Set(names.indices.map { "\($0)" }))
        }
    }

    @Test("Ten thousand keys are written and read again")
    func many() throws {
        try withPropertyList { path in
            let store = try open(path)
            for index in 0..<10_000 { try store.set(key("key \(index)"), to: Data("\(index)".utf8)) }
            try store.bringUpToDate()
            let reopened = try open(path)
            #expect(reopened.keys().count == 10_000)
            #expect(reopened.get(key("key 9999")) == Data("9999".utf8))
        }
    }
}
