import SettingsTestSupport
import Testing

@testable import SettingsCommandLine
@testable import SettingsKitTerminal

@Suite("Keys of a terminal", .ownThreads)
struct KeyDecoderTests {
    static let sequences: [(text: String, keys: [Key])] = [
        ("a", [.scalar("a")]), ("é中👍", [.scalar("é"), .scalar("中"), .scalar("👍")]),
        ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}\u{8}", [.backspace, .backspace]),
        ("\u{1}\u{1A}", [.control("a"), .control("z")]), ("\0", []), ("\u{9B}", []),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
        (
            "\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~",
            [
                .home, .end, .home, .end, .home, .end, .home, .end,
            ]
        ),
        ("\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[Z", [.delete, .pageUp, .pageDown, .backTab]),
        ("\u{1B}[1;5C\u{1B}[1;3D\u{1B}f\u{1B}b", [.wordRight, .wordLeft, .wordRight, .wordLeft]),
        ("\u{1B}[1;2C", [.right]), ("\u{1B}\u{7F}\u{1B}[3;5~", [.deleteWord, .deleteWord]),
        ("\u{1B}\rx", [.lineBreak, .scalar("x")]), ("\u{1B}OM", [.enter]),
        // What the view does not know is ignored as a whole.
        ("\u{1B}[2~\u{1B}[15~\u{1B}OP\u{1B}[[Ax", [.scalar("x")]), ("\u{1B}[<0;10;10Mx", [.scalar("x")]),
        ("\u{1B}[?62;22cx", [.scalar("x")]), ("\u{1B}]11;rgb:00/00/00\u{7}x", [.scalar("x")]),
        ("\u{1B}P1$r0m\u{1B}\\x", [.scalar("x")]), ("\u{1B}zx", [.scalar("x")]),
        ("\u{1B}[1\u{18}x", [.scalar("x")]), ("\u{1B}[\u{1B}[Ax", [.up, .scalar("x")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[999999999999999999999999999;99999999999999999999999Ax", [.up, .scalar("x")]),
        // What is pasted is text, whatever it contains.
        ("\u{1B}[200~q\r\nu\rd\n\ty\u{3}\u{1B}[A\u{1B}[201~q", [.pasted("q\nu\nd\n\ty"), .scalar("q")]),
        ("\u{1B}[200~\u{1B}[201~q", [.scalar("q")]),
    ]

    @Test("Each sequence gives its keys", arguments: sequences.indices)
    func whole(_ index: Int) {
        let (text, keys) = Self.sequences[index]
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == keys)
        #expect(!decoder.isPending)
        #expect(decoder.timeOut() == [])
    }

    @Test(
        "A sequence that arrives in two pieces gives the same keys, wherever it is split", arguments: sequences.indices)
    func split(_ index: Int) {
        let (text, keys) = Self.sequences[index]
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            var decoder = KeyDecoder()
            #expect(joined(decoder.decode(bytes[..<end]) + decoder.decode(bytes[end...])) == keys, "split at \(end)")
        }
    }

    @Test("A lone ESC is the escape key when the time is over, and not before")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isPending)
        #expect(decoder.timeOut() == [.escape])
        #expect(!decoder.isPending)
        #expect(decoder.decode("[A".utf8) == [.scalar("["), .scalar("A")])
    }

    @Test(
        "Bytes that are not UTF-8 are unreadable, and the next key is not lost",
        arguments: [
            [0xE9], [0xC3], [0x80], [0xC0], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0xE4, 0xB8],
        ] as [[UInt8]])
    func invalid(_ bytes: [UInt8]) {
        var decoder = KeyDecoder()
        let keys = decoder.decode(bytes) + decoder.timeOut()
        #expect(keys.contains(.unreadable))
        #expect(keys.allSatisfy { $0 == .unreadable || $0 == .scalar("(") })
        #expect(decoder.decode("q".utf8) == [.scalar("q")])
    }

    @Test(
        "Random bytes in random pieces give the same keys as at once, and a person can still quit",
        arguments: Rounds.seeds(0..<2_000, part: 300))
    func random(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("\u{1B}\u{1B}\u{1B}[[O]P~;0123456789ABCqué中\r\n\u{7}\u{18}".utf8) + [0xFF, 0x80]
        var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
            alphabet.randomElement(using: &generator) ?? 0
        }
        if Bool.random(using: &generator) { bytes.insert(contentsOf: "\u{1B}[200~".utf8, at: bytes.count / 2) }
        var whole = KeyDecoder()
        var pieces = KeyDecoder()
        var keys: [Key] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &generator)
            keys += pieces.decode(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(joined(keys) == joined(whole.decode(bytes)), "seed \(seed)")
        _ = whole.timeOut()
        #expect(whole.decode([0x1B]) == [])
        #expect(whole.timeOut().last == .escape)
        #expect(whole.decode("q".utf8) == [.scalar("q")], "seed \(seed)")
    }

    @Test("A sequence without an end takes no memory")
    func endless() {
        for start in ["\u{1B}[", "\u{1B}]", "\u{1B}P"] {
            var decoder = KeyDecoder()
            _ = decoder.decode(start.utf8)
            for _ in 0..<1_000 { #expect(decoder.decode(repeatElement(UInt8(ascii: "1"), count: 1_000)) == []) }
            #expect(Mirror(reflecting: decoder).description.utf8.count < 1_000)
            #expect(decoder.timeOut() == [])
            #expect(decoder.decode("q".utf8) == [.scalar("q")])
        }
    }

    /// The keys with pasted texts joined that arrived in pieces.
    private func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { result, key in
            if case .pasted(let text) = key, case .pasted(let before) = result.last {
                result[result.count - 1] = .pasted(before + text)
            } else {
                result.append(key)
            }
        }
    }
}
