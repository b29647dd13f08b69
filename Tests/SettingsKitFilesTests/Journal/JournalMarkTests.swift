import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("The mark of a journal")
struct JournalMarkTests {
    private static let mark = JournalMark(
        list: 0x1111_2222_3333_4444, journal: 0x0123_4567_89AB_CDEF, predecessor: 0xFEDC_BA98_7654_3210,
        generation: 5678, offset: 1234)
    private static let text =
        "SettingsKit list 1111222233334444 journal 0123456789abcdef after fedcba9876543210 "
        + "generation 5678 through 1234 check 95902bd3"

    private func read(_ text: String) -> JournalMark? {
        JournalMark.read(Data(text.utf8))
    }

    /// The document with `prolog` before its element.
    private func file(_ prolog: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(prolog)\n<plist version=\"1.0\">\n<dict/>\n</plist>\n"
    }

    @Test(
        "The mark of a journal is read from the files it is written to",
        arguments: [
            mark, JournalMark(list: 1, journal: 1, predecessor: 0, generation: 1, offset: 88),
            JournalMark(list: .max, journal: .max, predecessor: .max, generation: 1 << 40, offset: 1 << 40),
        ])
    func isReadFromThe(mark: JournalMark) throws {
        let file = try XMLPropertyListWriter.write(sampleMembers, comment: mark.comment)
        #expect(JournalMark.read(file) == mark)
        // A slice's first index need not be 0.
        #expect(JournalMark.read((Data("abc".utf8) + file).dropFirst(3)) == mark)
        let windows = String(decoding: file, as: UTF8.self).replacing("\n", with: "\r\n")
        #expect(read(windows) == mark)
        #expect(JournalMark.read(try XMLPropertyListWriter.write(sampleMembers)) == nil)
    }

    @Test("The mark of a journal has one form")
    func hasOneForm() {
        #expect(Self.mark.comment == Self.text)
        #expect(
            JournalMark(list: 2, journal: 1, predecessor: 0, generation: 3, offset: 88).comment
                == "SettingsKit list 0000000000000002 journal 0000000000000001 after 0000000000000000 "
                + "generation 3 through 88 check 38d22514")
    }

    @Test(
        "The mark of a journal is found with other white space and other comments around it",
        arguments: [
            "<!-- \(text) -->", "<!--\(text)-->", "<!--\r\n\t\(text)\r\n-->", "  <!--   \(text) -->\n\n\n",
            "<!-- other --><!-- \(text) -->", "<!-- \(text) --><!-- <plist> --><!---->",
            "<!-- \(text) --><!DOCTYPE plist>", "<?pi <plist> ?><!DOCTYPE plist SYSTEM \"<plist>\"><!-- \(text) -->",
            "<!-- SettingsKit journal 1 after 2 through 3 --><!-- \(text) -->",
        ])
    func isFoundWithOther(prolog: String) {
        #expect(read(file(prolog)) == Self.mark)
        #expect(read("\u{FEFF}" + file(prolog)) == Self.mark)
    }

    @Test(
        "The mark of a journal is not seen in any other comment",
        arguments: [
            "", "SettingsKit", text.uppercased(), text + ".", "." + text, text + " 5",
            text.replacing("0123", with: "0X23"), text.replacing("0123", with: "123"),
            text.replacing("0123", with: "00123"), text.replacing("0123", with: "+123"),
            text.replacing("abcdef", with: "ABCDEF"), text.replacing(" after", with: "  after"),
            text.replacing(" after ", with: "\tafter "), text.replacing("after", with: "before"),
            text.replacing("1234", with: ""), text.replacing("through 1234", with: "through 01234"),
            text.replacing("through 1234", with: "through +1234"), text.replacing("through 1234", with: "through -1"),
            text.replacing("through 1234", with: "through 18446744073709551616"),
            JournalMark(list: 1, journal: 1, predecessor: 0, generation: 1, offset: 1 << 40 + 1).comment,
            JournalMark(list: 1, journal: 1, predecessor: 0, generation: 1, offset: .max).comment,
            JournalMark(list: 1, journal: 1, predecessor: 0, generation: .max, offset: 88).comment,
            text.replacing("through 1234", with: "through １"), text + "\u{301}", text.replacing("t", with: "t\u{301}"),
        ])
    func isNotSeenInAny(comment: String) {
        #expect(read(file("<!-- \(comment) -->")) == nil)
    }

    @Test("The mark of a journal is not believed with any bit flipped")
    func isNotBelievedWith() {
        let file = Array(file("<!-- \(Self.text) -->").utf8)
        for bit in 0..<file.count * 8 {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            let mark = JournalMark.read(Data(flipped))
            #expect(mark == nil || mark == Self.mark, "bit \(bit)")
        }
    }

    @Test("The mark of a journal is not seen anywhere but in a comment before the element")
    func isNotSeenAnywhere() {
        let comment = "<!-- \(Self.text) -->"
        #expect(read(comment) == nil)
        #expect(read(file(Self.text)) == nil)
        #expect(read("<plist>\(comment)<dict/></plist>") == nil)
        #expect(read("<plist><dict/></plist>\(comment)") == nil)
        #expect(read(file("<dict/>\(comment)")) == nil)
        #expect(read(file("<?pi \(comment) ?>")) == nil)
        #expect(read(file("<!DOCTYPE plist SYSTEM \"\(comment)\">")) == nil)
        #expect(read(file("<!-- \(Self.text)")) == nil)
        #expect(read("bplist00" + comment + file("")) == nil)
        #expect(read(file(comment + comment)) == nil)
    }

    @Test("The mark of a journal is looked for at the beginning only")
    func isLookedForAt() {
        let comment = "<!-- \(Self.text) -->"
        for length in 3800...4200 {
            let prolog = comment + String(repeating: " ", count: length)
            let elementEnd = file(prolog).utf8.count - "version=\"1.0\">\n<dict/>\n</plist>\n".utf8.count - 1
            #expect(read(file(prolog)) == (elementEnd <= 4096 ? Self.mark : nil))
        }
    }

    @Test("The mark of a journal is not seen, or is the same, in a file that is cut or damaged anywhere")
    func isNotSeenOr() throws {
        let file = try XMLPropertyListWriter.write([], comment: Self.text)
        let element = try #require(file.range(of: Data("<plist".utf8)))
        for length in 0...file.count {
            #expect(JournalMark.read(file.prefix(length)) == (length < element.upperBound ? nil : Self.mark))
        }
        let digits = try #require(file.range(of: Data(Self.text.utf8)))
        for place in file.indices {
            for bit in 0..<8 {
                var damaged = file
                damaged[place] ^= 1 << bit
                // A comment has no checks: a digit may become another, and the space behind them one more.
                let found = JournalMark.read(damaged)
                if !digits.contains(place), place != digits.upperBound, let found { #expect(found == Self.mark) }
            }
        }
    }

    @Test("The mark of a journal is not seen in random bytes")
    func isNotSeenIn() {
        print("random bytes for a mark: seed 97")
        var generator = SeededGenerator(seed: 97)
        let pieces = [
            "<", "!--", "-->", "<!--", " ", "<?", "?>", "<!DOCTYPE", "[", "]", "\"", ">", "<plist", "\0", "é", "-",
        ]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            #expect(read(text.joined()) == nil)
        }
    }
}
