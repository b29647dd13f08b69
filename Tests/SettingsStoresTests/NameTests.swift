import Foundation
import SettingsKitCore
import Testing

@Suite("Any name can be a key", .timeLimit(Rounds.timeLimit), .ownThreads)
struct NameTests {
    static let names = [
        "plain", "with.dots/and\\slashes", "👩‍👩‍👧🇩🇪", "line\nbreak", "\r\n", " ", "ends ", "\t", "<key>&amp;]]>",
        "a\u{1}b\u{1B}c\u{7F}", "\u{FFFE}\u{FFFF}", String(repeating: "long ", count: 819), "SettingsKit-escaped:x",
        "%41", "ключ", "-1", "\u{FEFF}", "it's", "a\"b", "; DROP TABLE settings; --", "`", "%_\\", "a.b:c", "ü", "NULL",
        String(repeating: "n", count: 4_096), String(repeating: "ü", count: 2_048), "?1", "{\"}", "../up",
    ]

    @Test(
        "A value is found under its name, and no other, by a new process and elsewhere, until it is removed",
        arguments: StoreKind.allCases, names)
    func roundTrip(kind: StoreKind, name: String) async throws {
        try await kind.withMedium { medium in
            let other = name.uppercased() + "!"
            let store = try medium.fresh()
            try store.set(key(name), to: Data("7".utf8))
            try store.set(key(other), to: Data("8".utf8))
            try store.synchronize()
            let reopened = try medium.fresh()
            for store in [reopened, try medium.elsewhere()] { #expect(try store.texts == [name: "7", other: "8"]) }
            try reopened.set(key(name), to: nil)
            try reopened.synchronize()
            for store in [try medium.fresh(), try medium.elsewhere()] { #expect(try store.texts == [other: "8"]) }
        }
    }

    @Test(
        "Names that are equal as Swift strings are one key; those that differ in case are two",
        arguments: StoreKind.allCases)
    func equivalence(kind: StoreKind) async throws {
        try await kind.withMedium { medium in
            let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
            let store = try medium.fresh()
            try store.set(key(composed), to: Data("1".utf8))
            #expect(try store.text(decomposed) == "1")
            try store.set(key(decomposed), to: Data("2".utf8))
            try store.set(key("Theme"), to: Data("1".utf8))
            try store.set(key("theme"), to: Data("2".utf8))
            try store.synchronize()
            let reopened = try medium.fresh()
            #expect(try reopened.texts == [composed: "2", "Theme": "1", "theme": "2"])
            try reopened.set(key(decomposed), to: Data("3".utf8))
            #expect(try medium.fresh().text(composed) == "3")
            try reopened.set(key(composed), to: nil)
            try reopened.synchronize()
            #expect(try medium.elsewhere().texts == ["Theme": "1", "theme": "2"])
        }
    }
}
