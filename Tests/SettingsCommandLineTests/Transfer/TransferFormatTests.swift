import Foundation
import SettingsKit
import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import settings

/// Bytes of all kinds, under names of all kinds.
enum TransferSamples {
    static let names = [
        "a", "launchCount", "server.hosts", "launch_count", "LAUNCH_COUNT", "Größe", "$data", "$comment", "$schema",
        "name with spaces",
        "line\nbreak", "quote\"and'apostrophe", "\u{1B}[31mred", "\u{202E}bidi", "🎛️", "=", "#", "3rd", "a/b",
        String(repeating: "long", count: 1_000),
    ]

    /// Everything that JSON and other transformers store, and what is nearly JSON.
    static let values: [Data] =
        (JSONTexts.values + JSONTexts.nearly + JSONTexts.others + [
            #"{"$data":"AAEC"}"#, #"{"$data":"no base 64"}"#, #"{"$data":"AAEC","b":1}"#, #"{"$data":7}"#, "\"it's\"",
            "\"$HOME `x`\"",
            "\"\u{1B}]0;title\u{7}\"", "\" leading\"", "\"#\"", "\"true\"", "\"3\"", "\"a\\nb\"",
        ]).map { Data($0.utf8) } + [
            Data([0xFF, 0x00, 0xFE]), Data(0...255), Data("bplist00".utf8), nested(511), nested(512),
        ]

    static func nested(_ depth: Int) -> Data {
        Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }

    /// Every name with some value, and every value under some name.
    static let settings: [String: Data] = {
        var settings: [String: Data] = [:]
        for (index, value) in values.enumerated() { settings["value \(index)"] = value }
        for (index, name) in names.enumerated() { settings[name] = values[index * 7 % values.count] }
        return settings
    }()
}

@Suite("File formats of exports", .ownThreads)
struct TransferFormatTests {
    @Test("An export in JSON has no character that controls a terminal")
    func terminalCharacters() throws {
        let text = try TransferFormat.json.text(of: .init(values: TransferSamples.settings))
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.disturbsOutput })
    }

    @Test("Random and damaged bytes are refused or read, in any format", arguments: TransferFormat.allCases)
    func hostileBytes(_ format: TransferFormat) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("Seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let variables = "A=1\nexport B='x y' # note\nC=\"\\n\\$\"\n"
        let written = format == .env ? variables : try format.text(of: .init(values: TransferSamples.settings))
        for _ in 0..<Rounds.choose(300, full: 3_000) {
            var bytes = Array(written.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                default: bytes.insert(contentsOf: "\"{[('<\\@b".utf8.shuffled(using: &generator), at: place)
                }
            }
            if let read = try? format.read(Data(bytes), over: [:]) {
                #expect(read.values.keys.allSatisfy(SettingsService.StorageKey.isValid))
            }
        }
    }

    @Test("The extension of a path says which format it is, whatever the folder's name")
    func extensions() {
        let formats: [String: TransferFormat?] = [
            "a.plist": .plist, "/x.json/b.ENV": .env, ".env": .env, "/x/.env.local": .env, "a.txt": nil,
            "/x.json/b": nil,
        ]
        for (path, format) in formats { #expect(TransferFormat(path: path) == format, "\(path)") }
    }
}

@Suite("Exports in JSON")
struct JSONTransferTests {
    @Test("A file that a person wrote is stored as the library writes it")
    func readingByHand() throws {
        let file = Data(
            "\u{FEFF}{\r\n\t\"$comment\": \"mine\",\n \"a\" :\t{ \"x\\u0041\" : [ 1.0 ,\n2 ] } , \"b\":\"\\/\\u00e9\"}\n"
                .utf8)
        let read = try JSONTransfer.read(file)
        #expect(read.values == ["a": Data(#"{"xA":[1.0,2]}"#.utf8), "b": Data("\"/é\"".utf8)])
    }

    @Test("A name that no setting can have is reported and the rest is read")
    func impossibleNames() throws {
        let read = try JSONTransfer.read(Data(#"{"": 1, "a\u0000b": 2, "c": 3}"#.utf8))
        #expect(read.values == ["c": Data("3".utf8)])
        #expect(read.unsupported.count == 2)
    }

    @Test(
        "An error says the line and never shows a value",
        arguments: [
            ("{\n\"a\": sesame}", 2), ("[]", 1), ("{\"a\": 1}\nx", 2), ("{\"a\": {\"$data\": \"sesame!\"}}", nil),
            ("{\"a\": \"\\ud800\"}", 1), ("", 1), ("{\"a\":[1 2]}", 1),
        ])
    func problems(_ text: String, _ line: Int?) {
        do throws(SettingsFileProblem) {
            _ = try JSONTransfer.read(Data(text.utf8))
            Issue.record("It was read.")
        } catch {
            #expect(error.line == line, "\(error)")
            #expect(!"\(error)".contains("sesame"))
        }
    }
}
