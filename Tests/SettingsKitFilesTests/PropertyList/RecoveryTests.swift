import Foundation
import Testing

@testable import SettingsKitFiles

@Suite("Recovering damaged XML", .ownThreads)
struct RecoveryTests {
    /// The sample file without any white space between its elements.
    private func flushFile() throws -> Data {
        let file = String(decoding: try XMLPropertyListWriter.write(sampleMembers), as: UTF8.self)
        let body = file.replacingOccurrences(of: ">\n\t+<", with: "><", options: .regularExpression)
        return Data(body.replacingOccurrences(of: ">\n<", with: "><").utf8)
    }

    private func keys(_ text: String) -> [String] {
        PropertyListReader.recover(Data(text.utf8)).map(\.key)
    }

    @Test("Recovering damaged XML: a file that is not indented recovers a prefix wherever it is cut")
    func aFileThatIs() throws {
        let file = try flushFile()
        for length in 0..<file.count {
            let recovered = PropertyListReader.recover(file.prefix(length))
            #expect(recovered == Array(sampleMembers.prefix(recovered.count)), "cut at \(length)")
        }
        #expect(PropertyListReader.recover(file.dropLast(9)) == sampleMembers)
    }

    @Test(
        "Recovering damaged XML: a byte lost anywhere in the dictionary costs at most the pair it is in and a neighbor"
    )
    func aByteLostAnywhere() throws {
        let file = try XMLPropertyListWriter.write(sampleMembers)
        let start = try #require(file.range(of: Data("<dict>\n".utf8))).upperBound
        for place in start..<file.count {
            var damaged = file
            damaged[place] = 0
            let recovered = PropertyListReader.recover(damaged)
            #expect(recovered.count >= sampleMembers.count - 2, "byte \(place)")
            #expect(recovered.allSatisfy { sampleMembers.contains($0) }, "byte \(place)")
        }
    }

    @Test("Recovering damaged XML: a stretch of zeros costs only the pairs in it")
    func aStretchOfZeros() throws {
        let file = try XMLPropertyListWriter.write(sampleMembers)
        let start = try #require(file.range(of: Data("<integer>-42".utf8))).lowerBound
        let end = try #require(file.range(of: Data("<string>a ".utf8))).upperBound
        var damaged = file
        damaged.replaceSubrange(start..<end, with: Data(count: end - start))
        let expected = sampleMembers.prefix(2) + sampleMembers.dropFirst(6)
        #expect(PropertyListReader.recover(damaged) == Array(expected))
    }

    @Test("Recovering damaged XML: an end tag that is missing does not make the rest part of the inner dictionary")
    func anEndTagThat() throws {
        let text = String(decoding: try XMLPropertyListWriter.write(sampleMembers), as: UTF8.self)
        let damaged = text.replacingOccurrences(of: "\n\t</dict>\n", with: "\n")
        #expect(damaged != text)
        #expect(PropertyListReader.recover(Data(damaged.utf8)) == sampleMembers.filter { $0.key != "nest" })
    }

    @Test("Recovering damaged XML: without indentation, an end tag that is missing gives up what follows")
    func withoutIndentationAnEnd() {
        let text =
            "<plist><dict><key>a</key><true/><key>b</key><dict><key>x</key><true/><key>c</key><true/></dict></plist>"
        #expect(keys(text) == ["a"])
    }

