import Foundation
import SettingsKitCore
import SettingsKitFiles
import SettingsKitPlatform
import Testing

@Suite("Any name can be a key")
struct KeyTests {
    static let names = [
        "plain", "with.dots/and\\slashes", "👩‍👩‍👧🇩🇪", "line\nbreak", "\r\n", " ", "\t", "<key>&amp;]]>",
        "a\u{1}b\u{1B}c\u{7F}",
        "\u{FFFE}\u{FFFF}", String(repeating: "long ", count: 820), "SettingsKit-escaped:x", "%41", "ключ", "-1",
        "\u{FEFF}",
    ]

    @Test("Its value is found again in a new process, and by plistlib where XML can hold it", arguments: names)
    func roundTrip(name: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            do {
                let store = try open(path)
                try store.set(key(name), to: Data("7".utf8))
                try store.set(key("other"), to: Data("8".utf8))
                try store.synchronize()
            }
            let reopened = try open(path)
            #expect(reopened.get(key(name)) == Data("7".utf8))
            #expect(Set(reopened.keys()) == [name, "other"])
            if Program.python { #expect(try Program.pythonView(of: path).values.sorted() == ["7", "8"]) }
            try reopened.set(key(name), to: nil)
            try reopened.synchronize()
            #expect(try open(path).keys() == ["other"])
        }
    }

    @Test("Names that are equal as Swift strings are one key, in memory and in the file")
    func canonicalEquivalence() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
            do {
                let store = try open(path)
                try store.set(key(composed), to: Data("1".utf8))
                #expect(store.get(key(decomposed)) == Data("1".utf8))
                try store.set(key(decomposed), to: Data("2".utf8))
                #expect(store.keys().count == 1)
                try store.synchronize()
            }
            let store = try open(path)
            #expect(store.keys().count == 1)
            #expect(store.get(key(composed)) == Data("2".utf8))
            try store.set(key(decomposed), to: nil)
            try store.synchronize()
            #expect(try members(of: path).isEmpty)
        }
    }

    @Test("A file that has both forms of a name gives one of them")
    func bothFormsInFile() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            try write(
                xml("<key>caf\u{E9}</key><integer>1</integer><key>cafe\u{301}</key><integer>2</integer>"), to: path)
            let store = try open(path)
            #expect(store.keys().count == 1)
            #expect(store.get(key("caf\u{E9}")) == Data("2".utf8))
        }
    }

    @Test("Names that differ in case are two keys")
    func letterCase() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try open(path)
            try store.set(key("Theme"), to: Data("1".utf8))
            try store.set(key("theme"), to: Data("2".utf8))
            try store.synchronize()
            #expect(try members(of: path) == ["Theme": .integer(1), "theme": .integer(2)])
        }
    }

    @Test("Ten thousand keys are written and read again")
    func many() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/Settings.plist"
            let store = try open(path)
            for index in 0..<10_000 { try store.set(key("key \(index)"), to: Data("\(index)".utf8)) }
            try store.synchronize()
            let reopened = try open(path)
            #expect(reopened.keys().count == 10_000)
            #expect(reopened.get(key("key 9999")) == Data("9999".utf8))
        }
    }
}
