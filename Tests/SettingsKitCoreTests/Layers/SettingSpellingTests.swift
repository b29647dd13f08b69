import Foundation
import SettingsTestSupport
import Testing

@testable import SettingsKitCore

@Suite("Spellings of settings in arguments and variables")
struct SettingSpellingTests {
    @Test(
        "A variable is in capitals, with an underscore before each word and for everything but letters and digits",
        arguments: [
            ("volume", "VOLUME"), ("launchCount", "LAUNCH_COUNT"), ("sound.volume", "SOUND_VOLUME"),
            ("apiURL", "API_URL"), ("openURLsInTab", "OPEN_URLS_IN_TAB"), ("URLsOnly", "URLS_ONLY"),
            ("URLScheme", "URL_SCHEME"), ("URL", "URL"), ("useHTTP2Server", "USE_HTTP2_SERVER"),
            ("useIDs", "USE_IDS"), ("http2Server", "HTTP2_SERVER"), ("volume2", "VOLUME2"),
            ("LaunchCount", "LAUNCH_COUNT"),
            ("sound.MasterVolume", "SOUND_MASTER_VOLUME"), ("foo-bar", "FOO_BAR"), ("snake_case", "SNAKE_CASE"),
            ("animals:cats:lion", "ANIMALS_CATS_LION"), ("a b", "A_B"), ("a..b", "A__B"), ("x2Y", "X2_Y"),
            ("größe", "GRÖSSE"), ("🎛️", "_"), ("line\nbreak", "LINE_BREAK"),
        ])
    func variables(name: String, variable: String) {
        #expect(SettingSpelling.variable(for: name) == variable)
        #expect(SettingSpelling.variable(for: name, prefix: "P_") == "P_" + variable)
    }

    @Test(
        "An option has words with hyphens, or in one word, or is the name itself",
        arguments: [
            ("volume", ["volume"]), ("launchCount", ["launch-count", "launchCount"]),
            ("sound.volume", ["sound-volume", "soundVolume", "sound.volume"]),
            ("apiURL", ["api-url", "apiUrl", "apiURL"]), ("foo-bar", ["foo-bar", "fooBar"]),
            ("snake_case", ["snake-case", "snakeCase", "snake_case"]), ("🎛️", ["-", "🎛️"]),
        ])
    func options(name: String, options: [String]) {
        #expect(SettingSpelling.options(for: name) == options)
    }

    @Test("Names in ASCII have the words that all names have")
    func words() {
        let letters = Array("aAsS0._-: zZ")
        for seed in Rounds.seeds(0..<50_000, part: 2_000) {
            var generator = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...8, using: &generator)
            let name = String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
            #expect(NameWords.split(name) == NameWords.split(name) { !$0.isLetter && !$0.isNumber }, "\(name)")
        }
    }
}