    @Test(
        "Recovering damaged XML: keeps the complete pairs",
        arguments: [
            ("<dict><key>a</key><true/><key>b</key><integer>x</integer><key>c</key><true/></dict>", ["a", "c"]),
            ("<dict><key>a</key><dict><key>x</key><bad/></dict><key>c</key><true/></dict>", ["c"]),
            (
                "<dict><key>a</key><array><dict/><dict a='/'><key>x</key><bad/></dict></array><key>c</key><true/></dict>",
                ["c"]
            ),
            ("<dict><kex>a</key><true/><key>b</key><true/></dict>", ["b"]),
            ("<dict>junk<key>b</key><true/></dict>", ["b"]),
            ("<dict><key>a</key><key>b</key><true/></dict>", ["b"]),
            ("<dict><key>a</key><true/><!-- never ends <key>b</key><true/></dict>", ["a"]),
            ("<dict><key>a&x;</key><true/><key>b</key><true/></dict>", ["b"]),
            ("<dict><key>a</key><true/></dict>trailing", ["a"]),
            ("<!-- <dict><key>no</key><true/></dict> --><dict><key>a</key><true/>", ["a"]),
            ("<!DOCTYPE plist [ never ends <dict><key>a</key><true/></dict>", ["a"]),
            ("<array><dict><key>a</key><true/></dict>", []), ("<dict/>x", []), ("<dict", []), ("", []),
            ("<key>a</key>", []),
            ("<?xml encoding='latin-42'?><dict><key>a</key><true/><key>\u{E9}</key><true/></dict>", ["a", "\u{E9}"]),
            ("<dict>\n  <key>a</key>\n  <dict>\n    <key>x</key>\n  <key>b</key>\n  <true/>\n</dict>", ["b"]),
            (
                "<dict>\r\t<key>a</key>\r\t<dikt>\r\t\t<key>x</key>\r\t\t<true/>\r\t</dict>\r\t<key>b</key>\r\t<true/>\r</dict>",
                ["b"]
            ),
            ("<dict><key>a</key><true/><key>b</key><bad/><key>a</key><false/></dict>", ["a"]),
        ])
    func keepsTheCompletePairs(text: String, expected: [String]) {
        #expect(keys(text) == expected)
    }

    @Test("Recovering damaged XML: drops pairs that are not valid UTF-8, and keeps the rest")
    func dropsPairsThatAre() {
        let start = Data("<dict><key>a</key><string>".utf8)
        let end = Data("</string><key>b</key><true/></dict>".utf8)
        #expect(PropertyListReader.recover(start + [0xFF] + end).map(\.key) == ["b"])
    }

    @Test("Recovering damaged XML: recovers UTF-16")
    func recoversUTF16() {
        let text = "\u{FEFF}<dict><key>a</key><true/><key>b</key><strin"
        let data = Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(PropertyListReader.recover(data).map(\.key) == ["a"])
    }

    // Quadratic time would be many minutes with either size.
    @Test(
        "Recovering damaged XML: takes linear time however often it has to start again",
        .timeLimit(Rounds.timeLimit),
        arguments: [
            "<key>k</key><!--", "\n\t<key>k</key><!--", "\n\t<key>k</key><dict>", "<key>k</key><dict>", "<dict a='",
            "\n\t<key>k</key><string><![CDATA[", "<key>k</key><array>", "<key>k</key><dict><key>", "<key", "<key>",
            "\n\t<key>",
            "<key>k</key>\n\t<dict><?", "<!DOCTYPE '",
        ])
    func takesLinearTimeHowever(piece: String) {
        let start = piece.hasPrefix("\n") ? "<plist><dict>\n\t<key>a</key><true/>" : "<plist><dict><key>a</key><true/>"
        let text = Data(
            (start + String(repeating: piece, count: Rounds.choose(500_000, full: 2_000_000) / piece.utf8.count)).utf8)
        #expect(PropertyListReader.recover(text).first?.key == "a")
    }

    @Test("Recovering damaged XML: many intact pairs after many broken ones are all found")
    func manyIntactPairsAfter() {
        let pairs = (0..<5000).map {
            "\t<key>bad\($0)</key>\n\t<integer>x</integer>\n\t<key>good\($0)</key>\n\t<true/>\n"
        }
        let recovered = keys("<plist>\n<dict>\n" + pairs.joined() + "</dict>\n</plist>\n")
        #expect(recovered == (0..<5000).map { "good\($0)" })
    }
}
